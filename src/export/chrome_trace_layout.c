#include "export/chrome_trace_layout.h"

#include "common/memory.h"

#include <math.h>

/* A shorter pause waits until there is more of it: many would say little. */
static const double LEAST_PAUSE = 1; /* ms */

static bool is_row(double time, double weight)
{
    return isfinite(time) && isfinite(weight);
}

/* Begins of the rows behind each other, without pauses. */
static void follow_each_other(const struct sample_table *samples, const double *times, struct chrome_row *rows)
{
    double at = NAN;
    for (size_t i = 0; i < sample_count(samples); i++) {
        double weight = column_get_number(&samples->weight, i);
        rows[i] = (struct chrome_row){NAN, NAN};
        if (!is_row(times[i], weight))
            continue;
        rows[i].start = isnan(at) ? times[i] - weight : at;
        at = rows[i].end = rows[i].start + weight;
    }
}

/* How much later this row and all behind it may be: `late[i]`, from the last on. */
static void find_late(const double *times, const struct chrome_row *rows, size_t count, double *late)
{
    double least = INFINITY;
    for (size_t i = count; i-- > 0;) {
        if (!isnan(rows[i].start))
            least = fmin(least, times[i] - rows[i].end);
        late[i] = least;
    }
}

struct chrome_row *chrome_rows_in_order(const struct sample_table *samples)
{
    size_t count = sample_count(samples);
    double *times = memory_array(count + 1, sizeof *times), *late = memory_array(count + 1, sizeof *late);
    struct chrome_row *rows = times && late ? memory_array(count + 1, sizeof *rows) : NULL;
    if (rows) {
        sample_table_read_times(samples, times);
        follow_each_other(samples, times, rows);
        find_late(times, rows, count, late);
        double pauses = 0;
        for (size_t i = 0; i < count; i++) {
            if (late[i] - pauses >= LEAST_PAUSE)
                pauses = late[i];
            rows[i].start += pauses;
            rows[i].end += pauses;
        }
    }
    memory_release(times);
    memory_release(late);
    return rows;
}
