/* Holds the frames of JavaScript in the samples of a session against those that V8 gave at the same moments (v8_asked.c).
 *
 *     same_stacks SESSION/PID-N.sonde RECORDS
 *
 * Prints how many stacks both have, how many of them are the same, and those that are not. Frames are compared by their
 * addresses, down to the instruction. Only functions of JavaScript count: V8 leaves out some of its own code. What V8 leaves
 * out, too, is the youngest frame where the thread was interrupted in compiled code, or in the handler of a bytecode. */
#include "rows/code_index.h"
#include "runtime/v8/both_stacks.h"
#include "session/reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };

struct stack {
    struct frame_entry frames[STACK_FRAMES_MAX]; /* oldest first */
    uint32_t count;
};

struct function_frame {
    uint64_t address;
    bool is_numbered;
};

struct function_stack {
    struct function_frame frames[STACK_FRAMES_MAX]; /* youngest first */
    uint32_t count;
};

static struct code_index code;
static struct stack stacks[THREADS_MAX]; /* by number of the thread: the sample before, of this chunk */
static int32_t tids[THREADS_MAX];
static const struct v8_records *records;
static unsigned compared, same, without;
static uint64_t frames;

static bool is_function(uint64_t address, uint64_t time)
{
    uint32_t row = code_index_at(&code, address, time);
    return row != INDEX_NONE && code.rows.items[row].runtime == RUNTIME_V8 && known_code_is_function(&code.rows.items[row]);
}

/* The code that returns to an address is in front of it. */
static void add(struct function_stack *out, uint64_t address, bool is_numbered, bool is_exact, uint64_t time)
{
    if (is_function(address - (is_numbered || is_exact ? 0 : 1), time))
        out->frames[out->count++] = (struct function_frame){address, is_numbered};
}

/* The youngest native frame of a session stands at its pc; where frames of the interpreter are below it, that is the byte
 * before the address of return. */

static struct function_stack functions_of_sonde(const struct stack *stack, uint64_t time)
{
    struct function_stack out = {.count = 0};
    bool had_native = false;
    for (uint32_t i = stack->count; i-- > 0;) {
        const struct frame_entry *frame = &stack->frames[i];
        bool is_youngest = i + 1 == stack->count;
        if (frame->kind == FRAME_NUMBERED && frame->runtime == RUNTIME_V8)
            add(&out, frame->address, true, true, time);
        if (frame->kind != FRAME_NATIVE)
            continue;
        add(&out, frame->address + (!had_native && !is_youngest), false, is_youngest, time);
        had_native = true;
    }
    return out;
}

static bool is_bytecode(uint64_t address, uint64_t time)
{
    uint32_t row = code_index_at(&code, address, time);
    return row != INDEX_NONE && code.rows.items[row].tier == TIER_INTERPRETER;
}

static struct function_stack functions_of_v8(const struct v8_record *record, uint64_t time)
{
    struct function_stack out = {.count = 0};
    for (uint32_t i = 0; i < record->count; i++) {
        uint64_t address = record->frames[i];
        add(&out, address, is_bytecode(address, time), address == record->pc, time);
    }
    return out;
}

static bool ends_with(const struct function_stack *stack, const struct function_stack *end)
{
    uint32_t more = stack->count - end->count;
    for (uint32_t i = 0; i < end->count; i++)
        if (stack->frames[more + i].address != end->frames[i].address)
            return false;
    return true;
}

static bool is_same(const struct function_stack *sonde, const struct function_stack *v8, uint64_t pc)
{
    if (sonde->count == v8->count)
        return ends_with(sonde, v8);
    const struct function_frame *youngest = &sonde->frames[0];
    return sonde->count == v8->count + 1 && (youngest->address == pc || youngest->is_numbered) && ends_with(sonde, v8);
}

static void print(const char *who, const struct function_stack *stack, uint64_t time)
{
    printf("  %s:", who);
    for (uint32_t i = 0; i < stack->count; i++) {
        uint32_t row = code_index_at(&code, stack->frames[i].address, time);
        struct slice name = row == INDEX_NONE ? SLICE("?") : string_table_get(&code.strings, code.rows.items[row].name);
        printf(" %" PRIx64 "=%.*s", stack->frames[i].address, (int)name.length, name.text);
    }
    printf("\n");
}

static const struct v8_record *record_of(int32_t tid, uint64_t time)
{
    uint64_t count = records->count < V8_RECORDS_MAX ? records->count : V8_RECORDS_MAX;
    for (uint64_t i = 0; i < count; i++) {
        const struct v8_record *record = &records->records[i];
        if (record->tid == tid && record->before <= time && time <= record->after)
            return record;
    }
    return NULL;
}

static void compare(const struct sample_entry *sample, const struct stack *stack)
{
    const struct v8_record *record = record_of(tids[sample->thread], sample->time);
    struct function_stack own = functions_of_sonde(stack, sample->time);
    if (!record)
        return;
    struct function_stack theirs = functions_of_v8(record, sample->time);
    if (theirs.count == 0) {
        without += own.count > 0;
        return;
    }
    compared++;
    frames += theirs.count;
    if (is_same(&own, &theirs, record->pc)) {
        same++;
        return;
    }
    printf("at %" PRIu64 ", pc %" PRIx64 "\n", sample->time, record->pc);
    print("Sonde", &own, sample->time);
    print("V8", &theirs, sample->time);
}

/* --- reading -------------------------------------------------------------------------------------------------------------- */

static int take_kept(void *data, const struct any_entry *entry, struct error *error)
{
    (void)data;
    (void)error;
    if (entry->kind == ENTRY_CODE)
        return code_index_add(&code, &entry->code) ? 0 : -1;
    if (entry->kind == ENTRY_CODE_MOVED)
        return code_index_move(&code, &entry->code_moved) ? 0 : -1;
    if (entry->kind == ENTRY_THREAD && entry->thread.thread < THREADS_MAX)
        tids[entry->thread.thread] = entry->thread.tid;
    return 0;
}

static void forget_stacks(void *data)
{
    (void)data;
    for (size_t i = 0; i < THREADS_MAX; i++)
        stacks[i].count = 0;
}

static int take_sample(void *data, const struct any_entry *entry, struct error *error)
{
    (void)data;
    (void)error;
    const struct sample_entry *sample = &entry->sample;
    if (entry->kind != ENTRY_SAMPLE || sample->thread >= THREADS_MAX)
        return 0;
    struct stack *stack = &stacks[sample->thread];
    struct frame_reader reader;
    struct frame_entry frame;
    if (sample->stack.shared < stack->count)
        stack->count = sample->stack.shared;
    frame_reader_init(&reader, &sample->stack.frames);
    while (stack->count < STACK_FRAMES_MAX && frame_reader_next(&reader, &frame))
        stack->frames[stack->count++] = frame;
    compare(sample, stack);
    return 0;
}

static int visit(const char *path, const struct session_visitor *visitor)
{
    struct error error = {0};
    struct session_reading reading;
    struct session_file *file = session_file_open(path, &error);
    int result = file ? session_file_visit(file, visitor, NULL, &reading, &error) : -1;
    if (result != 0)
        fprintf(stderr, "%s\n", error.message);
    session_file_close(file);
    return result;
}

static const struct v8_records *map_records(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (fd < 0 || fstat(fd, &about) != 0 || (size_t)about.st_size < sizeof *records) {
        fprintf(stderr, "%s has no records\n", path);
        exit(1);
    }
    void *mapped = mmap(NULL, sizeof *records, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return mapped == MAP_FAILED ? NULL : mapped;
}

int main(int argc, char **argv)
{
    static const struct session_visitor kept = {.entry = take_kept},
                                        samples = {.entry = take_sample, .chunk_changed = forget_stacks};
    records = argc == 3 ? map_records(argv[2]) : NULL;
    if (!records || visit(argv[1], &kept) != 0 || !code_index_finish(&code) || visit(argv[1], &samples) != 0)
        return 1;
    printf("%u of %u stacks are the same, with %" PRIu64 " frames; V8 has no answer for %u\n", same, compared, frames, without);
    code_index_free(&code);
    return 0;
}
