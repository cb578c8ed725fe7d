/* keys, funcs: functions as they stand in addresses, and back. */
#include "api/ask.h"
#include "api/func_hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int ask_keys(struct asking *asking, const struct ask *ask)
{
    const struct func_list *funcs = asking->whole->funcs;
    struct json_writer *json = asking->reply->json;
    for (size_t i = 0; i < ask->path.funcs.count; i++)
        if (ask->path.funcs.items[i] >= funcs->count)
            return asking_refuse(asking, "funcs", "there is no function %u", ask->path.funcs.items[i]);
    json_write_key(json, "keys");
    json_write_begin_array(json);
    for (size_t i = 0; i < ask->path.funcs.count; i++)
        json_write_string(json, slice_of(func_hash_of(funcs, ask->path.funcs.items[i]).text));
    json_write_end_array(json);
    return 0;
}

/* A key that is looked for, and the first function that has it. */
struct wanted_key {
    struct slice key;
    size_t place; /* in the request */
    uint32_t func;
};

static int compare_keys(const void *a, const void *b)
{
    const struct wanted_key *x = a, *y = b;
    return slice_compare(x->key, y->key);
}

static int compare_places(const void *a, const void *b)
{
    const struct wanted_key *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static void find_funcs(const struct func_list *funcs, struct wanted_key *wanted, size_t count)
{
    qsort(wanted, count, sizeof *wanted, compare_keys);
    for (uint32_t func = 0; func < funcs->count; func++) {
        struct func_hash key = func_hash_of(funcs, func);
        struct wanted_key *found =
            bsearch(&(struct wanted_key){.key = slice_of(key.text)}, wanted, count, sizeof *wanted, compare_keys);
        if (!found)
            continue;
        while (found > wanted && compare_keys(found - 1, found) == 0)
            found--;
        for (struct wanted_key *same = found; same < wanted + count && compare_keys(same, found) == 0; same++)
            if (same->func == INDEX_NONE)
                same->func = func;
    }
    qsort(wanted, count, sizeof *wanted, compare_places);
}

int ask_funcs(struct asking *asking, const struct ask *ask)
{
    const struct func_list *funcs = asking->whole->funcs;
    struct json_writer *json = asking->reply->json;
    size_t count = ask->keys.count;
    struct wanted_key *wanted = asking_array(asking, count, sizeof *wanted);
    uint32_t *names = asking_array(asking, count, sizeof *names);
    if (!wanted || !names)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        wanted[i] = (struct wanted_key){ask->keys.items[i], i, INDEX_NONE};
    if (count > 0)
        find_funcs(funcs, wanted, count);
    json_write_key(json, "funcs");
    json_write_begin_array(json);
    for (size_t i = 0; i < count; i++)
        if (wanted[i].func == INDEX_NONE)
            json_write_null(json);
        else
            json_write_number(json, wanted[i].func);
    json_write_end_array(json);
    for (size_t i = 0; i < count; i++) {
        names[i] = wanted[i].func == INDEX_NONE ? INDEX_NONE : funcs->name[wanted[i].func];
        reply_use_string(asking->reply, string_at(names[i]));
    }
    reply_begin_columns(asking->reply);
    reply_column(asking->reply, "name", REPLY_ID, names, count);
    reply_end_columns(asking->reply);
    return 0;
}
