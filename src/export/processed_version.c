/* Which version of the processed format a profile is written in: the oldest that can hold it.
 *
 * 60 is the first version with tables that all threads share, as the profile has them; older ones would need every table cut
 * into one for each thread. Each thing a profile has that 60 has no place for, or that readers of 60 would change when they
 * bring it to their own version, asks for a later one:
 *
 *     61   sources that start elsewhere than at 1:1, or have a source map
 *     62   counters with a display of their own, 63 with rows of tooltips
 *     64   original locations, contents of sources
 *     69   a schema "Network" that is deliberately not in the network track
 *     70   frames whose library is not the one of their func's resource
 *
 * What came after 70 is other ways to write the same things, and remarks in schemas that readers of older versions pass
 * over, so no profile needs more. */
#include "export/processed_writer.h"

static int sources_need(const struct profile *profile)
{
    int version = PROCESSED_SHARED_TABLES;
    for (size_t i = 0; i < profile->sources.rows.count; i++) {
        const struct source *source = &profile->sources.rows.items[i];
        if (string_exists(source->content))
            return PROCESSED_LOCATIONS;
        if (source->start_line != 1 || source->start_column != 1 || string_exists(source->source_map_url))
            version = PROCESSED_SOURCE_IDS;
    }
    return profile->locations.rows.count > 0 ? PROCESSED_LOCATIONS : version;
}

static bool array_has_text(const struct profile *profile, const uint8_t *array, struct slice text)
{
    struct value value = array ? value_read(array) : (struct value){.kind = VALUE_NULL};
    const uint8_t *at = value.rest;
    for (uint32_t i = 0; value.kind == VALUE_ARRAY && i < value.count; i++, at = value_skip(at))
        if (value_read(at).kind == VALUE_STRING && slice_equal(profile_text(profile, value_read(at).string), text))
            return true;
    return false;
}

static int schemas_need(const struct profile *profile)
{
    struct string_index display = string_table_find(&profile->strings, SLICE("display"));
    for (size_t i = 0; i < profile->schemas.rows.count; i++) {
        const struct marker_schema *schema = &profile->schemas.rows.items[i];
        const uint8_t *places = value_find(schema->whole.bytes.items, display);
        if (places && slice_is(profile_text(profile, schema->name), "Network") &&
            !array_has_text(profile, places, SLICE("timeline-network")))
            return PROCESSED_TIMELINE_NETWORK;
    }
    return PROCESSED_SHARED_TABLES;
}

/* Fills `libs`, by resource; false where the frames of a resource do not agree. */
static bool libs_of_resources(const struct profile *profile, uint32_t *libs)
{
    enum { UNSEEN = INDEX_NONE - 1 };
    bool agree = true;
    for (size_t i = 0; i < profile->resources.rows.count; i++)
        libs[i] = UNSEEN;
    for (size_t i = 0; i < frame_count(&profile->frames) && agree; i++) {
        struct resource_index resource = func_resource(&profile->funcs, frame_func(&profile->frames, frame_at(i)));
        uint32_t lib = column_get_index(&profile->frames.lib, i);
        if (!resource_exists(resource))
            agree = lib == INDEX_NONE;
        else if (libs[resource.i] == UNSEEN)
            libs[resource.i] = lib;
        else
            agree = libs[resource.i] == lib;
    }
    for (size_t i = 0; i < profile->resources.rows.count; i++)
        if (libs[i] == UNSEEN)
            libs[i] = INDEX_NONE;
    return agree;
}

static int later(int a, int b)
{
    return a > b ? a : b;
}

int processed_choose_version(struct processed_writer *out)
{
    const struct profile *profile = out->profile;
    int version = later(sources_need(profile), schemas_need(profile));
    for (size_t i = 0; i < profile->counters.rows.count; i++) {
        int needed;
        if (counter_display_version(profile, &profile->counters.rows.items[i], &needed, out->error))
            return out->error->code;
        version = later(version, needed);
    }
    out->resource_libs = memory_array(profile->resources.rows.count + 1, sizeof *out->resource_libs);
    if (!out->resource_libs)
        return error_out_of_memory(out->error);
    if (!libs_of_resources(profile, out->resource_libs))
        version = PROCESSED_FRAME_LIB;
    out->version = version;
    return 0;
}
