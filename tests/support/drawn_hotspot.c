#include "support/drawn_hotspot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARENA = 1 << 18,
    STACK_WORDS = 512,
    SEGMENT_BITS = 7,
    HEAP_BYTES = 1 << 15,
    /* Offsets of our own making; no VM has these. */
    BLOCK_BYTES = 16,
    BLOB_BYTES = 256,
    CODE_BYTES = 128,
    CONST_BYTES = 64,
    POOL_BYTES = 32,
    INTERPRETER_BYTES = 16384,
};

static _Alignas(4096) uint8_t arena[ARENA];
static size_t used;
static uint8_t copy[UNWIND_COPY_BYTES];
static struct unwind_memory memory;
static struct hotspot_layout layout;
static struct hotspot_code code;
static struct hotspot_methods *methods;
static struct hotspot_scope_cache *cache;
static struct hotspot_reader reader = {.layout = &layout, .memory = &memory, .code = &code};
static uint64_t stack, heap, segments, interpreter, call_stub, continuation, continuation_code;
static size_t heap_used;

static uint64_t take(size_t bytes)
{
    uint64_t address = (uintptr_t)arena + used;
    used += (bytes + 63) & ~(size_t)63;
    if (used > ARENA)
        abort();
    return address;
}

/* Where the drawn process has its byte `address`. */
static uint8_t *at(uint64_t address)
{
    uint64_t offset = address - (uintptr_t)arena;
    if (offset >= ARENA)
        abort();
    return &arena[offset];
}

static void put(uint64_t address, uint64_t value, size_t bytes)
{
    memcpy(at(address), &value, bytes);
}

static void put_field(uint64_t object, enum hotspot_field field, uint64_t value)
{
    if (layout.field[field].bytes)
        put(object + layout.field[field].offset, value, layout.field[field].bytes);
}

static uint64_t put_text(const char *text)
{
    uint64_t address = take(strlen(text) + 1);
    memcpy(at(address), text, strlen(text) + 1);
    return address;
}

static void set_field(enum hotspot_field field, uint16_t offset, uint8_t bytes)
{
    layout.field[field] = (struct hotspot_field_place){offset, bytes, bytes == 4 || field == BLOB_FRAME_COMPLETE};
}

static uint64_t variable(enum hotspot_variable which, uint64_t value)
{
    layout.variable[which] = take(8);
    put(layout.variable[which], value, 8);
    return value;
}

static void make_layout(enum drawn_version version)
{
    static const struct {
        enum hotspot_field field;
        uint16_t offset;
        uint8_t bytes;
    } fields[] = {
        {VECTOR_LENGTH, 0, 4},       {VECTOR_DATA, 8, 8},       {HEAP_MEMORY, 8, 8},     {HEAP_SEGMENTS, 64, 8},
        {HEAP_SEGMENT_BITS, 128, 4}, {SPACE_LOW, 16, 8},        {SPACE_HIGH, 24, 8},     {BLOCK_USED, 8, 1},
        {BLOB_NAME, 0, 8},           {BLOB_FRAME_WORDS, 8, 4},  {METHOD_OF_CODE, 16, 8}, {CODE_ID, 24, 4},
        {CODE_PCS, 28, 4},           {CODE_ORIGINAL_PC, 32, 4}, {METHOD_CONST, 8, 8},    {METHOD_ENTRY, 16, 8},
        {CONST_CONSTANTS, 8, 8},     {CONST_CODE_SIZE, 16, 2},  {CONST_NAME, 18, 2},     {CONST_SIGNATURE, 20, 2},
        {CONST_FLAGS, 24, 4},        {POOL_HOLDER, 8, 8},       {POOL_LENGTH, 16, 4},    {POOL_SOURCE_FILE, 20, 2},
        {CLASS_NAME, 8, 8},          {SYMBOL_LENGTH, 4, 2},     {SYMBOL_TEXT, 6, 8},
    };
    memset(&layout, 0, sizeof layout);
    layout.head = (struct runtime_layout){.kind = RUNTIME_HOTSPOT, .length = sizeof layout, .is_known = true};
    layout.version = version;
    layout.line_table_flag = 1;
    layout.size[SIZE_BLOCK] = BLOCK_BYTES;
    layout.size[SIZE_CONST_METHOD] = CONST_BYTES;
    layout.size[SIZE_POOL] = POOL_BYTES;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        set_field(fields[i].field, fields[i].offset, fields[i].bytes);
    if (version == DRAWN_17) {
        set_field(BLOB_FRAME_COMPLETE, 12, 4);
        set_field(BLOB_CODE, 40, 8);
        set_field(CODE_LEVEL, 48, 4);
        set_field(CODE_ENTRY, 56, 8);
        set_field(CODE_PCS_END, 64, 4);
        set_field(CODE_SCOPES, 72, 8);
        set_field(CODE_METADATA, 80, 4);
        set_field(CODE_DEOPT, 88, 8);
    } else {
        set_field(BLOB_FRAME_COMPLETE, 12, 2);
        set_field(BLOB_CODE_OFFSET, 40, 4);
        set_field(BLOB_MUTABLE, 96, 8);
        set_field(BLOB_RELOCATION_SIZE, 104, 4);
        set_field(CODE_LEVEL, 48, 1);
        set_field(CODE_ENTRY_OFFSET, 56, 2);
        set_field(CODE_SCOPES_OFFSET, 72, 4);
        set_field(CODE_IMMUTABLE, 80, 8);
        set_field(CODE_IMMUTABLE_SIZE, 92, 4);
        set_field(CODE_DEOPT_OFFSET, 88, 4);
        set_field(THREAD_CONTINUATION, 24, 8);
    }
}

/* A block of the heap; returns where its blob is. */
static uint64_t take_block(size_t bytes)
{
    size_t first = heap_used >> SEGMENT_BITS, count = (BLOCK_BYTES + bytes + 127) >> SEGMENT_BITS;
    heap_used += count << SEGMENT_BITS;
    if (heap_used > HEAP_BYTES)
        abort();
    /* As the VM does: hops of at most 254 segments. */
    for (size_t i = 0; i < count; i++)
        put(segments + first + i, i < 2 ? i : i - 1, 1);
    uint64_t block = heap + (first << SEGMENT_BITS);
    put(block + layout.field[BLOCK_USED].offset, 1, 1);
    return block + BLOCK_BYTES;
}

static uint64_t take_blob(const char *name, int frame_words, int frame_complete, size_t code_bytes)
{
    uint64_t blob = take_block(BLOB_BYTES + code_bytes), start = blob + BLOB_BYTES;
    put_field(blob, BLOB_NAME, put_text(name));
    put_field(blob, BLOB_FRAME_WORDS, (uint64_t)frame_words);
    put_field(blob, BLOB_FRAME_COMPLETE, (uint64_t)frame_complete);
    put_field(blob, BLOB_CODE, start);
    put_field(blob, BLOB_CODE_OFFSET, BLOB_BYTES);
    memset((void *)(uintptr_t)start, 0x90, code_bytes);
    return blob;
}

static void draw_heap(void)
{
    uint64_t vector = take(16), list = take(8), object = take(160);
    heap = take(HEAP_BYTES);
    segments = take(HEAP_BYTES >> SEGMENT_BITS);
    memset((void *)(uintptr_t)segments, 0xff, HEAP_BYTES >> SEGMENT_BITS);
    put_field(vector, VECTOR_LENGTH, 1);
    put_field(vector, VECTOR_DATA, list);
    put(list, object, 8);
    put(object + 8 + 16, heap, 8);
    put(object + 8 + 24, heap + HEAP_BYTES, 8);
    put(object + 64 + 16, segments, 8);
    put(object + 64 + 24, segments + (HEAP_BYTES >> SEGMENT_BITS), 8);
    put(object + 128, SEGMENT_BITS, 4);
    variable(VARIABLE_HEAPS, vector);
    variable(VARIABLE_LOW, heap);
    variable(VARIABLE_HIGH, heap + HEAP_BYTES);
}

void draw_vm(enum drawn_version version)
{
    memset(arena, 0, sizeof arena);
    used = heap_used = 0;
    make_layout(version);
    layout.head.module_start = take(4096);
    layout.head.module_end = layout.head.module_start + 4096;
    memory = (struct unwind_memory){.start = (uintptr_t)arena, .end = (uintptr_t)arena + ARENA, .copy = copy};
    memset(&code, 0, sizeof code);
    free(methods);
    free(cache);
    methods = calloc(1, sizeof *methods);
    cache = calloc(1, sizeof *cache);
    stack = take(8 * STACK_WORDS);
    draw_heap();
    interpreter = take_blob("Interpreter", 0, 0, INTERPRETER_BYTES) + BLOB_BYTES;
    call_stub = variable(VARIABLE_CALL_STUB_RETURN, take_blob("StubRoutines (1)", 0, 0, 64) + BLOB_BYTES + 32);
    continuation = continuation_code = 0;
    if (version == DRAWN_25) {
        continuation = take_blob("StubRoutines (continuationstubs)", 0, 0, 64) + BLOB_BYTES + 32;
        continuation_code =
            variable(VARIABLE_CONTINUATION_RETURN,
                     draw_code(&(struct drawn_code){.blob = "native nmethod", .frame_words = 10, .pc = 16}) + 16);
    }
}

/* --- methods ------------------------------------------------------------------------------------------------------------- */

static uint64_t put_symbol(const char *text)
{
    uint64_t symbol = take(8 + strlen(text));
    put_field(symbol, SYMBOL_LENGTH, strlen(text));
    memcpy((char *)(uintptr_t)symbol + 6, text, strlen(text));
    return symbol;
}

uint64_t draw_method(const char *class_name, const char *name, const char *signature, const char *file, size_t bytecodes)
{
    const char *const texts[] = {name, signature, file};
    uint64_t method = take(64), constant = take(CONST_BYTES + bytecodes + 64), pool = take(POOL_BYTES + 8 * 4),
             holder = take(64);
    put_field(method, METHOD_CONST, constant);
    put_field(method, METHOD_ENTRY, drawn_method_entry());
    put_field(constant, CONST_CONSTANTS, pool);
    put_field(constant, CONST_CODE_SIZE, bytecodes);
    put_field(constant, CONST_NAME, 1);
    put_field(constant, CONST_SIGNATURE, 2);
    put_field(pool, POOL_HOLDER, holder);
    put_field(pool, POOL_LENGTH, 4);
    put_field(pool, POOL_SOURCE_FILE, file ? 3 : 0);
    put_field(holder, CLASS_NAME, put_symbol(class_name));
    for (size_t i = 0; i < 3; i++)
        if (texts[i])
            put(pool + POOL_BYTES + 8 * (i + 1), put_symbol(texts[i]), 8);
    return method;
}

uint64_t drawn_bytecodes(uint64_t method)
{
    return hotspot_value(&reader, method, METHOD_CONST) + CONST_BYTES;
}

void draw_lines(uint64_t method, const uint8_t *table, size_t length)
{
    uint64_t constant = hotspot_value(&reader, method, METHOD_CONST);
    put_field(constant, CONST_FLAGS, 1);
    memcpy((void *)(uintptr_t)(constant + CONST_BYTES + hotspot_value(&reader, constant, CONST_CODE_SIZE)), table, length);
}

void draw_bytecodes_elsewhere(uint64_t method)
{
    uint64_t constant = hotspot_value(&reader, method, METHOD_CONST), other = take(CONST_BYTES + 256);
    memcpy((void *)(uintptr_t)other, (void *)(uintptr_t)constant, CONST_BYTES);
    put_field(method, METHOD_CONST, other);
}

/* --- code ---------------------------------------------------------------------------------------------------------------- */

/* A number as debug information has it: bytes below 192 end it. */
static size_t pack(uint8_t *out, uint32_t value)
{
    const uint32_t base = layout.version >= 20;
    const uint32_t low = 192 - base;
    size_t length = 0;
    while (value >= low && length < 4) {
        value -= low;
        out[length++] = (uint8_t)(low + base + value % 64);
        value /= 64;
    }
    out[length++] = (uint8_t)(value + base);
    return length;
}

/* Scopes from the outermost on, each of which says where its caller's is; returns that of the innermost. */
static uint32_t pack_scopes(const struct drawn_code *drawn, uint8_t *scopes, size_t *length, uint64_t *metadata)
{
    uint32_t caller = 0;
    size_t count = 0;
    while (count < 4 && drawn->scopes[count].method)
        count++;
    *length = 1; /* 0 is none */
    for (size_t i = count; i-- > 0;) {
        uint32_t here = (uint32_t)*length;
        metadata[count - 1 - i] = drawn->scopes[i].method;
        *length += pack(scopes + *length, caller);
        *length += pack(scopes + *length, (uint32_t)(count - i));
        *length += pack(scopes + *length, (uint32_t)(drawn->scopes[i].bci + 1));
        caller = here;
    }
    return caller;
}

static void draw_tables(uint64_t blob, const struct drawn_code *drawn)
{
    uint8_t scopes[64] = {0};
    uint64_t metadata[4] = {0};
    size_t length;
    uint32_t scope = pack_scopes(drawn, scopes, &length, metadata);
    const int32_t pcs[4][4] = {
        {-1, 0, 0, 0}, {drawn->pc, (int32_t)scope, 0, 0}, {drawn->pc + 1, 0, 0, 0}, {INT32_MAX, 0, 0, 0}};
    uint64_t tables = take(sizeof pcs + sizeof scopes), texts = tables + sizeof pcs, values = take(sizeof metadata);
    memcpy((void *)(uintptr_t)tables, pcs, sizeof pcs);
    memcpy((void *)(uintptr_t)values, metadata, sizeof metadata);
    if (layout.version >= DRAWN_25) {
        put_field(blob, CODE_IMMUTABLE, tables);
        put_field(blob, CODE_IMMUTABLE_SIZE, sizeof pcs + sizeof scopes);
        put_field(blob, CODE_PCS, 0);
        put_field(blob, CODE_SCOPES_OFFSET, sizeof pcs);
        put_field(blob, BLOB_MUTABLE, values - 8);
        put_field(blob, BLOB_RELOCATION_SIZE, 8);
    } else {
        /* All of it is behind the blob: scopes first. */
        texts = tables;
        memmove((void *)(uintptr_t)(tables + sizeof scopes), pcs, sizeof pcs);
        put_field(blob, CODE_PCS, tables + sizeof scopes - blob);
        put_field(blob, CODE_PCS_END, tables + sizeof scopes + sizeof pcs - blob);
        put_field(blob, CODE_SCOPES, texts);
        put_field(blob, CODE_METADATA, values - blob);
    }
    memcpy((void *)(uintptr_t)texts, scopes, sizeof scopes);
}

uint64_t draw_code(const struct drawn_code *drawn)
{
    static uint32_t compilations;
    uint64_t blob = take_blob(drawn->blob, drawn->frame_words, drawn->frame_complete, CODE_BYTES), start = blob + BLOB_BYTES;
    unsigned byte;
    for (size_t i = 0; drawn->bytes && sscanf(drawn->bytes + 3 * i, "%2x", &byte) == 1; i++) {
        put(start + i, byte, 1);
        if (!drawn->bytes[3 * i + 2])
            break;
    }
    put_field(blob, METHOD_OF_CODE, drawn->method);
    put_field(blob, CODE_LEVEL, (uint64_t)drawn->level);
    put_field(blob, CODE_ID, ++compilations);
    put_field(blob, CODE_ENTRY, start + (uint64_t)drawn->entry);
    put_field(blob, CODE_ENTRY_OFFSET, (uint64_t)drawn->entry);
    put_field(blob, CODE_DEOPT, start + (uint64_t)drawn->deopt);
    put_field(blob, CODE_DEOPT_OFFSET, BLOB_BYTES + (uint64_t)drawn->deopt);
    if (drawn->scopes[0].method)
        draw_tables(blob, drawn);
    return start;
}

uint64_t drawn_interpreter(void)
{
    return interpreter + 256;
}

uint64_t drawn_method_entry(void)
{
    return interpreter + 8192;
}

uint64_t drawn_call_stub(void)
{
    return call_stub;
}

uint64_t drawn_continuation(void)
{
    return continuation;
}

uint64_t drawn_continuation_code(void)
{
    return continuation_code;
}

uint64_t drawn_native_code(void)
{
    return layout.head.module_start + 64;
}

uint64_t drawn_stack(size_t word)
{
    return stack + 8 * word;
}

void draw_word(size_t word, uint64_t value)
{
    put(drawn_stack(word), value, 8);
}

void draw_byte(size_t place, uint8_t value)
{
    arena[place % used] = value;
}

/* --- walking ------------------------------------------------------------------------------------------------------------- */

struct unwind_frame drawn_native[DRAWN_FRAMES];
size_t drawn_native_count;
enum unwind_end drawn_end;
static char text[4096], builtins[1024];
static size_t text_length;

__attribute__((format(printf, 1, 2))) static void append(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text + text_length, sizeof text - text_length, format, list);
    va_end(list);
    text_length += (size_t)length < sizeof text - text_length ? (size_t)length : 0;
}

static void note_builtin(const struct hotspot_frame *frame)
{
    char name[64] = "call_stub";
    size_t length = strlen(builtins);
    if (frame->method != HOTSPOT_CALL_STUB)
        hotspot_read_text(&reader, frame->method, name, sizeof name);
    snprintf(builtins + length, sizeof builtins - length, "%s @%d\n", name, (int)((frame->stack_address - stack) / 8));
}

static void emit(void *data, const struct hotspot_frame *frame)
{
    static const char *const tiers[TIER_COUNT] = {"native",    "interpreter", "baseline", "mid",
                                                  "optimised", "inlined",     "wasm",     "builtin"};
    static struct hotspot_name name;
    (void)data;
    if (frame->method == HOTSPOT_VIRTUAL_THREAD) {
        append("virtual thread @%d\n", (int)((frame->stack_address - stack) / 8));
        return;
    }
    if (frame->tier == TIER_BUILTIN) {
        note_builtin(frame);
        return;
    }
    if (!hotspot_method_name(&reader, frame->method, &name))
        strcpy(name.name, "no method");
    append("%.*s %s ", (int)strcspn(name.name, "("), name.name, tiers[frame->tier]);
    if (frame->bci == HOTSPOT_NO_BCI)
        append("?");
    else
        append("%d", frame->bci);
    append(" @%d\n", (int)((frame->stack_address - stack) / 8));
}

const char *walk_drawn(const struct drawn_registers *drawn)
{
    static struct unwind_cache rules;
    static const struct unwind_module_list no_modules;
    struct hotspot_walk walk = {.reader = reader, .methods = methods, .cache = cache, .time = 1, .emit = emit};
    struct unwind unwind = {.list = &no_modules, .cache = &rules, .generation = 1, .hook = hotspot_hook(&walk)};
    struct unwind_registers registers = {.known = UNWIND_ALL_KNOWN};
    registers.value[UNWIND_PC] = drawn->pc;
    registers.value[UNWIND_SP] = drawn->sp;
    registers.value[UNWIND_FP] = drawn->fp;
    registers.value[0] = drawn->rax;
    registers.value[3] = drawn->rbx;
    registers.value[13] = drawn->r13;
    registers.value[15] = drawn->r15;
    text_length = 0;
    text[0] = builtins[0] = '\0';
    drawn_native_count = unwind_stack(&unwind, &registers, &memory, drawn_native, DRAWN_FRAMES, &drawn_end);
    return text;
}

const char *drawn_builtins(void)
{
    return builtins;
}

struct hotspot_reader *drawn_reader(void)
{
    return &reader;
}

struct hotspot_methods *drawn_methods(void)
{
    return methods;
}

struct hotspot_layout *drawn_layout(void)
{
    return &layout;
}
