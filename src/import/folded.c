#include "import/folded.h"

#include "common/json_decimal.h"
#include "common/json_reader.h"
#include "import/line_reader.h"
#include "import/stack_builder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

/* Times are milliseconds in doubles, which count exactly up to here. */
static const double MAX_TOTAL = (double)(UINT64_C(1) << 53);

/* A first line whose count is not in view, for so long is the stack. */
enum { DEEP_STACK_BYTES = 4096 };

/* A stack of the file and how many samples it stands for. */
struct folded_row {
    uint32_t stack;
    double count;
};

/* A line taken apart. */
struct folded_line {
    struct slice stack, count; /* digits, perhaps with a fraction */
};

struct folded_reader {
    struct profile *profile;
    struct line_reader lines;
    struct string_table texts; /* of frames: index n is that of frame n */
    struct stack_builder stacks;
    VEC(struct folded_row) rows;
    uint64_t max_samples;
    double total;      /* of the counts */
    bool has_fraction; /* some count has one that is not zero: all are weights then */
    bool has_counts;   /* some line had one, be it 0 */
    bool has_single;   /* some line had one alone, or a caller that ends in a number, too … */
    uint64_t pairs;    /* … and so many had two behind a stack of several frames */
    struct category_index java, native;
    struct error *error;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_blank(struct slice line)
{
    for (size_t i = 0; i < line.length; i++)
        if (!is_space(line.text[i]))
            return false;
    return true;
}

/* The count is the number that the line ends in, and the stack what stands before the space before it. */
static bool split(struct slice line, struct folded_line *parts)
{
    while (line.length > 0 && is_space(line.text[line.length - 1]))
        line.length--;
    size_t at = line.length, point = line.length;
    while (at > 0 && (is_digit(line.text[at - 1]) || (line.text[at - 1] == '.' && point == line.length)))
        if (line.text[--at] == '.')
            point = at;
    if (at == line.length || at == point || at < 2 || !is_space(line.text[at - 1]))
        return false;
    *parts = (struct folded_line){slice_until(line, at - 1), slice_from(line, at)};
    return true;
}

/* Text has none. */
static bool has_nul(struct slice text)
{
    return memchr(text.text, '\0', text.length) != NULL;
}

static bool without_byte_order_mark(struct slice *text)
{
    bool has = slice_starts_with(*text, SLICE("\xef\xbb\xbf"));
    if (has)
        *text = slice_from(*text, 3);
    return has;
}

bool folded_recognise(struct slice start)
{
    without_byte_order_mark(&start);
    size_t lines = 0;
    for (const char *newline; start.length > 0 && (newline = memchr(start.text, '\n', start.length));) {
        struct slice line = slice_until(start, (size_t)(newline - start.text));
        struct folded_line parts;
        start = slice_from(start, line.length + 1);
        if (is_blank(line))
            continue;
        if (has_nul(line) || !split(line, &parts))
            return false;
        lines++;
    }
    /* What is left is a line whose end is not in view. */
    if (has_nul(start))
        return false;
    return lines > 0 || (start.length >= DEEP_STACK_BYTES && memchr(start.text, ';', start.length));
}

/* ---- reading ---- */

static int parse_count(struct folded_reader *reader, struct slice digits, double *count)
{
    *count = digits.length <= JSON_MAX_NUMBER ? json_decimal_value(digits.text, digits.length) : INFINITY;
    if (!(*count <= MAX_TOTAL))
        return error_set(reader->error, -EINVAL, "line %" PRIu64 ": the count is larger than %.0f", reader->lines.number,
                         MAX_TOTAL);
    if (*count > MAX_TOTAL - reader->total)
        return error_set(reader->error, -EINVAL, "line %" PRIu64 ": the counts add up to more than %.0f", reader->lines.number,
                         MAX_TOTAL);
    reader->total += *count;
    reader->has_fraction |= *count != floor(*count);
    return 0;
}

/* Frames are told apart by their whole text, funcs by the name in it: a function that ran as Java here and as native code
 * there is one func. */
static int add_frame(struct folded_reader *reader, struct slice text)
{
    static const struct slice java_suffix = {"_[j]", 4};
    struct profile *profile = reader->profile;
    bool is_java = slice_ends_with(text, java_suffix);
    struct slice name = is_java ? slice_until(text, text.length - java_suffix.length) : text;
    struct func func = {
        .name = string_table_add(&profile->strings, name),
        .resource = resource_none(),
        .source = source_none(),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    if (!string_exists(func.name))
        return error_out_of_memory(reader->error);
    struct frame frame = {
        .address = COLUMN_ABSENT,
        .lib = lib_none(),
        .category = is_java ? reader->java : reader->native,
        .subcategory = 0,
        .func = func_table_add(&profile->funcs, &func),
        .native_symbol = native_symbol_none(),
        .implementation = STRING_NONE,
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    if (!func_exists(frame.func))
        return error_out_of_memory(reader->error);
    frame_table_append(&profile->frames, &frame);
    return 0;
}

static int read_stack(struct folded_reader *reader, struct slice text, uint32_t *stack)
{
    *stack = INDEX_NONE;
    for (bool more = true; more;) {
        const char *semicolon = memchr(text.text, ';', text.length);
        struct slice name = semicolon ? slice_until(text, (size_t)(semicolon - text.text)) : text;
        size_t known = string_table_count(&reader->texts);
        struct string_index frame = string_table_add(&reader->texts, name);
        if (!string_exists(frame))
            return error_out_of_memory(reader->error);
        if (frame.i == known && add_frame(reader, name))
            return reader->error->code;
        *stack = stack_builder_add(&reader->stacks, *stack, frame.i);
        if (*stack == INDEX_NONE)
            return error_out_of_memory(reader->error);
        more = semicolon != NULL;
        text = more ? slice_from(text, name.length + 1) : text;
    }
    return 0;
}

/* Whether the stack ends in a count, too. A function may be called `worker 3`, but not all of them are. */
static void count_pair(struct folded_reader *reader, struct slice stack)
{
    struct folded_line parts, caller;
    if (reader->has_single)
        return; /* it is decided */
    bool is_pair = split(stack, &parts), has_callers = false;
    struct slice rest = is_pair ? parts.stack : stack;
    for (const char *end; is_pair && (end = memrchr(rest.text, ';', rest.length));) {
        rest = slice_until(rest, (size_t)(end - rest.text));
        has_callers = true;
        is_pair = !split(rest, &caller);
    }
    reader->has_single |= !is_pair;
    reader->pairs += is_pair && has_callers;
}

static int read_line(struct folded_reader *reader, struct slice line)
{
    struct folded_line parts;
    struct folded_row row;
    if (reader->lines.number == 1)
        without_byte_order_mark(&line);
    if (is_blank(line))
        return 0;
    if (!split(line, &parts))
        return error_set(reader->error, -EINVAL, "line %" PRIu64 " is not a stack and a count, as in `main;caller;callee 12`",
                         reader->lines.number);
    reader->has_counts = true;
    count_pair(reader, parts.stack);
    if (parse_count(reader, parts.count, &row.count) || row.count == 0)
        return reader->error->code;
    if (read_stack(reader, parts.stack, &row.stack))
        return reader->error->code;
    return vec_push(&reader->rows, row) ? 0 : error_out_of_memory(reader->error);
}

/* ---- the profile ---- */

static void append_counted_samples(const struct folded_reader *reader, struct sample_table *samples)
{
    for (size_t i = 0; i < reader->rows.count; i++)
        for (uint64_t n = (uint64_t)reader->rows.items[i].count; n > 0; n--) {
            column_append_number(&samples->time, sample_count(samples) == 0 ? 0 : 1);
            column_append_index(&samples->stack, reader->rows.items[i].stack);
        }
    samples->time_is_deltas = true;
}

static void append_weighted_samples(const struct folded_reader *reader, struct sample_table *samples)
{
    double time = 0;
    for (size_t i = 0; i < reader->rows.count; i++) {
        struct folded_row row = reader->rows.items[i];
        column_append_index(&samples->stack, row.stack);
        column_append_number(&samples->time, time);
        column_append_number(&samples->weight, row.count);
        time += row.count;
    }
}

static int build_profile(struct folded_reader *reader)
{
    struct profile *profile = reader->profile;
    struct string_table *strings = &profile->strings;
    struct thread *thread = profile_add_thread(profile);
    if (!thread)
        return error_out_of_memory(reader->error);
    thread->name = string_table_add(strings, SLICE("Program"));
    thread->process_startup_time = thread->register_time = NAN;
    thread->process_type = string_table_add(strings, SLICE("default"));
    thread->pid = thread->tid = string_table_add(strings, SLICE("0"));
    profile->meta.product = string_table_add(strings, SLICE("Flamegraph"));
    profile->meta.symbolicated = true;
    if (!string_exists(thread->name) || !string_exists(thread->process_type) || !string_exists(thread->pid) ||
        !string_exists(profile->meta.product))
        return error_out_of_memory(reader->error);
    stack_builder_append_to(&reader->stacks, 0, &profile->stacks);
    if (reader->total <= (double)reader->max_samples && !reader->has_fraction) {
        append_counted_samples(reader, &thread->samples);
    } else {
        append_weighted_samples(reader, &thread->samples);
        profile->meta.profiling_start_time = 0;
        profile->meta.profiling_end_time = reader->total;
    }
    return profile_finish(profile, reader->error);
}

int folded_import_up_to(uint64_t max_samples, struct byte_source *source, struct profile *profile, struct error *error)
{
    struct folded_reader reader = {.profile = profile, .max_samples = max_samples, .error = error};
    line_reader_init(&reader.lines, source, error);
    reader.java = category_list_add(&profile->categories, &profile->strings, SLICE("Java"), SLICE("yellow"));
    reader.native = category_list_add(&profile->categories, &profile->strings, SLICE("Native"), SLICE("blue"));
    if (!category_exists(reader.java) || !category_exists(reader.native))
        error_out_of_memory(error);
    for (struct slice line; error->code == 0 && line_reader_next(&reader.lines, &line);)
        read_line(&reader, line);
    if (error->code == 0 && !reader.has_counts)
        error_set(error, -EINVAL, "no line is a stack and a count, as in `main;caller;callee 12`");
    if (error->code == 0 && reader.pairs > 1 && !reader.has_single)
        error_set(error, -EINVAL,
                  "all lines have two counts: these are folded stacks of two profiles (difffolded.pl, "
                  "'sonde diff -o x.folded'), of which there is no one profile");
    if (error->code == 0)
        build_profile(&reader);
    line_reader_free(&reader.lines);
    string_table_free(&reader.texts);
    stack_builder_free(&reader.stacks);
    vec_free(&reader.rows);
    return error->code;
}

int folded_import(struct byte_source *source, struct profile *profile, struct error *error)
{
    return folded_import_up_to(FOLDED_MAX_SAMPLES, source, profile, error);
}
