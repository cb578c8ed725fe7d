/* call_sites: from which lines a node of the tree, or a function, was called. */
#include "api/ask.h"

#include "api/func_texts.h"
#include "tree/call_sites.h"

#include <errno.h>

enum { CALL_SITES_MOST = 100 };

struct site_columns {
    uint32_t *func, *name, *library, *file, *line;
    double *total;
};

static bool make_columns(struct asking *asking, struct site_columns *columns, size_t count)
{
    uint32_t **const numbers[] = {&columns->func, &columns->name, &columns->library, &columns->file, &columns->line};
    bool fits = (columns->total = asking_array(asking, count, sizeof(double))) != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fits &= (*numbers[i] = asking_array(asking, count, sizeof(uint32_t))) != NULL;
    return fits;
}

static void fill_row(struct asking *asking, struct site_columns *columns, size_t i, const struct call_site *site)
{
    const struct source_table *sources = &asking->profile->sources;
    struct func_texts texts = func_texts_of(asking->whole->funcs, site->func);
    /* A source map may say that the line is in another file than the function. */
    if (site->source < sources->rows.count)
        texts.file = sources->rows.items[site->source].filename;
    columns->func[i] = site->func;
    columns->name[i] = texts.name.i;
    columns->library[i] = texts.library.i;
    columns->file[i] = texts.file.i;
    columns->line[i] = site->line;
    columns->total[i] = site->total;
    reply_use_string(asking->reply, texts.name);
    reply_use_string(asking->reply, texts.library);
    reply_use_string(asking->reply, texts.file);
}

static int put_sites(struct asking *asking, const struct call_sites *sites)
{
    struct reply *reply = asking->reply;
    const struct answer *answer = &asking->kept->answer;
    size_t count = sites->rows.count < CALL_SITES_MOST ? sites->rows.count : CALL_SITES_MOST;
    struct site_columns columns;
    if (!make_columns(asking, &columns, count))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        fill_row(asking, &columns, i, &sites->rows.items[i]);
    reply_put_text(reply, "weight_type", weight_type_name(answer->weights.type));
    reply_put_number(reply, "root_total", answer->tree.root_total);
    reply_put_count(reply, "count", sites->rows.count);
    reply_begin_columns(reply);
    reply_column(reply, "func", REPLY_U32, columns.func, count);
    reply_column(reply, "name", REPLY_ID, columns.name, count);
    reply_column(reply, "library", REPLY_ID, columns.library, count);
    reply_column(reply, "file", REPLY_ID, columns.file, count);
    reply_column(reply, "line", REPLY_ID, columns.line, count);
    reply_column(reply, "total", REPLY_F64, columns.total, count);
    reply_end_columns(reply);
    return 0;
}

int ask_call_sites(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    const struct answer *answer = &asking->kept->answer;
    struct call_sites sites;
    struct error error = {0};
    if (ask->has_path)
        status = call_sites_of_path(&answer->view, &answer->nodes, &answer->weights, &ask->path, asking->state.inverted, &sites,
                                    &error);
    else if (ask->func >= asking->whole->funcs->count)
        return asking_refuse(asking, "func", "there is no function %u", ask->func);
    else
        status = call_sites_of_func(&answer->view, &answer->weights, ask->func, &sites, &error);
    if (status != 0)
        return asking_failed(asking, &error);
    status = put_sites(asking, &sites);
    call_sites_free(&sites);
    return status;
}
