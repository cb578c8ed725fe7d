#include "symbols/symbolication.h"

#include <errno.h>

void stack_moves_free(struct stack_moves *moves)
{
    memory_release(moves->of_raw);
    memory_release(moves->raw_of);
    *moves = (struct stack_moves){0};
}

/* How many stacks there will be; SIZE_MAX where that is too many. */
static size_t count_stacks(const struct shape *shape, const uint32_t *frames, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count && sum < INDEX_NONE; i++)
        sum += shape->expansions[frames[i]].count;
    return sum < INDEX_NONE - 1 ? sum : SIZE_MAX;
}

/* Each raw stack becomes a chain, of one stack mostly; what it called is now called from the end of the chain. A stack that is
 * gone hands what it called on to its own caller. */
static void append_chains(const struct shape *shape, const uint32_t *frames, const uint32_t *prefixes, size_t count,
                          struct stack_table *stacks, struct stack_moves *moves)
{
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        struct expansion expansion = shape->expansions[frames[i]];
        uint32_t prefix = prefixes[i] == INDEX_NONE ? INDEX_NONE : moves->of_raw[prefixes[i]];
        for (uint32_t k = 0; k < expansion.count; k++) {
            column_append(&stacks->up, prefix == INDEX_NONE ? 0 : (int64_t)(next - prefix));
            column_append(&stacks->frame, shape->calls.items[expansion.first + k]);
            moves->raw_of[next] = (uint32_t)i;
            prefix = next++;
        }
        moves->of_raw[i] = prefix;
    }
    moves->count = next;
}

int stacks_expand(const struct symbolication *symbolication, const struct shape *shape, struct stack_table *stacks,
                  struct stack_moves *moves, struct error *error)
{
    const struct stack_table *raw = &symbolication->raw.stacks;
    size_t count = stack_count(raw), room = 0;
    uint32_t *frames = memory_array(count + 1, sizeof *frames), *prefixes = memory_array(count + 1, sizeof *prefixes);
    moves->of_raw = memory_array(count + 1, sizeof *moves->of_raw);
    if (frames && prefixes && moves->of_raw) {
        column_read_u32(&raw->frame, 0, count, frames);
        stack_table_read_prefixes(raw, prefixes);
        room = count_stacks(shape, frames, count);
        moves->raw_of = room == SIZE_MAX ? NULL : memory_array(room + 1, sizeof *moves->raw_of);
    }
    if (moves->raw_of)
        append_chains(shape, frames, prefixes, count, stacks, moves);
    memory_release(frames);
    memory_release(prefixes);
    if (room == SIZE_MAX)
        return error_set(error, -EOVERFLOW, "with inlined calls there are more stacks than a profile can hold");
    return moves->raw_of ? 0 : error_out_of_memory(error);
}
