/* modules: how well the functions of each library are known, and how many samples that concerns. */
#include "api/ask.h"

#include "profile/module_facts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct listed_module {
    const struct module_facts *facts;
    const struct lib *lib;
};

static int compare_modules(const void *a, const void *b)
{
    const struct listed_module *x = a, *y = b;
    if (x->facts->samples != y->facts->samples)
        return x->facts->samples > y->facts->samples ? -1 : 1;
    return x->lib < y->lib ? -1 : x->lib > y->lib;
}

static struct slice state_of(const struct asking *asking, const struct module_facts *module)
{
    if (module->is_noted)
        return module->status;
    if (asking->symbols_arrive)
        return SLICE("pending");
    return module->has_names ? module->status : SLICE("not-asked");
}

static void put_module(struct asking *asking, const struct listed_module *module, size_t samples)
{
    struct reply *reply = asking->reply;
    json_write_begin_object(reply->json);
    reply_put_string(reply, "name", module->lib->name);
    reply_put_string(reply, "path", module->lib->path);
    reply_put_string(reply, "debug_id", module->lib->breakpad_id);
    reply_put_string(reply, "build_id", module->lib->code_id);
    reply_put_count(reply, "samples", module->facts->samples);
    reply_put_number(reply, "share", samples > 0 ? (double)module->facts->samples / (double)samples : 0);
    reply_put_slice(reply, "state", state_of(asking, module->facts));
    reply_put_slice(reply, "detail", module->facts->detail);
    json_write_end_object(reply->json);
}

static int put_modules(struct asking *asking, const struct profile_facts *facts)
{
    struct reply *reply = asking->reply;
    struct listed_module *list = asking_array(asking, facts->modules.count, sizeof *list);
    size_t count = 0, pending = 0;
    if (!list)
        return -ENOMEM;
    for (size_t i = 0; i < facts->modules.count; i++) {
        const struct module_facts *module = &facts->modules.items[i];
        if (module->frames == 0)
            continue;
        pending += asking->symbols_arrive && !module->is_noted;
        list[count++] = (struct listed_module){module, &asking->profile->libs.rows.items[i]};
    }
    if (count > 1)
        qsort(list, count, sizeof *list, compare_modules);
    double samples = (double)facts->samples;
    reply_put_count(reply, "samples", facts->samples);
    reply_put_number(reply, "named", samples > 0 ? (samples - (double)facts->unnamed) / samples : NAN);
    reply_put_count(reply, "pending", pending);
    json_write_key(reply->json, "modules");
    json_write_begin_array(reply->json);
    for (size_t i = 0; i < count; i++)
        put_module(asking, &list[i], facts->samples);
    json_write_end_array(reply->json);
    return 0;
}

int ask_modules(struct asking *asking, const struct ask *ask)
{
    struct profile_facts facts;
    (void)ask;
    int status = profile_facts_collect(asking->profile, &facts) ? put_modules(asking, &facts) : -ENOMEM;
    profile_facts_free(&facts);
    return status;
}
