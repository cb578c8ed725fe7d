/* lines: on which source lines of a function, or of a file, samples were taken. */
#include "api/ask.h"

#include "api/put_lines.h"
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

int ask_lines(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    uint32_t source = INDEX_NONE;
    struct line_timings lines = {0};
    status = time_lines(asking, ask, &source, &lines);
    if (status == 0) {
        const struct source_table *sources = &asking->profile->sources;
        struct string_index file = source < sources->rows.count ? sources->rows.items[source].filename : STRING_NONE;
        reply_put_string(asking->reply, "file", file);
        status = put_lines(asking, &lines);
    }
    line_timings_free(&lines);
    return status;
}
