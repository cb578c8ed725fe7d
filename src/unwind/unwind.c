#include "unwind/unwind.h"

#include "unwind/row_step.h"
#include "unwind/step.h"

#include <string.h>

/* What the frames of a walk share. */
struct walk {
    const struct unwind *unwind;
    const struct unwind_module_list *list; /* NULL until a rule is not in the cache */
    const struct unwind_module *module;    /* where the last one was found, most often also the next */
    struct unwind_registers *registers;
    struct unwind_memory *memory;
    uint64_t generation;
    bool is_guessed;            /* a frame pointer was followed that no rule vouches for */
    struct unwind_module found; /* that the list does not have */
};

static struct unwind_rule rule_of(uint64_t word)
{
    struct unwind_rule rule;
    memcpy(&rule, &word, sizeof rule);
    return rule;
}

static const struct unwind_module *module_at(struct walk *walk, uint64_t address)
{
    if (!walk->list)
        walk->list = unwind_modules_enter(walk->unwind->modules);
    if (!walk->module || address < walk->module->start || address >= walk->module->end)
        walk->module = unwind_module_find(walk->list, address);
    if (!walk->module && walk->unwind->find && !walk->is_guessed && walk->unwind->find(address, &walk->found))
        walk->module = &walk->found;
    return walk->module;
}

static struct unwind_rule rule_from_tables(const struct unwind_module *module, uint64_t address,
                                           const struct unwind_memory *memory)
{
    struct frame_description description;
    struct cfa_row row;
    if (!eh_frame_find(&module->eh_frame, address, &description))
        return rule_without_tables(address, memory);
    if (!cfa_program_run(&module->eh_frame, &description, address, &row))
        return (struct unwind_rule){.kind = RULE_NONE};
    return rule_make(&module->eh_frame, &description, &row, address, memory);
}

/* Not for the cache is code outside all modules: it can change at any time, and a module can take its place. Nor is a module
 * that is in no list: nobody notices when it goes, so that the generation would stay when another one takes its place. */
__attribute__((noinline)) static uint64_t rule_find(struct walk *walk, uint64_t address, uint64_t key)
{
    uint64_t word = 0;
    if (unwind_cache_get_older(walk->unwind->cache, key, &word))
        return word;
    const struct unwind_module *module = module_at(walk, address);
    struct unwind_rule rule = {.kind = RULE_NONE};
    if (module)
        rule = rule_from_tables(module, address, walk->memory);
    memcpy(&word, &rule, sizeof word);
    if (module && module != &walk->found)
        unwind_cache_put(walk->unwind->cache, key, word);
    return word;
}

__attribute__((always_inline)) static inline struct unwind_rule rule_at(struct walk *walk, uint64_t address)
{
    uint64_t key = unwind_cache_key(address, walk->generation);
    uint64_t word;
    if (!unwind_cache_get(walk->unwind->cache, key, &word))
        word = rule_find(walk, address, key);
    return rule_of(word);
}

/* RULE_ROW. `*exact` is set where the caller was interrupted by a signal. */
__attribute__((noinline)) static enum unwind_end step_row(struct walk *walk, uint64_t address, bool *exact)
{
    const struct unwind_module *module = module_at(walk, address);
    struct frame_description description;
    struct cfa_row row;
    /* The rule can be of a module that has gone since. */
    if (!module || !eh_frame_find(&module->eh_frame, address, &description) ||
        !cfa_program_run(&module->eh_frame, &description, address, &row))
        return UNWIND_NO_RULE;
    enum unwind_end end = row_step(&module->eh_frame, &description, &row, *exact, walk->registers, walk->memory);
    *exact = description.signal_frame;
    return end;
}

/* RULE_NONE. The frame pointer, if it is one, points to a pair {the caller's frame pointer, return address}, and the pairs lead
 * up the stack. By the conventions of both CPUs it is 0 in the outermost frame: the dynamic linker, which has no tables for its
 * first instructions, sets it so before it calls constructors. A caller whose own code has rules may use the register for
 * something else, so it need not hold a higher address. */
__attribute__((noinline)) static enum unwind_end step_frame_pointer(struct walk *walk)
{
    struct unwind_registers *registers = walk->registers;
    uint64_t fp = registers->value[UNWIND_FP], next_fp, pc;
    if (registers->known >> UNWIND_FP & 1 && fp == 0)
        return UNWIND_COMPLETE;
    if (!(registers->known >> UNWIND_FP & 1) || fp % 8 != 0 || fp < registers->value[UNWIND_SP])
        return UNWIND_NO_RULE;
    if (!unwind_memory_read(walk->memory, fp, &next_fp) || !unwind_memory_read(walk->memory, fp + 8, &pc))
        return UNWIND_UNREADABLE;
    pc = step_strip(pc);
    walk->is_guessed = true;
    bool leads_up = next_fp % 8 == 0 && next_fp > fp;
    if (!leads_up && pc != 0 && rule_at(walk, pc - 1).kind == RULE_NONE)
        return UNWIND_NO_RULE;
    step_over_frame_pointer(registers, fp, next_fp, pc);
    return UNWIND_GOES_ON;
}

static bool is_known_code(struct walk *walk, uint64_t pc)
{
    return pc >= 4096 && (rule_at(walk, pc - 1).kind != RULE_NONE || rule_at(walk, pc).kind != RULE_NONE);
}

/* RULE_NONE of the byte before a return address, where a function begins at that address: nobody called. The address was put
 * there for the first function of a stack to return to, as makecontext() does. That function has begun nothing yet, so its
 * first row holds; but somebody above it is there only where that leads to code. In the GNU C library it mostly leads to
 * uc_link, which is no return address, or to nothing. */
__attribute__((noinline)) static enum unwind_end step_put_address(struct walk *walk, uint64_t pc, bool *exact)
{
    struct unwind_rule rule = rule_at(walk, pc);
    enum unwind_end end = UNWIND_COMPLETE;
    *exact = true;
    if (rule.kind == RULE_ROW) {
        end = step_row(walk, pc, exact);
    } else if (rule.kind == RULE_SIGNAL) {
        end = step_signal(walk->registers, walk->memory);
    } else if (rule.kind == RULE_FRAME) {
        end = step_frame(rule, true, walk->registers, walk->memory);
        *exact = false;
    }
    bool goes_on = end == UNWIND_GOES_ON && is_known_code(walk, walk->registers->value[UNWIND_PC]);
    return goes_on ? UNWIND_GOES_ON : UNWIND_COMPLETE;
}

/* The runtime's code. Whoever the hook leads to must be further up, or the walk would never end. */
__attribute__((noinline)) static enum unwind_end step_hook(struct walk *walk, bool exact)
{
    const struct unwind_hook *hook = &walk->unwind->hook;
    uint64_t sp = walk->registers->value[UNWIND_SP];
    enum unwind_end end = hook->step(hook->data, walk->registers, walk->memory, exact);
    if (end == UNWIND_NO_RULE)
        return step_frame_pointer(walk);
    return end == UNWIND_GOES_ON && walk->registers->value[UNWIND_SP] <= sp ? UNWIND_NO_PROGRESS : end;
}

/* From the frame `count` on, which `registers` are of. `exact`: its pc is where it stands, not behind a call. */
__attribute__((always_inline)) static inline size_t walk_from(const struct unwind *unwind, struct unwind_registers *registers,
                                                              struct unwind_memory *memory, struct unwind_frame *frames,
                                                              size_t count, bool exact, size_t room, enum unwind_end *end)
{
    struct walk walk = {.unwind = unwind,
                        .list = unwind->list,
                        .registers = registers,
                        .memory = memory,
                        .generation = unwind->modules ? unwind_modules_generation(unwind->modules) : unwind->generation};
    unwind_cache_ready(unwind->cache, walk.generation);
    enum unwind_end result = UNWIND_GOES_ON;
    while (result == UNWIND_GOES_ON) {
        uint64_t pc = registers->value[UNWIND_PC];
        /* No code lies in the first page: what was followed is no return address. */
        if (pc < 4096 && count > 0) {
            result = pc == 0 ? UNWIND_COMPLETE : UNWIND_NO_RULE;
            break;
        }
        if (count == room) {
            result = UNWIND_NO_ROOM;
            break;
        }
        frames[count++] = (struct unwind_frame){.pc = pc, .sp = registers->value[UNWIND_SP] & INT64_MAX, .exact = exact};
        uint64_t address = exact ? pc : pc - 1;
        if (address - unwind->hook.start < unwind->hook.end - unwind->hook.start) {
            result = step_hook(&walk, exact);
            exact = false;
            continue;
        }
        struct unwind_rule rule = rule_at(&walk, address);
        bool youngest = exact;
        exact = false;
        switch ((enum rule_kind)rule.kind) {
        case RULE_FRAME:
            result = step_frame(rule, youngest, registers, memory);
            break;
        case RULE_END:
            result = UNWIND_COMPLETE;
            break;
        case RULE_NONE:
            exact = step_may_be_signal(registers) && rule_without_tables(address, memory).kind == RULE_SIGNAL;
            if (exact) {
                result = step_signal(registers, memory);
            } else if (!youngest && rule_at(&walk, pc).kind != RULE_NONE) {
                frames[count - 1].exact = true;
                result = step_put_address(&walk, pc, &exact);
            } else {
                result = step_frame_pointer(&walk);
            }
            break;
        case RULE_SIGNAL:
            result = step_signal(registers, memory);
            exact = true;
            break;
        case RULE_ROW:
            exact = youngest;
            result = step_row(&walk, address, &exact);
            break;
        }
        if (STEP_FRAME_POINTERS_EVERYWHERE && result == UNWIND_NO_REGISTER) {
            result = step_frame_pointer(&walk);
            exact = false;
        }
    }
    if (walk.list && unwind->modules)
        unwind_modules_leave(unwind->modules);
    *end = result;
    return count;
}

size_t unwind_stack(const struct unwind *unwind, struct unwind_registers *registers, struct unwind_memory *memory,
                    struct unwind_frame *frames, size_t room, enum unwind_end *end)
{
    return walk_from(unwind, registers, memory, frames, 0, true, room, end);
}

size_t unwind_stack_continue(const struct unwind *unwind, struct unwind_registers *registers, struct unwind_memory *memory,
                             struct unwind_frame *frames, size_t count, size_t room, enum unwind_end *end)
{
    return walk_from(unwind, registers, memory, frames, count - 1, frames[count - 1].exact, room, end);
}
