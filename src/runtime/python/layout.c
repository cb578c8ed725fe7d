#include "runtime/python/layout.h"

#include <stdio.h>

/* What is the same in several. */
#define CODE_TO_310                                                                                                            \
    .file = 104, .name = 112, .first_line = 40, .line_table = 120, .ascii = 48, .compact = 72, .bytes = 32, .code_size = 176,  \
    .interpreters = 32, .next_interpreter = 0, .threads = 8, .next_thread = 8, .thread_id = 176, .frame = 24, .previous = 24,  \
    .code = 32, .chain = PYTHON_FRAME_EACH

static const struct known_version {
    unsigned minor;
    struct python_offsets offsets;
} versions[] = {
    {9, {CODE_TO_310, .instruction = 104, .instruction_bytes = 1, .lines = PYTHON_LINES_LNOTAB}},
    {10, {CODE_TO_310, .instruction = 96, .instruction_bytes = 2, .lines = PYTHON_LINES_RANGES}},
    {11,
     {.interpreters = 40,
      .next_interpreter = 0,
      .threads = 16,
      .next_thread = 8,
      .thread_id = 152,
      .frame = 56,
      .cframe_frame = 8,
      .cframe_previous = 16,
      .previous = 48,
      .code = 32,
      .instruction = 56,
      .owner = 69,
      .is_entry = 68,
      .file = 112,
      .name = 128,
      .first_line = 72,
      .line_table = 136,
      .bytecode = 184,
      .ascii = 48,
      .compact = 72,
      .bytes = 32,
      .code_size = 184,
      .chain = PYTHON_CFRAMES,
      .lines = PYTHON_LINES_LOCATIONS}},
    {12,
     {.interpreters = 40,
      .next_interpreter = 0,
      .threads = 72,
      .next_thread = 8,
      .thread_id = 136,
      .frame = 56,
      .cframe_frame = 0,
      .cframe_previous = 8,
      .previous = 8,
      .code = 0,
      .instruction = 56,
      .owner = 70,
      .file = 112,
      .name = 128,
      .first_line = 68,
      .line_table = 136,
      .bytecode = 192,
      .ascii = 40,
      .compact = 56,
      .bytes = 32,
      .code_size = 192,
      .chain = PYTHON_CFRAME_SHIMS,
      .lines = PYTHON_LINES_LOCATIONS,
      .shim_owner = 3}},
};

static bool find_version(unsigned minor, struct python_offsets *offsets)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].minor == minor) {
            *offsets = versions[i].offsets;
            return true;
        }
    return false;
}

static bool read_words(struct unwind_memory *memory, uint64_t address, uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!unwind_memory_read(memory, address + i * sizeof *words, &words[i]))
            return false;
    return true;
}

/* --- 3.13 on: the table at the start of _PyRuntime ----------------------------------------------------------------------- */

/* Its words: three that say what it is, then groups, which grow with minor versions. */
enum {
    TABLE_COOKIE,
    TABLE_VERSION,
    TABLE_FREE_THREADED,
    TABLE_RUNTIME,         /* size, finalizing, interpreters */
    TABLE_INTERPRETER = 6, /* size, id, next, threads, … */
    TABLE_MOST = 64,
};

static const struct known_table {
    unsigned minor;
    unsigned thread; /* size, prev, next, interp, current_frame, thread_id, … */
    unsigned frame;  /* size, previous, executable, instr_ptr, localsplus, owner, … */
    unsigned code;   /* size, filename, name, qualname, linetable, firstlineno, …, co_code_adaptive */
} tables[] = {{13, 19, 28, 34}, {14, 22, 31, 39}};

static bool take_table(unsigned minor, const uint64_t *table, struct python_offsets *out)
{
    const struct known_table *known = tables;
    while (known < tables + sizeof tables / sizeof *tables && known->minor != minor)
        known++;
    if (known == tables + sizeof tables / sizeof *tables)
        return false;
    const struct {
        uint16_t *offset;
        unsigned at;
    } places[] = {
        {&out->interpreters, TABLE_RUNTIME + 2}, {&out->next_interpreter, TABLE_INTERPRETER + 2},
        {&out->threads, TABLE_INTERPRETER + 3},  {&out->next_thread, known->thread + 2},
        {&out->thread_id, known->thread + 5},    {&out->frame, known->thread + 4},
        {&out->previous, known->frame + 1},      {&out->code, known->frame + 2},
        {&out->instruction, known->frame + 3},   {&out->owner, known->frame + 5},
        {&out->file, known->code + 1},           {&out->name, known->code + 3},
        {&out->line_table, known->code + 4},     {&out->first_line, known->code + 5},
        {&out->bytecode, known->code + 9},       {&out->code_size, known->code + 9},
    };
    *out = (struct python_offsets){
        .ascii = 40, .compact = 56, .bytes = 32, .chain = PYTHON_SHIMS, .lines = PYTHON_LINES_LOCATIONS, .shim_owner = 3};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (table[places[i].at] > UINT16_MAX)
            return false;
        *places[i].offset = (uint16_t)table[places[i].at];
    }
    return true;
}

/* --- by what it is known ------------------------------------------------------------------------------------------------- */

bool python_symbols_find(struct python_symbols *symbols, const struct module_names *names)
{
    uint64_t length = 0;
    *symbols = (struct python_symbols){.runtime = module_names_find(names, "_PyRuntime", NULL)};
    if (symbols->runtime == 0)
        return false;
    symbols->code_type = module_names_find(names, "PyCode_Type", NULL);
    symbols->version = module_names_find(names, "Py_Version", NULL);
    symbols->eval_start = module_names_find(names, "_PyEval_EvalFrameDefault", &length);
    symbols->eval_end = symbols->eval_start + length;
    symbols->has_gc_is_enabled = module_names_find(names, "PyGC_IsEnabled", NULL) != 0;
    symbols->has_get_frame = module_names_find(names, "PyThreadState_GetFrame", NULL) != 0;
    return true;
}

/* --- what is there ------------------------------------------------------------------------------------------------------- */

enum { HEX_MAJOR = 24, HEX_MINOR = 16, HEX_MICRO = 8 };

static uint64_t version_of(const struct python_symbols *symbols, struct unwind_memory *memory)
{
    uint64_t word;
    if (symbols->version != 0)
        return unwind_memory_read(memory, symbols->version, &word) ? word & UINT32_MAX : 0;
    /* Before 3.11 no datum says so; but each minor version brought functions. */
    unsigned minor = symbols->has_gc_is_enabled ? 10 : symbols->has_get_frame ? 9 : 0;
    return minor ? 3 << HEX_MAJOR | minor << HEX_MINOR : 0;
}

static void set_name(struct python_layout *layout, const struct python_symbols *symbols, uint64_t version, bool free_threaded)
{
    unsigned major = version >> HEX_MAJOR & 0xff, minor = version >> HEX_MINOR & 0xff, micro = version >> HEX_MICRO & 0xff;
    char *name = layout->head.name;
    if (version == 0)
        snprintf(name, RUNTIME_NAME_ROOM, "CPython before 3.9");
    else if (symbols->version == 0)
        snprintf(name, RUNTIME_NAME_ROOM, "CPython %u.%u", major, minor);
    else
        snprintf(name, RUNTIME_NAME_ROOM, "CPython %u.%u.%u%s", major, minor, micro, free_threaded ? " free-threaded" : "");
}

/* The type of code objects says how large they are: a build with other members is told apart. */
static bool is_as_expected(const struct python_layout *layout, struct unwind_memory *memory)
{
    enum { BASIC_SIZE = 32 };
    uint64_t size;
    return unwind_memory_read(memory, layout->code_type + BASIC_SIZE, &size) && size == layout->offsets.code_size;
}

void python_layout_make(struct python_layout *layout, const struct python_symbols *symbols, struct unwind_memory *memory)
{
    enum { MAJOR = 3, FIRST_WITH_TABLE = 13 };
    const uint64_t cookie = 0x7970677562656478; /* "xdebugpy" */
    uint64_t version = version_of(symbols, memory), table[TABLE_MOST];
    unsigned minor = version >> HEX_MINOR & 0xff;
    bool free_threaded = false, known = false;
    memset(layout, 0, sizeof *layout); /* with what is between its members: all of it is written down */
    layout->head.kind = RUNTIME_PYTHON;
    layout->head.length = sizeof *layout;
    layout->runtime = symbols->runtime;
    layout->code_type = symbols->code_type;
    layout->eval_start = symbols->eval_start;
    layout->eval_end = symbols->eval_end;
    if (minor >= FIRST_WITH_TABLE && read_words(memory, symbols->runtime, table, TABLE_MOST) && table[TABLE_COOKIE] == cookie) {
        free_threaded = table[TABLE_FREE_THREADED] != 0;
        known = !free_threaded && table[TABLE_VERSION] == version && take_table(minor, table, &layout->offsets);
    } else if (minor < FIRST_WITH_TABLE) {
        known = find_version(minor, &layout->offsets);
    }
    layout->head.is_known = known && version >> HEX_MAJOR == MAJOR && symbols->eval_start != 0 && symbols->code_type != 0 &&
                            is_as_expected(layout, memory) && python_layout_check(layout);
    set_name(layout, symbols, version, free_threaded);
}

bool python_layout_check(const struct python_layout *layout)
{
    /* What the walker reads at once, it reads into fixed memory. */
    const struct python_offsets *offsets = &layout->offsets;
    return offsets->thread_id < PYTHON_THREAD_BYTES - 8 && offsets->next_thread < PYTHON_THREAD_BYTES - 8 &&
           offsets->frame < PYTHON_THREAD_BYTES - 8 && offsets->previous < PYTHON_FRAME_BYTES - 8 &&
           offsets->code < PYTHON_FRAME_BYTES - 8 && offsets->instruction < PYTHON_FRAME_BYTES - 8 &&
           offsets->owner < PYTHON_FRAME_BYTES && offsets->is_entry < PYTHON_FRAME_BYTES &&
           offsets->cframe_frame <= PYTHON_CFRAME_BYTES - 8 && offsets->cframe_previous <= PYTHON_CFRAME_BYTES - 8 &&
           offsets->file < PYTHON_CODE_BYTES - 8 && offsets->name < PYTHON_CODE_BYTES - 8 &&
           offsets->line_table < PYTHON_CODE_BYTES - 8 && offsets->first_line < PYTHON_CODE_BYTES - 8 &&
           offsets->chain <= PYTHON_SHIMS && offsets->lines <= PYTHON_LINES_LOCATIONS &&
           offsets->ascii <= PYTHON_STRING_BYTES && offsets->compact <= PYTHON_STRING_BYTES &&
           layout->head.name[RUNTIME_NAME_ROOM - 1] == '\0';
}
