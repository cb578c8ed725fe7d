#include "import/pprof_file.h"

#include "common/indexed.h"
#include "import/protobuf.h"

#include <errno.h>
#include <inttypes.h>

/* Numbers of fields, as in profile.proto. */
enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_MAPPING,
    PROFILE_LOCATION,
    PROFILE_FUNCTION,
    PROFILE_STRING,
    PROFILE_DROP_FRAMES,
    PROFILE_KEEP_FRAMES,
    PROFILE_TIME_NANOS,
    PROFILE_DURATION_NANOS,
    PROFILE_PERIOD_TYPE,
    PROFILE_PERIOD,
    PROFILE_COMMENT,
    PROFILE_DEFAULT_SAMPLE_TYPE,
    PROFILE_DOC_URL,
    PROFILE_FIELDS
};
enum { TYPE_NAME = 1, TYPE_UNIT, TYPE_FIELDS };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_FIELDS };
enum { MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_BUILD_ID, MAPPING_FIELDS };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE, LOCATION_FIELDS };
enum { LINE_FUNCTION = 1, LINE_LINE, LINE_COLUMN, LINE_FIELDS };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_START_LINE, FUNCTION_FIELDS };

/* ---- recognising ---- */

/* The indices of one or two strings, and nothing else. */
static bool is_value_type(struct slice message)
{
    size_t at = 0;
    uint64_t last = 0;
    for (struct protobuf_field field; at < message.length; last = field.field)
        if (!protobuf_next(message, &at, &field) || field.wire != PROTOBUF_NUMBER || field.field <= last ||
            field.field >= TYPE_FIELDS)
            return false;
    return last > 0;
}

/* All fields in view are those of a profile, in any order; the first messages are types of samples, or the period's. */
bool pprof_recognise(struct slice start)
{
    static const uint32_t messages = 1 << PROFILE_SAMPLE_TYPE | 1 << PROFILE_SAMPLE | 1 << PROFILE_MAPPING |
                                     1 << PROFILE_LOCATION | 1 << PROFILE_FUNCTION | 1 << PROFILE_STRING |
                                     1 << PROFILE_PERIOD_TYPE | 1 << PROFILE_COMMENT;
    static const uint32_t numbers = 1 << PROFILE_DROP_FRAMES | 1 << PROFILE_KEEP_FRAMES | 1 << PROFILE_TIME_NANOS |
                                    1 << PROFILE_DURATION_NANOS | 1 << PROFILE_PERIOD | 1 << PROFILE_COMMENT |
                                    1 << PROFILE_DEFAULT_SAMPLE_TYPE | 1 << PROFILE_DOC_URL;
    enum { LONGEST_NUMBER = 10 };
    bool has_type = false;
    size_t at = 0;
    if (!protobuf_is_binary(start))
        return false;
    for (struct protobuf_field field; at < start.length;) {
        if (!protobuf_next(start, &at, &field))
            return has_type && start.length - at < 2 * LONGEST_NUMBER;
        if (field.field >= PROFILE_FIELDS ||
            !((field.wire == PROTOBUF_NUMBER ? numbers : messages) & UINT32_C(1) << field.field))
            return false;
        bool is_type = field.field == PROFILE_SAMPLE_TYPE || field.field == PROFILE_PERIOD_TYPE;
        if (is_type && !field.is_cut && !is_value_type(field.bytes))
            return false;
        has_type |= is_type;
        if (!has_type && field.wire == PROTOBUF_BYTES)
            return false;
    }
    return has_type;
}

/* ---- messages ---- */

static int refuse(const struct pprof_file *file, struct slice message, size_t at, const char *what, struct error *error)
{
    return error_set(error, -EINVAL, "byte %zu: %s", (size_t)(message.text - file->bytes.items) + at, what);
}

/* False at the end of the message, and where it is damaged, which fills `error`. */
static bool next_field(const struct pprof_file *file, struct slice message, size_t *at, struct protobuf_field *field,
                       struct error *error)
{
    if (*at >= message.length)
        return false;
    size_t start = *at;
    if (protobuf_next(message, at, field) && !field->is_cut)
        return true;
    refuse(file, message, start, "the pprof profile is damaged or cut off here", error);
    return false;
}

/* The numbers of a message: numbers[n] that of field n, 0 where there is none. */
static bool read_numbers(const struct pprof_file *file, struct slice message, uint64_t *numbers, size_t count,
                         struct error *error)
{
    struct protobuf_field field;
    memset(numbers, 0, count * sizeof *numbers);
    for (size_t at = 0; next_field(file, message, &at, &field, error);)
        if (field.field < count && field.wire == PROTOBUF_NUMBER)
            numbers[field.field] = field.number;
    return error->code == 0;
}

/* Texts are checked once all are known. */
static uint32_t text_index(uint64_t number)
{
    return number < INDEX_NONE ? (uint32_t)number : INDEX_NONE;
}

static bool ids_add(struct pprof_ids *ids, uint64_t id)
{
    size_t row = ids->of_row.count;
    return row < INDEX_NONE && vec_push(&ids->of_row, id) && map_insert(&ids->rows, hash_u64(id), (uint32_t)row);
}

static uint32_t ids_find(const struct pprof_ids *ids, uint64_t id)
{
    uint32_t row;
    /* Most count up from 1. */
    if (id - 1 < ids->of_row.count && ids->of_row.items[id - 1] == id)
        return (uint32_t)(id - 1);
    for (struct map_probe probe = map_probe(&ids->rows, hash_u64(id)); map_probe_next(&probe, &row);)
        if (ids->of_row.items[row] == id)
            return row;
    return INDEX_NONE;
}

static bool read_type(const struct pprof_file *file, struct slice message, struct pprof_type *type, struct error *error)
{
    uint64_t numbers[TYPE_FIELDS];
    if (!read_numbers(file, message, numbers, TYPE_FIELDS, error))
        return false;
    *type = (struct pprof_type){text_index(numbers[TYPE_NAME]), text_index(numbers[TYPE_UNIT])};
    return true;
}

static int add_type(struct pprof_file *file, struct slice message, struct error *error)
{
    struct pprof_type type;
    if (!read_type(file, message, &type, error))
        return error->code;
    return vec_push(&file->types, type) ? 0 : error_out_of_memory(error);
}

static int add_mapping(struct pprof_file *file, struct slice message, struct error *error)
{
    uint64_t numbers[MAPPING_FIELDS];
    if (!read_numbers(file, message, numbers, MAPPING_FIELDS, error))
        return error->code;
    struct pprof_mapping mapping = {
        .start = numbers[MAPPING_START],
        .limit = numbers[MAPPING_LIMIT],
        .offset = numbers[MAPPING_OFFSET],
        .file = text_index(numbers[MAPPING_FILE]),
        .build_id = text_index(numbers[MAPPING_BUILD_ID]),
    };
    bool ok = ids_add(&file->mapping_ids, numbers[MAPPING_ID]) && vec_push(&file->mappings, mapping);
    return ok ? 0 : error_out_of_memory(error);
}

static int add_function(struct pprof_file *file, struct slice message, struct error *error)
{
    uint64_t numbers[FUNCTION_FIELDS];
    if (!read_numbers(file, message, numbers, FUNCTION_FIELDS, error))
        return error->code;
    struct pprof_function function = {
        .name = text_index(numbers[FUNCTION_NAME]),
        .system_name = text_index(numbers[FUNCTION_SYSTEM_NAME]),
        .file = text_index(numbers[FUNCTION_FILE]),
        .start_line = (int64_t)numbers[FUNCTION_START_LINE],
    };
    bool ok = ids_add(&file->function_ids, numbers[FUNCTION_ID]) && vec_push(&file->functions, function);
    return ok ? 0 : error_out_of_memory(error);
}

/* Functions may come after the locations that name them: ids become rows at the end. */
static int add_line(struct pprof_file *file, struct slice message, struct error *error)
{
    uint64_t numbers[LINE_FIELDS];
    if (!read_numbers(file, message, numbers, LINE_FIELDS, error))
        return error->code;
    struct pprof_line line = {
        .function = numbers[LINE_FUNCTION],
        .line = (int64_t)numbers[LINE_LINE],
        .column = (int64_t)numbers[LINE_COLUMN],
    };
    return vec_push(&file->lines, line) ? 0 : error_out_of_memory(error);
}

static int add_location(struct pprof_file *file, struct slice message, struct error *error)
{
    uint64_t numbers[LOCATION_FIELDS];
    struct protobuf_field field;
    size_t first = file->lines.count;
    if (!read_numbers(file, message, numbers, LOCATION_FIELDS, error))
        return error->code;
    for (size_t at = 0; next_field(file, message, &at, &field, error);)
        if (field.field == LOCATION_LINE && field.wire == PROTOBUF_BYTES && add_line(file, field.bytes, error))
            return error->code;
    struct pprof_location location = {
        .mapping = numbers[LOCATION_MAPPING],
        .address = numbers[LOCATION_ADDRESS],
        .first_line = (uint32_t)first,
        .line_count = (uint32_t)(file->lines.count - first),
    };
    bool ok = file->lines.count < INDEX_NONE && ids_add(&file->location_ids, numbers[LOCATION_ID]) &&
              vec_push(&file->locations, location);
    return ok ? 0 : error_out_of_memory(error);
}

/* ---- the profile ---- */

static int take_number(struct pprof_file *file, const struct protobuf_field *field)
{
    if (field->field == PROFILE_TIME_NANOS)
        file->time_ns = (int64_t)field->number;
    else if (field->field == PROFILE_DURATION_NANOS)
        file->duration_ns = (int64_t)field->number;
    else if (field->field == PROFILE_PERIOD)
        file->period = (int64_t)field->number;
    else if (field->field == PROFILE_DEFAULT_SAMPLE_TYPE)
        file->default_type = text_index(field->number);
    return 0;
}

static int take_field(struct pprof_file *file, const struct protobuf_field *field, struct error *error)
{
    if (field->wire == PROTOBUF_NUMBER)
        return take_number(file, field);
    switch (field->field) {
    case PROFILE_SAMPLE_TYPE:
        return add_type(file, field->bytes, error);
    case PROFILE_PERIOD_TYPE:
        return read_type(file, field->bytes, &file->period_type, error) ? 0 : error->code;
    case PROFILE_MAPPING:
        return add_mapping(file, field->bytes, error);
    case PROFILE_LOCATION:
        return add_location(file, field->bytes, error);
    case PROFILE_FUNCTION:
        return add_function(file, field->bytes, error);
    case PROFILE_SAMPLE:
        return vec_push(&file->samples, field->bytes) ? 0 : error_out_of_memory(error);
    case PROFILE_STRING:
        return vec_push(&file->texts, field->bytes) ? 0 : error_out_of_memory(error);
    default:
        break;
    }
    return 0;
}

static bool has_text(const struct pprof_file *file, uint32_t text)
{
    return text < file->texts.count;
}

/* What a message says must be there. */
static int check_mappings(const struct pprof_file *file, struct error *error)
{
    for (size_t i = 0; i < file->mappings.count; i++)
        if (!has_text(file, file->mappings.items[i].file) || !has_text(file, file->mappings.items[i].build_id))
            return error_set(error, -EINVAL, "mapping %zu has a text that is not in the string table", i);
    return 0;
}

static int check_functions(const struct pprof_file *file, struct error *error)
{
    for (size_t i = 0; i < file->functions.count; i++) {
        struct pprof_function function = file->functions.items[i];
        if (!has_text(file, function.name) || !has_text(file, function.system_name) || !has_text(file, function.file))
            return error_set(error, -EINVAL, "function %zu has a text that is not in the string table", i);
    }
    return 0;
}

static int check_types(const struct pprof_file *file, struct error *error)
{
    for (size_t i = 0; i < file->types.count; i++)
        if (!has_text(file, file->types.items[i].name) || !has_text(file, file->types.items[i].unit))
            return error_set(error, -EINVAL, "sample type %zu has a text that is not in the string table", i);
    if (!has_text(file, file->period_type.name) || !has_text(file, file->period_type.unit) ||
        !has_text(file, file->default_type))
        return error_set(error, -EINVAL, "the period or the default sample type has a text that is not in the string table");
    return file->types.count > 0 ? 0 : error_set(error, -EINVAL, "the pprof profile has no sample types");
}

/* Ids become rows. */
static int link_locations(struct pprof_file *file, struct error *error)
{
    for (size_t i = 0; i < file->lines.count; i++) {
        uint64_t id = file->lines.items[i].function;
        file->lines.items[i].function = ids_find(&file->function_ids, id);
        if (file->lines.items[i].function == INDEX_NONE)
            return error_set(error, -EINVAL, "a location has a function %" PRIu64 ", which is not there", id);
    }
    for (size_t i = 0; i < file->locations.count; i++) {
        uint64_t id = file->locations.items[i].mapping;
        file->locations.items[i].mapping = id == 0 ? INDEX_NONE : ids_find(&file->mapping_ids, id);
        if (id != 0 && file->locations.items[i].mapping == INDEX_NONE)
            return error_set(error, -EINVAL, "location %" PRIu64 " has a mapping %" PRIu64 ", which is not there",
                             file->location_ids.of_row.items[i], id);
    }
    return 0;
}

static int read_bytes(struct pprof_file *file, struct byte_source *source, struct error *error)
{
    enum { PIECE = 256 << 10 };
    for (ssize_t n = 1; n > 0; file->bytes.count += n > 0 ? (size_t)n : 0) {
        if (!vec_reserve(&file->bytes, file->bytes.count + PIECE))
            return error_out_of_memory(error);
        n = source->read(source, file->bytes.items + file->bytes.count, PIECE, error);
        if (n < 0)
            return error->code;
    }
    return 0;
}

int pprof_file_read(struct pprof_file *file, struct byte_source *source, struct error *error)
{
    struct protobuf_field field;
    if (read_bytes(file, source, error))
        return error->code;
    struct slice all = {file->bytes.items, file->bytes.count};
    for (size_t at = 0; next_field(file, all, &at, &field, error);)
        if (take_field(file, &field, error))
            return error->code;
    if (error->code)
        return error->code;
    /* The table may lack the empty text where nothing has one. */
    if (file->texts.count == 0 && !vec_push(&file->texts, SLICE("")))
        return error_out_of_memory(error);
    if (check_types(file, error) || check_mappings(file, error) || check_functions(file, error))
        return error->code;
    return link_locations(file, error);
}

void pprof_file_free(struct pprof_file *file)
{
    vec_free(&file->bytes);
    vec_free(&file->texts);
    vec_free(&file->types);
    vec_free(&file->samples);
    vec_free(&file->mappings);
    vec_free(&file->locations);
    vec_free(&file->lines);
    vec_free(&file->functions);
    struct pprof_ids *const ids[] = {&file->mapping_ids, &file->location_ids, &file->function_ids};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        vec_free(&ids[i]->of_row);
        map_free(&ids[i]->rows);
    }
}

/* ---- samples ---- */

static int add_label(const struct pprof_file *file, struct slice message, struct pprof_sample *sample, struct error *error)
{
    uint64_t numbers[LABEL_FIELDS];
    if (!read_numbers(file, message, numbers, LABEL_FIELDS, error))
        return error->code;
    struct pprof_label label = {
        .key = text_index(numbers[LABEL_KEY]),
        .text = text_index(numbers[LABEL_TEXT]),
        .number = (int64_t)numbers[LABEL_NUMBER],
    };
    if (!has_text(file, label.key) || !has_text(file, label.text))
        return refuse(file, message, 0, "a label has a text that is not in the string table", error);
    return vec_push(&sample->labels, label) ? 0 : error_out_of_memory(error);
}

static int add_numbers(const struct pprof_file *file, const struct protobuf_field *field, struct pprof_sample *sample,
                       struct error *error)
{
    uint64_t number;
    size_t at = 0;
    while (protobuf_next_number(field, &at, &number)) {
        bool is_value = field->field == SAMPLE_VALUE;
        uint32_t location = is_value ? 0 : ids_find(&file->location_ids, number);
        if (location == INDEX_NONE)
            return error_set(error, -EINVAL, "a sample has a location %" PRIu64 ", which is not there", number);
        if (is_value ? !vec_push(&sample->values, (int64_t)number) : !vec_push(&sample->locations, location))
            return error_out_of_memory(error);
    }
    if (field->wire == PROTOBUF_BYTES && at < field->bytes.length)
        return refuse(file, field->bytes, at, "the pprof profile is damaged or cut off here", error);
    return 0;
}

int pprof_file_sample(const struct pprof_file *file, size_t row, struct pprof_sample *sample, struct error *error)
{
    struct slice message = file->samples.items[row];
    struct protobuf_field field;
    sample->locations.count = sample->values.count = sample->labels.count = 0;
    for (size_t at = 0; next_field(file, message, &at, &field, error);) {
        if (field.field == SAMPLE_LABEL && field.wire == PROTOBUF_BYTES)
            add_label(file, field.bytes, sample, error);
        else if (field.field == SAMPLE_LOCATION || field.field == SAMPLE_VALUE)
            add_numbers(file, &field, sample, error);
        if (error->code)
            return error->code;
    }
    if (error->code == 0 && sample->values.count != file->types.count)
        return refuse(file, message, 0, "a sample has not one value for each type", error);
    return error->code;
}

void pprof_sample_free(struct pprof_sample *sample)
{
    vec_free(&sample->locations);
    vec_free(&sample->values);
    vec_free(&sample->labels);
}
