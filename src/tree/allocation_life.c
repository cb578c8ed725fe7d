#include "tree/allocation_life.h"

static const double young_share = 0.1;

void allocation_lives_free(struct allocation_lives *lives)
{
    memory_release(lives->is_freed);
    memory_release(lives->longest);
    *lives = (struct allocation_lives){0};
}

int allocation_lives_find(struct allocation_rows *rows, size_t stack_count, double start, double end,
                          struct allocation_lives *lives, struct error *error)
{
    *lives = (struct allocation_lives){
        .is_freed = memory_zeroed(rows->count + 1, 1),
        .longest = memory_zeroed(stack_count + 1, sizeof(double)),
        .end = end,
        .young = end - young_share * (end - start),
    };
    if (!lives->is_freed || !lives->longest)
        return error_out_of_memory(error);
    for (size_t row = rows->rows.first; row < rows->rows.end; row++) {
        size_t freed;
        if (!allocation_rows_match(rows, row, &freed))
            return error_out_of_memory(error);
        if (freed == SIZE_MAX)
            continue;
        uint32_t stack = rows->stack[freed];
        double life = rows->time[row] - rows->time[freed];
        lives->is_freed[freed] = 1;
        if (stack != INDEX_NONE && rows->time[row] < lives->young && life > lives->longest[stack])
            lives->longest[stack] = life;
    }
    return 0;
}
