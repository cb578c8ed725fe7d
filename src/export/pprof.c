/* pprof profiles, which `go tool pprof` and continuous profilers read
 * (https://github.com/google/pprof/blob/main/proto/profile.proto).
 *
 *     sample ──▶ locations, leaf first ──▶ lines, innermost inlined call first ──▶ functions
 *                    └─▶ mappings
 *
 * There is one sample for each stack of a thread that came to something; labels say which thread that was. What was inlined
 * into a frame is in one location with it. A frame without a name is a location without lines, which pprof can look up itself:
 * addresses are those of the module, from a mapping that is said to begin at 0 and to have no end. */
#include "common/map.h"
#include "export/exporter.h"
#include "export/protobuf_writer.h"
#include "profile/module_facts.h"
#include "profile/module_ids.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Numbers of fields, as in profile.proto. */
enum {
    SAMPLE_TYPE = 1,
    SAMPLE,
    MAPPING,
    LOCATION,
    FUNCTION,
    STRING,
    TIME_NANOS = 9,
    PERIOD_TYPE = 11,
    PERIOD,
    DEFAULT_TYPE = 14
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum {
    MAPPING_ID = 1,
    MAPPING_LIMIT = 3,
    MAPPING_FILE = 5,
    MAPPING_BUILD_ID,
    MAPPING_HAS_FUNCTIONS,
    MAPPING_HAS_FILES,
    MAPPING_HAS_LINES,
    MAPPING_HAS_INLINED
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE, LINE_COLUMN };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_START_LINE };

/* A frame and what it was inlined into. */
struct place {
    uint32_t outer; /* INDEX_NONE = not inlined */
    uint32_t frame;
    bool is_used;
};

/* The location of a stack's leaf, and the stack that called it. */
struct stack_place {
    uint32_t location, caller; /* INDEX_NONE = nobody */
};

struct pprof_writer {
    const struct profile *profile;
    const struct pprof_counts *counts;
    struct byte_sink *sink;
    struct error *error;
    struct string_table strings; /* of the file, the first is the empty one */
    VEC(struct place) locations;
    struct map location_rows;   /* by outer and frame */
    struct stack_place *places; /* by stack */
    uint8_t *lib_lacks_names;   /* by lib: some frame of it has no name */
    uint8_t *func_is_used;      /* by func */
    double **values;            /* by type: by stack, of one thread */
    VEC(uint64_t) numbers;      /* being put together */
    struct text_buffer message, part;
};

static bool write_message(struct pprof_writer *writer, unsigned field, struct text_buffer *message)
{
    struct text_buffer whole = {0};
    protobuf_put_bytes(&whole, field, text_slice(message));
    if (message->failed || whole.failed)
        error_out_of_memory(writer->error);
    else
        byte_sink_write(writer->sink, text_slice(&whole), writer->error);
    text_free(&whole);
    text_cut(message, 0);
    return writer->error->code == 0;
}

/* Its number in the file; 0, the empty text, also when the heap is empty, which `error` says. */
static uint64_t string_number(struct pprof_writer *writer, struct slice text)
{
    struct string_index string = string_table_add(&writer->strings, text);
    if (string_exists(string))
        return string.i;
    error_out_of_memory(writer->error);
    return 0;
}

static uint64_t profile_string_number(struct pprof_writer *writer, struct string_index string)
{
    return string_number(writer, profile_text(writer->profile, string));
}

/* ---- stacks ---- */

/* Whether the frame was inlined into that of its caller. */
static bool is_inlined(const struct frame *frame, const struct frame *caller)
{
    return frame->inline_depth > 0 && frame->inline_depth == caller->inline_depth + 1 && frame->address != COLUMN_ABSENT &&
           frame->address == caller->address && frame->lib.i == caller->lib.i;
}

static uint32_t add_location(struct pprof_writer *writer, uint32_t outer, uint32_t frame)
{
    uint64_t hash = hash_combine(outer, frame);
    uint32_t row;
    for (struct map_probe probe = map_probe(&writer->location_rows, hash); map_probe_next(&probe, &row);)
        if (writer->locations.items[row].outer == outer && writer->locations.items[row].frame == frame)
            return row;
    row = (uint32_t)writer->locations.count;
    struct place location = {outer, frame, false};
    return map_insert(&writer->location_rows, hash, row) && vec_push(&writer->locations, location) ? row : INDEX_NONE;
}

static bool place_stacks(struct pprof_writer *writer)
{
    const struct profile *profile = writer->profile;
    for (uint32_t i = 0; i < stack_count(&profile->stacks); i++) {
        struct stack_index caller = stack_prefix(&profile->stacks, stack_at(i));
        struct frame_index index = stack_frame(&profile->stacks, stack_at(i));
        struct stack_place place = {INDEX_NONE, caller.i};
        uint32_t outer = INDEX_NONE;
        struct frame frame = frame_table_get(&profile->frames, index);
        if (frame.inline_depth > 0 && stack_exists(caller)) {
            struct frame calling = frame_table_get(&profile->frames, stack_frame(&profile->stacks, caller));
            if (is_inlined(&frame, &calling)) {
                outer = writer->places[caller.i].location;
                place.caller = writer->places[caller.i].caller;
            }
        }
        place.location = add_location(writer, outer, index.i);
        if (place.location == INDEX_NONE)
            return false;
        writer->places[i] = place;
    }
    return true;
}

/* ---- samples ---- */

static bool write_label(struct pprof_writer *writer, const char *key, struct string_index value)
{
    struct slice text = profile_text(writer->profile, value);
    char *end = NULL;
    if (text.length == 0)
        return true;
    text_cut(&writer->part, 0);
    protobuf_put_number(&writer->part, LABEL_KEY, string_number(writer, slice_of(key)));
    errno = 0;
    long long number = strtoll(text.text, &end, 10);
    if (errno == 0 && end == text.text + text.length && number > 0)
        protobuf_put_number(&writer->part, LABEL_NUMBER, (uint64_t)number);
    else
        protobuf_put_number(&writer->part, LABEL_TEXT, string_number(writer, text));
    protobuf_put_bytes(&writer->message, SAMPLE_LABEL, text_slice(&writer->part));
    return !writer->part.failed && writer->error->code == 0;
}

/* False where it comes to nothing. */
static bool put_values(struct pprof_writer *writer, uint32_t stack)
{
    bool any = false;
    writer->numbers.count = 0;
    for (size_t type = 0; type < writer->counts->type_count; type++) {
        double value = writer->values[type][stack];
        int64_t whole = fabs(value) < 9e18 ? llround(value) : 0;
        any |= whole != 0;
        if (!vec_push(&writer->numbers, (uint64_t)whole))
            error_out_of_memory(writer->error);
    }
    if (any)
        protobuf_put_packed(&writer->message, SAMPLE_VALUE, writer->numbers.items, writer->numbers.count);
    return any && writer->error->code == 0;
}

static bool put_locations(struct pprof_writer *writer, uint32_t stack)
{
    writer->numbers.count = 0;
    for (uint32_t at = stack; at != INDEX_NONE; at = writer->places[at].caller) {
        writer->locations.items[writer->places[at].location].is_used = true;
        if (!vec_push(&writer->numbers, writer->places[at].location + 1))
            return false;
    }
    protobuf_put_packed(&writer->message, SAMPLE_LOCATION, writer->numbers.items, writer->numbers.count);
    return true;
}

static int write_thread(struct pprof_writer *writer, size_t number)
{
    const struct thread *thread = &writer->profile->threads.items[number];
    const struct pprof_counts *counts = writer->counts;
    for (size_t type = 0; type < counts->type_count; type++)
        if (counts->count(counts->data, thread_at(number), type, writer->values[type], writer->error))
            return writer->error->code;
    for (uint32_t stack = 0; stack < stack_count(&writer->profile->stacks); stack++) {
        text_cut(&writer->message, 0);
        if (!put_values(writer, stack)) {
            if (writer->error->code)
                return writer->error->code;
            continue;
        }
        bool ok = put_locations(writer, stack) && write_label(writer, "thread", thread->name) &&
                  write_label(writer, "tid", thread->tid) && write_label(writer, "process", thread->process_name) &&
                  write_label(writer, "pid", thread->pid);
        if (!ok)
            return error_out_of_memory(writer->error);
        if (!write_message(writer, SAMPLE, &writer->message))
            return writer->error->code;
    }
    return 0;
}

/* ---- what samples refer to ---- */

static bool is_address(const struct pprof_writer *writer, const struct frame *frame)
{
    struct slice name = profile_text(writer->profile, func_name(&writer->profile->funcs, frame->func));
    return frame->address != COLUMN_ABSENT && lib_exists(frame->lib) && module_name_is_address(name);
}

static void put_line(struct pprof_writer *writer, const struct frame *frame)
{
    text_cut(&writer->part, 0);
    protobuf_put_number(&writer->part, LINE_FUNCTION, (uint64_t)frame->func.i + 1);
    if (frame->line != INDEX_NONE)
        protobuf_put_number(&writer->part, LINE_LINE, frame->line);
    if (frame->column != INDEX_NONE)
        protobuf_put_number(&writer->part, LINE_COLUMN, frame->column);
    protobuf_put_bytes(&writer->message, LOCATION_LINE, text_slice(&writer->part));
    writer->func_is_used[frame->func.i] = 1;
}

static bool write_location(struct pprof_writer *writer, size_t row)
{
    struct frame frame = frame_table_get(&writer->profile->frames, frame_at(writer->locations.items[row].frame));
    text_cut(&writer->message, 0);
    protobuf_put_number(&writer->message, LOCATION_ID, row + 1);
    if (lib_exists(frame.lib) && frame.address != COLUMN_ABSENT) {
        protobuf_put_number(&writer->message, LOCATION_MAPPING, (uint64_t)frame.lib.i + 1);
        protobuf_put_number(&writer->message, LOCATION_ADDRESS, (uint64_t)frame.address);
    }
    for (size_t at = row; at != INDEX_NONE; at = writer->locations.items[at].outer) {
        struct frame part = frame_table_get(&writer->profile->frames, frame_at(writer->locations.items[at].frame));
        if (is_address(writer, &part))
            writer->lib_lacks_names[part.lib.i] = 1;
        else
            put_line(writer, &part);
    }
    return write_message(writer, LOCATION, &writer->message);
}

static bool write_function(struct pprof_writer *writer, size_t row)
{
    const struct profile *profile = writer->profile;
    struct func func = func_table_get(&profile->funcs, func_at(row));
    uint64_t name = profile_string_number(writer, func.name);
    text_cut(&writer->message, 0);
    protobuf_put_number(&writer->message, FUNCTION_ID, row + 1);
    protobuf_put_number(&writer->message, FUNCTION_NAME, name);
    protobuf_put_number(&writer->message, FUNCTION_SYSTEM_NAME, name);
    if (source_exists(func.source))
        protobuf_put_number(&writer->message, FUNCTION_FILE,
                            profile_string_number(writer, profile->sources.rows.items[func.source.i].filename));
    if (func.line != INDEX_NONE)
        protobuf_put_number(&writer->message, FUNCTION_START_LINE, func.line);
    return writer->error->code == 0 && write_message(writer, FUNCTION, &writer->message);
}

static bool write_mapping(struct pprof_writer *writer, size_t row)
{
    const struct lib *lib = &writer->profile->libs.rows.items[row];
    char bytes[MODULE_ID_BYTES], digits[2 * MODULE_ID_BYTES + 1];
    struct slice build_id =
        module_build_id(profile_text(writer->profile, lib->code_id), profile_text(writer->profile, lib->breakpad_id), bytes);
    struct string_index path = profile_text(writer->profile, lib->path).length > 0 ? lib->path : lib->name;
    text_cut(&writer->message, 0);
    protobuf_put_number(&writer->message, MAPPING_ID, row + 1);
    protobuf_put_number(&writer->message, MAPPING_LIMIT, UINT64_MAX);
    protobuf_put_number(&writer->message, MAPPING_FILE, profile_string_number(writer, path));
    if (build_id.length > 0)
        protobuf_put_number(&writer->message, MAPPING_BUILD_ID, string_number(writer, module_code_id(build_id, digits)));
    for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINED && !writer->lib_lacks_names[row]; field++)
        protobuf_put_number(&writer->message, field, 1);
    return writer->error->code == 0 && write_message(writer, MAPPING, &writer->message);
}

/* The module with that name; SIZE_MAX = none. */
static size_t find_module(const struct profile *profile, struct string_index name)
{
    for (size_t i = 0; i < profile->libs.rows.count; i++)
        if (string_exists(name) && string_same(profile->libs.rows.items[i].name, name))
            return i;
    return SIZE_MAX;
}

static bool is_library(const struct profile *profile, const struct lib *lib)
{
    struct slice name = profile_text(profile, lib->name);
    return slice_ends_with(name, SLICE(".so")) || memmem(name.text, name.length, ".so.", 4) || slice_is(name, "[vdso]");
}

/* pprof takes the first mapping for the program. Of several processes that is the first one that has its name from a module: a
 * shell is called by what it runs, and may have no samples of its own. */
static size_t main_module(const struct profile *profile)
{
    for (size_t i = 0; i < profile->threads.count; i++) {
        size_t found = find_module(profile, profile->threads.items[i].process_name);
        if (found != SIZE_MAX)
            return found;
    }
    for (size_t i = 0; i < profile->libs.rows.count; i++)
        if (!is_library(profile, &profile->libs.rows.items[i]))
            return i;
    return 0;
}

static bool write_mappings(struct pprof_writer *writer)
{
    size_t count = writer->profile->libs.rows.count, first = main_module(writer->profile);
    bool ok = count == 0 || write_mapping(writer, first);
    for (size_t i = 0; ok && i < count; i++)
        ok = i == first || write_mapping(writer, i);
    return ok;
}

static bool write_strings(struct pprof_writer *writer)
{
    bool ok = true;
    for (size_t i = 0; ok && i < string_table_count(&writer->strings); i++) {
        struct slice text = string_table_get(&writer->strings, string_at(i));
        text_cut(&writer->message, 0);
        text_add(&writer->message, text);
        ok = write_message(writer, STRING, &writer->message);
    }
    return ok;
}

/* ---- the profile ---- */

static bool write_type(struct pprof_writer *writer, unsigned field, const struct pprof_type_name *type)
{
    text_cut(&writer->message, 0);
    protobuf_put_number(&writer->message, TYPE_NAME, string_number(writer, slice_of(type->name)));
    protobuf_put_number(&writer->message, TYPE_UNIT, string_number(writer, slice_of(type->unit)));
    return writer->error->code == 0 && write_message(writer, field, &writer->message);
}

/* What stands by itself, not in a message. */
static bool write_numbers(struct pprof_writer *writer)
{
    const struct profile *profile = writer->profile;
    struct text_buffer numbers = {0};
    double start = profile->meta.start_time * 1e6, period = profile->meta.interval * 1e6;
    if (profile_start_is_date(profile) && start < 9e18)
        protobuf_put_number(&numbers, TIME_NANOS, (uint64_t)llround(start));
    if (period > 0 && period < 9e18)
        protobuf_put_number(&numbers, PERIOD, (uint64_t)llround(period));
    protobuf_put_number(&numbers, DEFAULT_TYPE,
                        string_number(writer, slice_of(writer->counts->types[writer->counts->default_type].name)));
    if (numbers.failed)
        error_out_of_memory(writer->error);
    else if (writer->error->code == 0)
        byte_sink_write(writer->sink, text_slice(&numbers), writer->error);
    text_free(&numbers);
    return writer->error->code == 0;
}

static bool write_all(struct pprof_writer *writer)
{
    static const struct pprof_type_name period = {"cpu", "nanoseconds"};
    const struct profile *profile = writer->profile;
    bool ok = string_number(writer, SLICE("")) == 0 && writer->error->code == 0;
    for (size_t i = 0; ok && i < writer->counts->type_count; i++)
        ok = write_type(writer, SAMPLE_TYPE, &writer->counts->types[i]);
    for (size_t i = 0; ok && i < profile->threads.count; i++)
        ok = write_thread(writer, i) == 0;
    for (size_t i = 0; ok && i < writer->locations.count; i++)
        ok = !writer->locations.items[i].is_used || write_location(writer, i);
    for (size_t i = 0; ok && i < profile_func_count(profile); i++)
        ok = !writer->func_is_used[i] || write_function(writer, i);
    return ok && write_mappings(writer) && write_type(writer, PERIOD_TYPE, &period) && write_numbers(writer) &&
           write_strings(writer);
}

static bool make_room(struct pprof_writer *writer)
{
    size_t stacks = stack_count(&writer->profile->stacks) + 1, types = writer->counts->type_count;
    writer->places = memory_array(stacks, sizeof *writer->places);
    writer->lib_lacks_names = memory_zeroed(writer->profile->libs.rows.count + 1, 1);
    writer->func_is_used = memory_zeroed(profile_func_count(writer->profile) + 1, 1);
    writer->values = memory_zeroed(types + 1, sizeof *writer->values);
    bool ok = writer->places && writer->lib_lacks_names && writer->func_is_used && writer->values;
    for (size_t i = 0; ok && i < types; i++)
        ok = (writer->values[i] = memory_array(stacks, sizeof **writer->values)) != NULL;
    return ok;
}

static void pprof_writer_free(struct pprof_writer *writer)
{
    string_table_free(&writer->strings);
    vec_free(&writer->locations);
    map_free(&writer->location_rows);
    for (size_t i = 0; writer->values && i < writer->counts->type_count; i++)
        memory_release(writer->values[i]);
    memory_release(writer->values);
    memory_release(writer->places);
    memory_release(writer->lib_lacks_names);
    memory_release(writer->func_is_used);
    vec_free(&writer->numbers);
    text_free(&writer->message);
    text_free(&writer->part);
}

int export_pprof(const struct profile *profile, const struct pprof_counts *counts, struct byte_sink *sink, struct error *error)
{
    struct pprof_writer writer = {.profile = profile, .counts = counts, .sink = sink, .error = error};
    if (!make_room(&writer) || !place_stacks(&writer))
        error_out_of_memory(error);
    else
        write_all(&writer);
    pprof_writer_free(&writer);
    return error->code;
}
