#include "runtime/hotspot/told.h"

#include <string.h>

static size_t write_lines(struct hotspot_told *told, uint32_t size)
{
    struct code_line previous = {0};
    size_t used = 0;
    const struct hotspot_name *name = &told->name;
    for (size_t i = 0; i < name->line_count; i++)
        used += code_line_write(told->lines + used, sizeof told->lines - used,
                                (struct code_line){name->lines[i].bci, name->lines[i].line}, &previous);
    /* What stands behind the bytecodes has no line. */
    used += code_line_write(told->lines + used, sizeof told->lines - used, (struct code_line){size, 0}, &previous);
    return used;
}

/* A Method can have gone between the sample and now, with its class, and its memory can have become something else: it must be
 * the same one before its name is read and after that. */
static bool find_name(struct hotspot_told *told, struct hotspot_reader *reader, const struct hotspot_known_method *known,
                      uint64_t method)
{
    return hotspot_method_is(reader, known, method) && hotspot_method_name(reader, method, &told->name) &&
           hotspot_method_is(reader, known, method);
}

static void tell(struct hotspot_told *told, struct hotspot_reader *reader, const struct hotspot_known_method *known,
                 void (*put)(void *data, const struct code_entry *entry), void *data)
{
    uint64_t method = atomic_load_explicit(&known->method, memory_order_relaxed);
    struct code_entry entry = {.time = atomic_load_explicit(&known->since, memory_order_relaxed),
                               .runtime = RUNTIME_HOTSPOT,
                               .was_there = true,
                               .start = method};
    if (find_name(told, reader, known, method)) {
        entry.name = slice_of(told->name.name);
        entry.file = slice_of(told->name.file);
        entry.line = told->name.line_count > 0 ? told->name.lines[0].line : 0;
        entry.lines.text = (const char *)told->lines;
        entry.lines.length = write_lines(told, atomic_load_explicit(&known->size, memory_order_relaxed));
    } else {
        entry.name = SLICE("(Java method that was unloaded)");
    }
    put(data, &entry);
}

static void tell_builtin(uint64_t number, struct slice name, void (*put)(void *data, const struct code_entry *entry),
                         void *data)
{
    put(data, &(struct code_entry){
                  .runtime = RUNTIME_HOTSPOT, .tier = TIER_BUILTIN, .was_there = true, .start = number, .name = name});
}

static void tell_names(struct hotspot_told *told, struct hotspot_reader *reader,
                       void (*put)(void *data, const struct code_entry *entry), void *data)
{
    char text[64];
    uint64_t name;
    if (!told->began) {
        told->began = true;
        tell_builtin(HOTSPOT_VIRTUAL_THREAD, SLICE("(virtual thread: older frames are not on the stack)"), put, data);
        tell_builtin(HOTSPOT_CALL_STUB, SLICE("call_stub"), put, data);
    }
    while ((name = hotspot_names_next(reader->code, told->names_seen)) != 0)
        if (hotspot_read_text(reader, name, text, sizeof text))
            tell_builtin(name, slice_of(text), put, data);
}

void hotspot_told_forget(struct hotspot_told *told)
{
    told->began = false;
    told->at = 0;
    memset(told->names_seen, 0, sizeof told->names_seen);
}

size_t hotspot_tell(struct hotspot_told *told, struct hotspot_state *state, struct unwind_memory *memory, size_t most,
                    void (*put)(void *data, const struct code_entry *entry), void *data)
{
    struct hotspot_reader reader = {.layout = state->layout, .memory = memory, .code = &state->code};
    const struct hotspot_known_method *known;
    size_t count = 0;
    tell_names(told, &reader, put, data);
    for (; count < most && (known = hotspot_methods_next(&state->methods, &told->at)); count++)
        tell(told, &reader, known, put, data);
    return count;
}
