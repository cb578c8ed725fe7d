#include "profile/module_facts.h"

#include "profile/module_samples.h"

#include <ctype.h>

bool module_name_is_address(struct slice name)
{
    if (!slice_starts_with(name, SLICE("0x")) || name.length == 2)
        return false;
    for (size_t i = 2; i < name.length; i++)
        if (!isxdigit((unsigned char)name.text[i]))
            return false;
    return true;
}

/* ---- what is noted of it ---- */

static const uint8_t *find(const struct profile *profile, const uint8_t *object, struct slice key)
{
    return object ? value_find(object, string_table_find(&profile->strings, key)) : NULL;
}

/* The packed array of `meta.sonde.symbols`; null where nothing is noted. */
static struct value find_notes(const struct profile *profile)
{
    const struct value_bytes *meta = &profile->meta.whole;
    const uint8_t *own = meta->bytes.count > 0 ? find(profile, meta->bytes.items, SLICE("sonde")) : NULL;
    const uint8_t *notes = find(profile, own, SLICE("symbols"));
    return notes ? value_read(notes) : (struct value){.kind = VALUE_NULL};
}

static struct slice find_text(const struct profile *profile, const uint8_t *object, struct slice key)
{
    const uint8_t *at = find(profile, object, key);
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_STRING ? profile_text(profile, value.string) : SLICE("");
}

/* As in symbols/request.h; those up to `exports-only` are of a file that was found. */
static const char *const statuses[] = {"full", "names-only", "exports-only", "none", "no-file", "other-build", "damaged"};
enum { STATUS_FOUND = 3, STATUSES = sizeof statuses / sizeof *statuses };

/* What is noted may contradict the frames: a module that was not found may have its names from elsewhere. */
static void take_note(const struct profile *profile, struct value notes, const struct lib *lib, struct module_facts *facts)
{
    const uint8_t *at = notes.rest;
    for (uint32_t i = 0; notes.kind == VALUE_ARRAY && i < notes.count; i++, at = value_skip(at)) {
        if (!slice_equal(find_text(profile, at, SLICE("name")), profile_text(profile, lib->name)) ||
            !slice_equal(find_text(profile, at, SLICE("debugId")), profile_text(profile, lib->breakpad_id)))
            continue;
        struct slice status = find_text(profile, at, SLICE("status"));
        size_t which = 0;
        while (which < STATUSES && !slice_equal(status, slice_of(statuses[which])))
            which++;
        facts->is_noted = which < STATUSES;
        if (facts->is_noted && (!facts->has_names || which < STATUS_FOUND)) {
            facts->status = status;
            facts->detail = find_text(profile, at, SLICE("detail"));
        }
        return;
    }
}

/* ---- what its frames look like ---- */

/* `bare` gets 0 for frames that are named after their address, INDEX_NONE for all others. */
static void look_at_frames(const struct profile *profile, const uint32_t *owners, uint32_t *bare, struct profile_facts *facts)
{
    for (size_t i = 0; i < frame_count(&profile->frames); i++) {
        uint32_t lib = column_get_index(&profile->frames.lib, i);
        struct slice name = profile_text(profile, func_name(&profile->funcs, frame_func(&profile->frames, frame_at(i))));
        bool is_address = module_name_is_address(name);
        bare[i] = is_address ? 0 : INDEX_NONE;
        if (lib >= facts->modules.count)
            continue;
        struct module_facts *module = &facts->modules.items[lib];
        bool has_line = column_get(&profile->frames.line, i) != COLUMN_ABSENT;
        module->frames += owners[i] == lib;
        module->has_names |= !is_address;
        if (has_line || (!is_address && module->status.length == 0))
            module->status = has_line ? SLICE("full") : SLICE("names-only");
    }
    for (size_t m = 0; m < facts->modules.count; m++)
        if (!facts->modules.items[m].has_names)
            facts->modules.items[m].status = SLICE("none");
}

static size_t count_samples(const struct profile *profile)
{
    size_t samples = 0;
    for (size_t t = 0; t < profile->threads.count; t++) {
        const struct column *stacks = &profile->threads.items[t].samples.stack;
        for (size_t i = 0; i < column_count(stacks); i++)
            samples += column_get(stacks, i) != COLUMN_ABSENT;
    }
    return samples;
}

/* ---- all of it ---- */

static bool collect(const struct profile *profile, uint32_t *owners, uint32_t *bare, size_t *samples,
                    struct profile_facts *facts)
{
    struct value notes = find_notes(profile);
    size_t count = profile->libs.rows.count;
    if (!vec_reserve(&facts->modules, count))
        return false;
    for (size_t m = 0; m < count; m++)
        facts->modules.items[facts->modules.count++] = (struct module_facts){0};
    module_owners_read(&profile->frames, owners);
    look_at_frames(profile, owners, bare, facts);
    facts->samples = count_samples(profile);
    if (!module_samples_count(profile, owners, count, samples) || !module_samples_count(profile, bare, 1, &facts->unnamed))
        return false;
    for (size_t m = 0; m < count; m++) {
        facts->modules.items[m].samples = samples[m];
        take_note(profile, notes, &profile->libs.rows.items[m], &facts->modules.items[m]);
    }
    return true;
}

bool profile_facts_collect(const struct profile *profile, struct profile_facts *facts)
{
    size_t frames = frame_count(&profile->frames);
    uint32_t *owners = memory_array(frames + 1, sizeof *owners), *bare = memory_array(frames + 1, sizeof *bare);
    size_t *samples = memory_array(profile->libs.rows.count + 1, sizeof *samples);
    *facts = (struct profile_facts){0};
    bool done = owners && bare && samples && collect(profile, owners, bare, samples, facts);
    memory_release(owners);
    memory_release(bare);
    memory_release(samples);
    return done;
}

void profile_facts_free(struct profile_facts *facts)
{
    vec_free(&facts->modules);
}
