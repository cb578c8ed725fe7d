#include "api/generations.h"

#include "common/memory.h"

/* ---- all of them ---- */

static void forget(struct generations *generations, size_t count)
{
    for (size_t i = 0; i < count; i++)
        func_changes_free(&generations->changes.items[i]);
    generations->changes.count -= count;
    if (generations->changes.count > 0)
        memmove(generations->changes.items, generations->changes.items + count,
                generations->changes.count * sizeof *generations->changes.items);
}

void generations_free(struct generations *generations)
{
    forget(generations, generations->changes.count);
    vec_free(&generations->changes);
}

void generations_add(struct generations *generations, struct func_changes *changes)
{
    generations->now++;
    if (generations->changes.count == GENERATIONS_MOST)
        forget(generations, 1);
    if (!vec_push(&generations->changes, *changes)) {
        forget(generations, generations->changes.count);
        func_changes_free(changes);
    }
    *changes = (struct func_changes){0};
}

bool generations_know(const struct generations *generations, uint32_t generation)
{
    return generation <= generations->now && generations->now - generation <= generations->changes.count;
}

/* ---- from one of them to the present ---- */

/* A library has its name in all generations, behind the functions. */
static struct func_list *list_without_names(const struct func_list *present, uint32_t own_count)
{
    uint32_t resources = present->count - present->own_count;
    struct func_list *funcs = memory_zeroed(1, sizeof *funcs);
    if (!funcs)
        return NULL;
    funcs->profile = present->profile;
    funcs->own_count = own_count;
    funcs->count = own_count + resources;
    funcs->name = memory_array((size_t)funcs->count + 1, sizeof *funcs->name);
    if (!funcs->name) {
        memory_release(funcs);
        return NULL;
    }
    memset(funcs->name, 0xff, own_count * sizeof *funcs->name);
    memcpy(funcs->name + own_count, present->name + present->own_count, resources * sizeof *funcs->name);
    return funcs;
}

bool carrying_begin(struct carrying *carrying, const struct generations *generations, uint32_t generation,
                    const struct func_list *present)
{
    size_t count = generations->now - generation;
    uint32_t own_count = present->own_count;
    *carrying = (struct carrying){.count = count, .first_strings = generations->first_strings};
    if (count == 0)
        return true;
    carrying->changes = generations->changes.items + (generations->changes.count - count);
    for (size_t i = 0; i < count; i++)
        if (carrying->changes[i].start.count > 0) {
            own_count = (uint32_t)(carrying->changes[i].start.count - 1);
            break;
        }
    carrying->before = list_without_names(present, own_count);
    return carrying->before != NULL;
}

void carrying_end(struct carrying *carrying)
{
    if (carrying->before)
        memory_release(carrying->before->name);
    memory_release(carrying->before);
}
