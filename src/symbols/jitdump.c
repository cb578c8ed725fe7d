#include "symbols/jit.h"

#include "common/map.h"

#include <errno.h>
#include <stdlib.h>

enum { MAGIC = 0x4a695444, SWAPPED_MAGIC = 0x4454694a };
enum { RECORD_LOAD = 0, RECORD_MOVE = 1, RECORD_DEBUG_INFO = 2, RECORD_CLOSE = 3 };

/* As they are in the file, in the byte order of the machine that wrote it. */
struct dump_header {
    uint32_t magic, version, size, machine, pad, pid;
    uint64_t time, flags;
};

struct record_header {
    uint32_t kind, size; /* with this header */
    uint64_t time;
};

/* A name with a NUL follows, then the code. */
struct load_record {
    uint32_t pid, tid;
    uint64_t address, code_address, code_size, code_number;
};

struct move_record {
    uint32_t pid, tid;
    uint64_t address, old_address, new_address, code_size, code_number;
};

/* Entries follow. It stands before the record with the function. */
struct lines_record {
    uint64_t code_address, count;
};

/* A name with a NUL follows. */
struct line_entry {
    uint64_t address;
    uint32_t line, discriminator;
};

struct reading {
    struct jit_code *code;
    struct map numbers;      /* of code, to functions */
    VEC(uint64_t) number_of; /* of each function */
    uint32_t pending;        /* the lines that belong to the next function; UINT32_MAX = none */
};

static bool take(struct slice *bytes, void *out, size_t size)
{
    if (bytes->length < size)
        return false;
    memcpy(out, bytes->text, size);
    *bytes = slice_from(*bytes, size);
    return true;
}

static bool take_text(struct slice *bytes, struct slice *out)
{
    const char *end = bytes->length > 0 ? memchr(bytes->text, '\0', bytes->length) : NULL;
    if (!end)
        return false;
    *out = slice_until(*bytes, (size_t)(end - bytes->text));
    *bytes = slice_from(*bytes, out->length + 1);
    return true;
}

/* ---- functions ---- */

static bool add_function(struct reading *reading, struct jit_function function, uint64_t number)
{
    uint32_t row = (uint32_t)reading->code->functions.count;
    return row < UINT32_MAX - 1 && vec_push(&reading->code->functions, function) && vec_push(&reading->number_of, number) &&
           map_insert(&reading->numbers, hash_u64(number), row);
}

static bool read_load(struct reading *reading, struct slice bytes)
{
    struct load_record record;
    struct slice name;
    if (!take(&bytes, &record, sizeof record) || !take_text(&bytes, &name) || name.length == 0)
        return true;
    uint32_t lines = reading->pending;
    reading->pending = UINT32_MAX;
    if (lines != UINT32_MAX && reading->code->line_tables.items[lines].start != record.code_address)
        lines = UINT32_MAX;
    return add_function(reading, (struct jit_function){record.code_address, record.code_size, name, lines}, record.code_number);
}

static bool read_move(struct reading *reading, struct slice bytes)
{
    struct move_record record;
    uint32_t row, found = UINT32_MAX;
    if (!take(&bytes, &record, sizeof record))
        return true;
    for (struct map_probe probe = map_probe(&reading->numbers, hash_u64(record.code_number));
         found == UINT32_MAX && map_probe_next(&probe, &row);)
        if (reading->number_of.items[row] == record.code_number)
            found = row;
    if (found == UINT32_MAX)
        return true;
    struct jit_function function = reading->code->functions.items[found];
    function.start = record.new_address;
    function.size = record.code_size;
    return vec_push(&reading->code->functions, function) && vec_push(&reading->number_of, record.code_number);
}

/* ---- lines ---- */

static bool read_lines(struct reading *reading, struct slice bytes)
{
    struct lines_record record;
    if (!take(&bytes, &record, sizeof record))
        return true;
    reading->pending = (uint32_t)reading->code->line_tables.count;
    return vec_push(&reading->code->line_tables, ((struct jit_lines){.bytes = bytes, .start = record.code_address}));
}

static int compare_lines(const void *a, const void *b)
{
    const struct jit_line *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Some compilers (V8) add the size of the ELF header that `perf inject` puts in front of the code. The first line of a function
 * is otherwise at its start. */
static void take_header_away(struct jit_line *lines, size_t count)
{
    enum { ELF_HEADER = 64 };
    if (lines[0].offset >= ELF_HEADER)
        for (size_t i = 0; i < count; i++)
            lines[i].offset -= ELF_HEADER;
}

static bool decode_lines(struct jit_code *code, struct jit_lines *table)
{
    struct slice bytes = table->bytes, file, previous = {0};
    struct line_entry entry;
    table->read = true;
    table->first = code->lines.count;
    while (take(&bytes, &entry, sizeof entry) && take_text(&bytes, &file)) {
        if (slice_is(file, "\xff"))
            file = previous;
        previous = file;
        if (entry.address < table->start)
            continue;
        if (!vec_push(&code->lines, ((struct jit_line){entry.address - table->start, file, entry.line})))
            return false;
    }
    table->count = code->lines.count - table->first;
    if (table->count > 0) {
        qsort(code->lines.items + table->first, table->count, sizeof *code->lines.items, compare_lines);
        take_header_away(code->lines.items + table->first, table->count);
    }
    return true;
}

const struct jit_line *jit_code_line(struct jit_code *code, const struct jit_function *function, uint64_t offset,
                                     bool *out_of_memory)
{
    if (function->lines == UINT32_MAX)
        return NULL;
    struct jit_lines *table = &code->line_tables.items[function->lines];
    if (!table->read && !decode_lines(code, table)) {
        *out_of_memory = true;
        return NULL;
    }
    if (table->count == 0)
        return NULL;
    size_t low = 0, high = table->count;
    const struct jit_line *lines = code->lines.items + table->first;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &lines[low - 1] : NULL;
}

/* ---- the file ---- */

static int read_header(struct slice *bytes, struct error *error)
{
    struct dump_header header;
    struct slice whole = *bytes;
    if (!take(bytes, &header, sizeof header) || (header.magic != MAGIC && header.magic != SWAPPED_MAGIC))
        return error_set(error, -EBADMSG, "it is no jitdump");
    if (header.magic == SWAPPED_MAGIC)
        return error_set(error, -EBADMSG, "it has the byte order of another machine");
    if (header.version != 1)
        return error_set(error, -EBADMSG, "version %u of jitdump is not known", header.version);
    if (header.size > sizeof header)
        *bytes = slice_from(whole, header.size < whole.length ? header.size : whole.length);
    return 0;
}

int jitdump_read(struct slice bytes, struct jit_code *code, struct error *error)
{
    struct reading reading = {.code = code, .pending = UINT32_MAX};
    struct record_header header;
    bool done = false, good = true;
    int failed = read_header(&bytes, error);
    if (failed)
        return failed;
    while (good && !done && take(&bytes, &header, sizeof header)) {
        if (header.size < sizeof header || header.size - sizeof header > bytes.length)
            break;
        struct slice record = slice_until(bytes, header.size - sizeof header);
        bytes = slice_from(bytes, record.length);
        if (header.kind == RECORD_LOAD)
            good = read_load(&reading, record);
        else if (header.kind == RECORD_MOVE)
            good = read_move(&reading, record);
        else if (header.kind == RECORD_DEBUG_INFO)
            good = read_lines(&reading, record);
        done = header.kind == RECORD_CLOSE;
    }
    map_free(&reading.numbers);
    vec_free(&reading.number_of);
    return good ? 0 : error_out_of_memory(error);
}
