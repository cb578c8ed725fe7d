#include "capture/markers/marker_types.h"

#include "capture/core/core.h"
#include "capture/core/pages.h"
#include "common/memory.h"

#include <string.h>

_Static_assert((int)SONDE_TEXT == (int)INPUT_TEXT && (int)SONDE_SIGNED == (int)INPUT_SIGNED &&
                   (int)SONDE_UNSIGNED == (int)INPUT_UNSIGNED && (int)SONDE_DOUBLE == (int)INPUT_DOUBLE &&
                   (int)SONDE_BOOLEAN == (int)INPUT_BOOLEAN && (int)SONDE_TIME == (int)INPUT_TIME &&
                   (int)SONDE_FLOW == (int)INPUT_FLOW && (int)SONDE_NS_AS_MS == (int)INPUT_COUNT,
               "the inputs of api.h are those of sessions, and then some");

/* --- what is known ----------------------------------------------------------------------------------------------------- */

enum { TYPES_MAX = 1 << 16 };

/* Guarded by the core lock. */
static struct slice *known; /* whole MARKER_TYPE entries, of the type with the number i + 1; room for TYPES_MAX */
static uint32_t known_count;
_Alignas(4096) static uint8_t scratch[ENTRY_MAX];

static size_t write_known(uint8_t *out, size_t room, const void *type)
{
    const struct slice *entry = type;
    if (entry->length > room)
        return 0;
    memcpy(out, entry->text, entry->length);
    return entry->length;
}

static void say(const struct core_locked *locked, const struct slice *type)
{
    if (active_state(locked))
        kept_put(locked, type->length, write_known, type);
}

void marker_types_begin(const struct core_locked *locked)
{
    for (uint32_t i = 0; i < known_count; i++)
        say(locked, &known[i]);
}

/* --- registering ------------------------------------------------------------------------------------------------------- */

static struct slice text_of(const char *text)
{
    return text ? slice_of(text) : SLICE("");
}

/* Into `scratch`, under the given number. 0 = it cannot be. */
static size_t encode(const struct sonde_marker_type *type, uint32_t number)
{
    if (type->field_count > MARKER_FIELDS_MAX)
        return 0;
    struct marker_type_entry entry = {
        .type = number,
        .name = text_of(type->name),
        .description = text_of(type->look.description),
        .chart_label = text_of(type->look.chart_label),
        .tooltip_label = text_of(type->look.tooltip_label),
        .table_label = text_of(type->look.table_label),
        .colour_field = text_of(type->look.colour_field),
        .display = type->look.display ? slice_of(type->look.display) : SLICE("marker-chart,marker-table"),
        .stack_based = type->look.stack_based,
        .field_count = (uint8_t)type->field_count,
    };
    for (size_t i = 0; i < type->field_count; i++) {
        const struct sonde_field *field = &type->fields[i];
        bool scaled = field->input == SONDE_NS_AS_MS || field->input == SONDE_NS_AS_US;
        entry.fields[i] = (struct marker_field){
            .key = text_of(field->key),
            .label = field->label ? slice_of(field->label) : text_of(field->key),
            .format = text_of(field->format),
            .input = (uint8_t)(scaled ? INPUT_DOUBLE : (enum marker_input)field->input),
            .hidden = field->hidden,
        };
    }
    return entry_write_marker_type(scratch, sizeof scratch, &entry);
}

/* The same type may come again: from another source file, or from a library that was loaded anew. */
static uint32_t find(const struct sonde_marker_type *type)
{
    for (uint32_t i = 0; i < known_count; i++) {
        size_t length = encode(type, i + 1);
        if (slice_equal(known[i], (struct slice){(const char *)scratch, length}))
            return i + 1;
    }
    return 0;
}

static uint32_t add(const struct core_locked *locked, const struct sonde_marker_type *type)
{
    if (!known)
        known = pages_map(TYPES_MAX * sizeof *known);
    size_t length = known_count < TYPES_MAX ? encode(type, known_count + 1) : 0;
    char *kept = known && length > 0 ? memory_array(length, 1) : NULL; /* it stays */
    if (!kept)
        return MARKER_TYPE_UNUSABLE;
    memcpy(kept, scratch, length);
    known[known_count] = (struct slice){kept, length};
    say(locked, &known[known_count]);
    return ++known_count;
}

static uint32_t number_locked(const struct core_locked *locked, struct sonde_marker_type *type)
{
    /* Another thread may have been faster. */
    uint32_t number = __atomic_load_n(&type->id, __ATOMIC_RELAXED);
    if (number == 0) {
        number = find(type);
        if (number == 0)
            number = add(locked, type);
        __atomic_store_n(&type->id, number, __ATOMIC_RELEASE);
    }
    return number;
}

uint32_t marker_type_number(const struct core_locked *locked, struct sonde_marker_type *type)
{
    if (!type)
        return 0;
    /* Acquire: what is recorded under the number comes after the entry that explains it. */
    uint32_t number = __atomic_load_n(&type->id, __ATOMIC_ACQUIRE);
    if (__builtin_expect(number != 0, 1))
        return number;
    if (locked)
        return number_locked(locked, type);
    if (!core_may_lock())
        return MARKER_TYPE_UNUSABLE;
    locked = core_lock();
    number = number_locked(locked, type);
    core_unlock(locked);
    return number;
}

/* --- values ------------------------------------------------------------------------------------------------------------ */

static void value_read(const struct sonde_field *field, const char *at, struct marker_value *value)
{
    switch (field->input) {
    case SONDE_TEXT: {
        const char *text;
        memcpy(&text, at, sizeof text);
        value->input = INPUT_TEXT;
        value->text = text_of(text);
        break;
    }
    case SONDE_BOOLEAN:
        value->input = INPUT_BOOLEAN;
        value->boolean = *at != 0;
        break;
    case SONDE_DOUBLE:
        value->input = INPUT_DOUBLE;
        memcpy(&value->real, at, sizeof value->real);
        break;
    case SONDE_NS_AS_MS:
    case SONDE_NS_AS_US: {
        uint64_t ns;
        memcpy(&ns, at, sizeof ns);
        value->input = INPUT_DOUBLE;
        value->real = (double)ns / (field->input == SONDE_NS_AS_MS ? 1e6 : 1e3);
        break;
    }
    case SONDE_SIGNED:
    case SONDE_UNSIGNED:
    case SONDE_TIME:
    case SONDE_FLOW:
        value->input = (enum marker_input)field->input;
        memcpy(&value->number, at, sizeof value->number);
        break;
    }
}

size_t marker_values_write(const struct sonde_marker_type *type, const void *values, uint8_t *out, size_t room, bool *fits)
{
    size_t used = 0;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct sonde_field *field = &type->fields[i];
        struct marker_value value = {.input = INPUT_COUNT};
        value_read(field, (const char *)values + field->offset, &value);
        size_t length = marker_value_write(out + used, room - used, &value);
        if (length == 0) {
            *fits = false;
            return 0;
        }
        used += length;
    }
    return used;
}

/* --- those that profilers know by these names -------------------------------------------------------------------------- */

static const struct sonde_field text_fields[] = {{"name", "Details", "unique-string", SONDE_TEXT, false, 0}};
static const struct sonde_field tracing_fields[] = {{"category", "Type", "string", SONDE_TEXT, false, 0}};

struct sonde_marker_type marker_type_text = {
    "Text",
    {.chart_label = "{marker.name} - {marker.data.name}", .table_label = "{marker.name} - {marker.data.name}"},
    text_fields,
    1,
    0};
struct sonde_marker_type marker_type_text_stack = {"TextStack",
                                                   {.chart_label = "{marker.name} - {marker.data.name}",
                                                    .table_label = "{marker.name} - {marker.data.name}",
                                                    .stack_based = true},
                                                   text_fields,
                                                   1,
                                                   0};
struct sonde_marker_type marker_type_tracing = {
    "tracing", {.display = "marker-chart,marker-table,timeline-overview"}, tracing_fields, 1, 0};
struct sonde_marker_type marker_type_stack = {"StackMarker", {.stack_based = true}, NULL, 0, 0};
