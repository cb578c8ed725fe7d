/* groups: libraries, files, categories or classes in place of functions, with what each has. */
#include "api/ask.h"

#include "tree/grouping.h"

#include <errno.h>

enum { GROUP_NAME_MOST = 1000 }; /* bytes */

/* The answer to the same state, made of groups. It is kept as all others are. */
static struct kept_answer *find_answer(struct asking *asking, enum grouping by, struct error *error)
{
    struct state state = asking->state;
    struct text_buffer key = {0};
    state.query.group = by;
    text_add(&key, text_slice(&asking->state.key));
    text_add(&key, SLICE("\ngroup "));
    text_add(&key, slice_of(grouping_names[by]));
    state.key = key;
    struct kept_answer *kept = NULL;
    if (key.failed)
        error_out_of_memory(error);
    else
        kept = answers_get(asking->answers, asking->whole, &state, error);
    text_free(&key);
    return kept;
}

static int put_groups(struct asking *asking, const struct ask *ask, const struct kept_answer *kept,
                      const struct function_list *list)
{
    const struct func_list *funcs = kept->answer.view.funcs;
    size_t count = list->rows.count < ask->after ? list->rows.count : ask->after;
    double *self = asking_array(asking, count, sizeof *self), *total = asking_array(asking, count, sizeof *total);
    struct json_writer *w = asking->reply->json;
    if (!self || !total)
        return -ENOMEM;
    reply_put_text(asking->reply, "weight_type", weight_type_name(kept->answer.weights.type));
    reply_put_number(asking->reply, "root_total", kept->answer.tree.root_total);
    reply_put_count(asking->reply, "count", list->rows.count);
    json_write_key(w, "names");
    json_write_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        struct slice name = func_list_name(funcs, list->rows.items[i].func);
        json_write_string(w, slice_until(name, name.length < GROUP_NAME_MOST ? name.length : GROUP_NAME_MOST));
        self[i] = list->rows.items[i].self;
        total[i] = list->rows.items[i].total;
    }
    json_write_end_array(w);
    reply_begin_columns(asking->reply);
    reply_column(asking->reply, "total", REPLY_F64, total, count);
    reply_column(asking->reply, "self", REPLY_F64, self, count);
    reply_end_columns(asking->reply);
    return 0;
}

int ask_groups(struct asking *asking, const struct ask *ask)
{
    struct error error = {0};
    const struct function_list *list;
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    struct kept_answer *kept = find_answer(asking, ask->by, &error);
    if (!kept || kept_answer_functions(kept, ask->sort, &list, &error) != 0)
        return asking_failed(asking, &error);
    return put_groups(asking, ask, kept, list);
}
