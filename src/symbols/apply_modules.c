#include "symbols/symbolication.h"

#include "profile/module_samples.h"

#include <stdlib.h>

enum { OWNER_NONE = INDEX_NONE, OWNER_SEVERAL = INDEX_NONE - 1 };

/* Sorts rows by their owner, keeping their order: those of module M come to lie one behind the other. */
static void group_frames(struct symbolication *symbolication, const uint32_t *owners, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (owners[i] < symbolication->module_count)
            symbolication->modules[owners[i]].frame_count++;
    uint32_t *at = symbolication->module_frames;
    for (size_t m = 0; m < symbolication->module_count; m++) {
        symbolication->modules[m].frames = at;
        at += symbolication->modules[m].frame_count;
        symbolication->modules[m].frame_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (owners[i] >= symbolication->module_count)
            continue;
        struct symbol_module *module = &symbolication->modules[owners[i]];
        symbolication->module_frames[module->frames - symbolication->module_frames + (ptrdiff_t)module->frame_count++] =
            (uint32_t)i;
    }
}

static void group_funcs(struct symbolication *symbolication, const uint32_t *owners, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (owners[i] < symbolication->module_count)
            symbolication->modules[owners[i]].func_count++;
    uint32_t *at = symbolication->module_funcs;
    for (size_t m = 0; m < symbolication->module_count; m++) {
        struct symbol_module *module = &symbolication->modules[m];
        module->funcs = at;
        at += module->func_count;
        module->func_count = 0;
        module->resource = resource_none();
    }
    for (size_t i = 0; i < count; i++) {
        if (owners[i] >= symbolication->module_count)
            continue;
        struct symbol_module *module = &symbolication->modules[owners[i]];
        symbolication->module_funcs[module->funcs - symbolication->module_funcs + (ptrdiff_t)module->func_count++] =
            (uint32_t)i;
        if (!resource_exists(module->resource))
            module->resource = func_resource(&symbolication->raw.funcs, func_at(i));
    }
}

/* A func belongs to a module if all frames that have it do. */
static bool collect_funcs(struct symbolication *symbolication, const uint32_t *frame_owners)
{
    size_t frames = frame_count(&symbolication->raw.frames), funcs = func_count(&symbolication->raw.funcs);
    uint32_t *owners = memory_array(funcs + 1, sizeof *owners);
    symbolication->module_funcs = memory_array(funcs + 1, sizeof *symbolication->module_funcs);
    if (owners && symbolication->module_funcs) {
        memset(owners, 0xff, funcs * sizeof *owners);
        for (size_t i = 0; i < frames; i++) {
            uint32_t func = frame_func(&symbolication->raw.frames, frame_at(i)).i;
            uint32_t owner = frame_owners[i] == INDEX_NONE ? OWNER_SEVERAL : frame_owners[i];
            owners[func] = owners[func] == OWNER_NONE || owners[func] == owner ? owner : OWNER_SEVERAL;
        }
        group_funcs(symbolication, owners, funcs);
    }
    bool done = owners && symbolication->module_funcs;
    memory_release(owners);
    return done;
}

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool collect_addresses(const struct symbolication *symbolication, struct symbol_module *module)
{
    if (module->frame_count == 0)
        return true;
    module->addresses = memory_array(module->frame_count, sizeof *module->addresses);
    if (!module->addresses)
        return false;
    for (size_t i = 0; i < module->frame_count; i++)
        module->addresses[i] = (uint64_t)column_get(&symbolication->raw.frames.address, module->frames[i]);
    qsort(module->addresses, module->frame_count, sizeof *module->addresses, compare_addresses);
    for (size_t i = 0; i < module->frame_count; i++)
        if (i == 0 || module->addresses[i] != module->addresses[module->address_count - 1])
            module->addresses[module->address_count++] = module->addresses[i];
    return true;
}

/* ---- how many samples a module has a part in ---- */

static bool collect_samples(struct symbolication *symbolication, const uint32_t *frame_owners)
{
    size_t count = symbolication->module_count;
    size_t *samples = memory_array(count + 1, sizeof *samples);
    bool done = samples && module_samples_count(symbolication->profile, frame_owners, count, samples);
    for (size_t m = 0; done && m < count; m++)
        symbolication->modules[m].samples = samples[m];
    memory_release(samples);
    return done;
}

/* ---- the whole ---- */

bool modules_collect(struct symbolication *symbolication)
{
    size_t frames = frame_count(&symbolication->raw.frames);
    symbolication->module_count = symbolication->profile->libs.rows.count;
    symbolication->modules = memory_zeroed(symbolication->module_count + 1, sizeof *symbolication->modules);
    symbolication->module_frames = memory_array(frames + 1, sizeof *symbolication->module_frames);
    uint32_t *owners = memory_array(frames + 1, sizeof *owners);
    bool done = symbolication->modules && symbolication->module_frames && owners;
    if (done) {
        module_owners_read(&symbolication->raw.frames, owners);
        group_frames(symbolication, owners, frames);
        done = collect_funcs(symbolication, owners) && collect_samples(symbolication, owners);
    }
    for (size_t m = 0; done && m < symbolication->module_count; m++)
        done = collect_addresses(symbolication, &symbolication->modules[m]);
    memory_release(owners);
    return done;
}

static void drop_answers(struct symbol_module *module)
{
    symbol_answers_free(&module->answers);
    memory_release(module->strings);
    memory_release(module->rows);
    module->answers = (struct symbol_answers){0};
    module->strings = NULL;
    module->rows = NULL;
    module->has_answers = false;
}

void modules_free(struct symbolication *symbolication)
{
    for (size_t m = 0; symbolication->modules && m < symbolication->module_count; m++) {
        drop_answers(&symbolication->modules[m]);
        memory_release(symbolication->modules[m].addresses);
    }
    memory_release(symbolication->modules);
    memory_release(symbolication->module_frames);
    memory_release(symbolication->module_funcs);
}

bool module_take_answers(struct symbolication *symbolication, struct symbol_module *module, struct symbol_answers *answers)
{
    size_t strings = string_table_count(&answers->strings);
    drop_answers(module);
    module->answers = *answers;
    *answers = (struct symbol_answers){0};
    module->strings = memory_array(strings + 1, sizeof *module->strings);
    module->rows = memory_array(module->frame_count + 1, sizeof *module->rows);
    if (!module->strings || !module->rows) {
        drop_answers(module);
        return false;
    }
    memset(module->strings, 0xff, strings * sizeof *module->strings);
    for (size_t i = 0; i < module->frame_count; i++) {
        uint64_t address = (uint64_t)column_get(&symbolication->raw.frames.address, module->frames[i]);
        const struct symbol_answer *found = symbol_answers_find(&module->answers, address);
        bool is_known = found && (string_exists(found->symbol) || string_exists(found->outer.function));
        module->rows[i] = is_known ? (uint32_t)(found - module->answers.rows.items) : INDEX_NONE;
    }
    module->has_answers = module->is_done = true;
    return true;
}
