#include "api/put_lines.h"

#include <errno.h>

int put_lines(struct asking *asking, const struct line_timings *lines)
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
    const struct answer *answer = &asking->kept->answer;
    reply_put_text(asking->reply, "weight_type", weight_type_name(answer->weights.type));
    reply_put_number(asking->reply, "root_total", answer->tree.root_total);
    reply_begin_columns(asking->reply);
    reply_column(asking->reply, "line", REPLY_U32, line, count);
    reply_column(asking->reply, "total", REPLY_F64, total, count);
    reply_column(asking->reply, "self", REPLY_F64, self, count);
    reply_end_columns(asking->reply);
    return 0;
}
