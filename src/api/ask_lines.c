/* lines: on which source lines of a function, or of a file, samples were taken. */
#include "api/ask.h"

#include "tree/source_find.h"

#include <errno.h>

static int time_lines(struct asking *asking, const struct ask *ask, uint32_t *source, struct line_timings *lines)
{
    const struct answer *answer = &asking->kept->answer;
    struct error error = {0};
    int status;
    if (ask->has_func) {
        if (ask->func >= asking->whole->funcs->count)
            return asking_refuse(asking, "func", "there is no function %u", ask->func);
        *source = asking->whole->funcs->source[ask->func];
        status = line_timings_of_func(&answer->view, &answer->weights, ask->func, lines, &error);
    } else {
        if (source_find(asking->profile, ask->file, source, &error) != 0)
            return asking_refuse(asking, "file", "%s", error.message);
        status = line_timings_of_source(&answer->view, &answer->weights, *source, lines, &error);
    }
    return status == 0 ? 0 : asking_failed(asking, &error);
}

static int put_lines(struct asking *asking, const struct line_timings *lines)
{
    size_t count = lines->rows.count;
    uint32_t *line = asking_array(asking, count, sizeof *line);
    double *total = asking_array(asking, count, sizeof *total), *self = asking_array(asking, count, sizeof *self);
    if (!line || !total || !self)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        line[i] = lines->rows.items[i].line;
        total[i] = lines->rows.items[i].total;
        self[i] = lines->rows.items[i].self;
    }
    reply_begin_columns(asking->reply);
    reply_column(asking->reply, "line", REPLY_U32, line, count);
    reply_column(asking->reply, "total", REPLY_F64, total, count);
    reply_column(asking->reply, "self", REPLY_F64, self, count);
    reply_end_columns(asking->reply);
    return 0;
}

int ask_lines(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    uint32_t source = INDEX_NONE;
    struct line_timings lines = {0};
    status = time_lines(asking, ask, &source, &lines);
    if (status == 0) {
        const struct answer *answer = &asking->kept->answer;
        const struct source_table *sources = &asking->profile->sources;
        struct string_index file = source < sources->rows.count ? sources->rows.items[source].filename : STRING_NONE;
        reply_put_string(asking->reply, "file", file);
        reply_put_text(asking->reply, "weight_type", weight_type_name(answer->weights.type));
        reply_put_number(asking->reply, "root_total", answer->tree.root_total);
        status = put_lines(asking, &lines);
    }
    line_timings_free(&lines);
    return status;
}
