#include "profile/func_changes.h"

#include "common/indexed.h"

void func_changes_free(struct func_changes *changes)
{
    vec_free(&changes->start);
    vec_free(&changes->funcs);
}

struct func_sequence func_changes_of(const struct func_changes *changes, uint32_t *func)
{
    struct func_sequence itself = {func, 1};
    if (changes->start.count == 0 || *func == INDEX_NONE)
        return itself;
    uint32_t count = (uint32_t)(changes->start.count - 1);
    if (*func >= count) {
        *func += changes->count_after - count;
        return itself;
    }
    uint32_t first = changes->start.items[*func], end = changes->start.items[*func + 1];
    return first < end ? (struct func_sequence){changes->funcs.items + first, end - first} : itself;
}
