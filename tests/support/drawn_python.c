#include "support/drawn_python.h"

#include "runtime/walk_all.h"

#include <stdlib.h>
#include <string.h>

/* Where things are in the arena. */
enum {
    RUNTIME = 0,
    CODE_TYPE = 0x1000,
    VERSION = 0x1100,
    LOOP = 0x2000,
    LOOP_BYTES = 0x800,
    NATIVE = 0x2c00,
    INTERPRETER = 0x3000,
    THREAD = 0x3400,
    NEXT_THREAD = 0x3a00,
    ROOT_CFRAME = 0x200, /* of a thread state */
    FRAMES = 0x4000,
    FRAME_BYTES = 0x80,
    CODES = 0x5000,
    CODE_BYTES = 0x200,
    TEXTS = 0x6000,
    STACK = 0x8000,
    NATIVE_FRAME = 0x100,
    FUNCTIONS = 3,
};

enum { HANDLE = 0x7001, FIRST_LINE = 10, FIRST_WITH_MARKS = 14 };

static const uint64_t in_its_second_line = 6;

static _Alignas(4096) uint8_t arena[DRAWN_PYTHON_BYTES];
static uint8_t copy[UNWIND_COPY_BYTES];
static struct unwind_memory memory;
static struct python_layout layout;
static struct raw_stack raw;
static size_t text_used;
static unsigned drawn_minor;

static uint64_t address_of(size_t place)
{
    return (uintptr_t)arena + place;
}

uint8_t *drawn_python_byte(size_t place)
{
    return &arena[place % DRAWN_PYTHON_BYTES];
}

static void put(size_t place, uint64_t value, size_t bytes)
{
    if (place + bytes > sizeof arena)
        abort();
    memcpy(arena + place, &value, bytes);
}

/* --- objects ------------------------------------------------------------------------------------------------------------- */

static uint64_t put_object(size_t head, uint64_t length, const void *bytes)
{
    enum { LENGTH_AT = 16, ROOM = 128 };
    size_t place = TEXTS + text_used;
    text_used += ROOM;
    put(place + LENGTH_AT, length, 8);
    memcpy(arena + place + head, bytes, length);
    return address_of(place);
}

static uint64_t put_text(const char *text)
{
    enum { STATE_AT = 32, COMPACT_ASCII = 1 << 2 | 1 << 5 | 1 << 6 };
    uint64_t address = put_object(layout.offsets.ascii, strlen(text), text);
    put(address - (uintptr_t)arena + STATE_AT, COMPACT_ASCII, 4);
    return address;
}

/* The first 4 bytes of code are the first line, those behind them the second. */
static uint64_t put_lines(void)
{
    static const uint8_t lnotab[] = {4, 1}, ranges[] = {4, 0, 100, 1}, locations[] = {0xd1, 0, 0, 0xdf, 0, 0};
    switch ((enum python_lines)layout.offsets.lines) {
    case PYTHON_LINES_LNOTAB:
        return put_object(layout.offsets.bytes, sizeof lnotab, lnotab);
    case PYTHON_LINES_RANGES:
        return put_object(layout.offsets.bytes, sizeof ranges, ranges);
    case PYTHON_LINES_LOCATIONS:
        break;
    }
    return put_object(layout.offsets.bytes, sizeof locations, locations);
}

static uint64_t put_code(size_t number, const char *name)
{
    enum { TYPE_AT = 8 };
    size_t place = CODES + number * CODE_BYTES;
    put(place + TYPE_AT, address_of(CODE_TYPE), 8);
    put(place + layout.offsets.file, put_text("app.py"), 8);
    put(place + layout.offsets.name, put_text(name), 8);
    put(place + layout.offsets.line_table, put_lines(), 8);
    put(place + layout.offsets.first_line, FIRST_LINE + 10 * number, 4);
    return address_of(place);
}

static void put_frame(size_t place, uint64_t code, uint64_t previous)
{
    uint64_t instruction = layout.offsets.instruction_bytes > 0 ? in_its_second_line / layout.offsets.instruction_bytes
                                                                : code + layout.offsets.bytecode + in_its_second_line;
    put(place + layout.offsets.code, drawn_minor >= FIRST_WITH_MARKS ? code | 1 : code, 8);
    put(place + layout.offsets.previous, previous, 8);
    put(place + layout.offsets.instruction, instruction, layout.offsets.instruction_bytes > 0 ? 4 : 8);
}

/* --- the interpreter ----------------------------------------------------------------------------------------------------- */

/* The table of 3.13 or 3.14, with places of our own making. */
static void put_table(unsigned minor, uint64_t version, bool free_threaded)
{
    const unsigned thread = minor == 13 ? 19 : 22, frame = minor == 13 ? 28 : 31, code = minor == 13 ? 34 : 39;
    const struct {
        unsigned word, value;
    } words[] = {
        {5, 600},                            /* interpreters */
        {8, 16},           {9, 32},          /* of an interpreter: next, threads */
        {thread + 2, 8},   {thread + 4, 72}, /* next, current_frame … */
        {thread + 5, 152},                   /* … thread_id */
        {frame + 1, 8},    {frame + 2, 0},   /* previous, executable … */
        {frame + 3, 56},   {frame + 5, 70},  /* … instr_ptr, owner */
        {code + 1, 112},                     /* filename … */
        {code + 3, 128},                     /* … name */
        {code + 4, 136},                     /* … linetable */
        {code + 5, 68},                      /* … firstlineno */
        {code + 9, 208},                     /* … co_code_adaptive */
    };
    memcpy(arena + RUNTIME, "xdebugpy", 8);
    put(RUNTIME + 8, version, 8);
    put(RUNTIME + 16, free_threaded, 8);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put(RUNTIME + 8 * (size_t)words[i].word, words[i].value, 8);
}

static void make_layout(unsigned minor, bool free_threaded)
{
    enum { BASIC_SIZE_AT = 32 };
    uint64_t version = 0x030000f0 | minor << 16;
    put(VERSION, version, 8);
    put(CODE_TYPE + BASIC_SIZE_AT, minor < 11 ? 176 : minor == 11 ? 184 : minor == 12 ? 192 : 208, 8);
    if (minor >= 13)
        put_table(minor, version, free_threaded);
    struct python_symbols symbols = {.runtime = address_of(RUNTIME),
                                     .code_type = address_of(CODE_TYPE),
                                     .version = minor >= 11 ? address_of(VERSION) : 0,
                                     .eval_start = address_of(LOOP),
                                     .eval_end = address_of(LOOP + LOOP_BYTES),
                                     .has_gc_is_enabled = minor >= 10,
                                     .has_get_frame = minor >= 9};
    python_layout_make(&layout, &symbols, &memory);
    layout.head.module_start = address_of(0);
    layout.head.module_end = address_of(STACK);
}

/* Native frames, youngest first: the loop, `native`, the loop, main(); before 3.11 the first loop has one for each function. */
static void add_native(size_t place)
{
    raw.native[raw.native_count] =
        (struct unwind_frame){.pc = address_of(place), .sp = address_of(STACK + NATIVE_FRAME * raw.native_count) & INT64_MAX};
    raw.native_count++;
}

static void draw_native_stack(void)
{
    raw.native_count = 0;
    raw.end = UNWIND_COMPLETE;
    add_native(LOOP + 0x10);
    if (layout.offsets.chain == PYTHON_FRAME_EACH)
        add_native(LOOP + 0x20);
    add_native(NATIVE);
    add_native(LOOP + 0x30);
    add_native(NATIVE + 0x100);
}

static uint64_t put_cframe(size_t place, uint64_t frame, uint64_t previous)
{
    put(place + layout.offsets.cframe_frame, frame, 8);
    put(place + layout.offsets.cframe_previous, previous, 8);
    return address_of(place);
}

/* On the native stack, in the frames of the two loops. */
enum { YOUNG_LOOP = STACK + 0x40, OLD_LOOP = STACK + 2 * NATIVE_FRAME + 0x40, SHIM_BEHIND = 0x20 };

static uint64_t put_shim(size_t loop, uint64_t previous)
{
    put(loop + SHIM_BEHIND + layout.offsets.previous, previous, 8);
    put(loop + SHIM_BEHIND + layout.offsets.owner, layout.offsets.shim_owner, 1);
    return address_of(loop + SHIM_BEHIND);
}

static void draw_thread(size_t thread)
{
    static const char *const names[FUNCTIONS] = {"inner", "middle", "outer"};
    const struct python_offsets *offsets = &layout.offsets;
    bool shims = offsets->chain == PYTHON_CFRAME_SHIMS || offsets->chain == PYTHON_SHIMS;
    bool cframes = offsets->chain == PYTHON_CFRAMES || offsets->chain == PYTHON_CFRAME_SHIMS;
    uint64_t older = shims ? put_shim(OLD_LOOP, 0) : 0, outer = 0;
    for (size_t i = FUNCTIONS; i-- > 0;) {
        size_t place = FRAMES + i * FRAME_BYTES;
        put_frame(place, put_code(i, names[i]), older);
        if (offsets->is_entry && i > 0)
            arena[place + offsets->is_entry] = 1;
        older = address_of(place);
        if (i == FUNCTIONS - 1) {
            outer = older;
            older = shims ? put_shim(YOUNG_LOOP, older) : older;
        }
    }
    if (cframes)
        older = put_cframe(YOUNG_LOOP, older, put_cframe(OLD_LOOP, outer, put_cframe(thread + ROOT_CFRAME, 0, 0)));
    put(RUNTIME + offsets->interpreters, address_of(INTERPRETER), 8);
    put(INTERPRETER + offsets->threads, address_of(thread), 8);
    put(thread + offsets->thread_id, HANDLE, 8);
    put(thread + offsets->frame, older, 8);
}

void draw_python(unsigned minor, bool free_threaded)
{
    memset(arena, 0, sizeof arena);
    memset(&raw, 0, sizeof raw);
    text_used = 0;
    drawn_minor = minor;
    memory = (struct unwind_memory){.start = address_of(STACK), .end = address_of(sizeof arena), .copy = copy};
    make_layout(minor, free_threaded);
    draw_native_stack();
    if (layout.head.is_known)
        draw_thread(THREAD);
}

void redraw_python_thread(void)
{
    bool cframes = layout.offsets.chain == PYTHON_CFRAMES || layout.offsets.chain == PYTHON_CFRAME_SHIMS;
    put(THREAD + layout.offsets.frame, cframes ? address_of(THREAD + ROOT_CFRAME) : 0, 8);
    draw_thread(NEXT_THREAD);
}

struct python_layout *drawn_python_layout(void)
{
    return &layout;
}

const struct raw_stack *walk_drawn_python(void)
{
    const struct runtime_layout *all[] = {&layout.head};
    struct runtime_walk walk = {
        .raw = &raw,
        .memory = &memory,
        .thread = {.handle = HANDLE, .stack_start = address_of(STACK), .stack_end = address_of(sizeof arena)},
    };
    raw.runtime_count = raw.text_used = 0;
    raw.cut = false;
    runtime_walk_all(all, 1, &walk);
    return &raw;
}
