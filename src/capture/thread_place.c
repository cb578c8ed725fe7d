#include "capture/thread_place.h"

#include "capture/module_watch.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/auxv.h>

/* The bounds of the library that this is in, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

enum { BEGINNING_FRAMES = 2 }; /* of the C library, between the entry of a program and main() */

struct modules {
    const struct unwind_module_list *list;
    const struct unwind_module *c_library, *linker, *ours;
};

/* In a program that is not position-independent the address of a function may be that of the jump to it. */
static bool is_jump(void *function)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    return dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol && symbol->st_shndx == SHN_UNDEF;
}

static const struct unwind_module *find_allocator(const struct unwind_module_list *list)
{
    void *function = dlsym(RTLD_DEFAULT, "malloc");
    const struct unwind_module *found = unwind_module_find(list, (uintptr_t)function);
    if (found == unwind_module_find(list, getauxval(AT_ENTRY)) && is_jump(function))
        found = unwind_module_find(list, (uintptr_t)dlsym(RTLD_NEXT, "malloc"));
    return found;
}

static const struct unwind_module *module_at(const struct modules *modules, const struct raw_stack *raw, uint32_t frame)
{
    return unwind_module_find(modules->list, raw->native[frame].pc - !raw->native[frame].exact);
}

/* How many of the frames are not of the beginning of the program. */
static uint32_t without_beginning(const struct modules *modules, const struct raw_stack *raw)
{
    uint32_t count = raw->native_count;
    if (count > 1 && module_at(modules, raw, count - 2) == modules->c_library)
        count--; /* its entry */
    for (unsigned i = 0; i < BEGINNING_FRAMES && count > 0 && module_at(modules, raw, count - 1) == modules->c_library; i++)
        count--;
    return count;
}

/* A function that the program has called, in the C library or in front of that. */
static bool is_of_call(const struct modules *modules, const struct unwind_module *module)
{
    return module == modules->c_library || module == modules->ours;
}

/* The youngest frame that is not of the wait; all up to `count` if there is none. */
static uint32_t without_wait(const struct modules *modules, const struct raw_stack *raw, uint32_t count)
{
    uint32_t first = 0;
    while (first < count && is_of_call(modules, module_at(modules, raw, first)))
        first++;
    return first;
}

static bool are_free(const struct modules *modules, const struct raw_stack *raw, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < count; i++) {
        const struct unwind_module *module = module_at(modules, raw, i);
        if (is_of_call(modules, module) || module == modules->linker)
            return false;
    }
    /* After that: who looks for it asks the linker. */
    const struct unwind_module *allocator = find_allocator(modules->list);
    bool free = first < count && allocator;
    for (uint32_t i = first; i < count; i++)
        free &= module_at(modules, raw, i) != allocator;
    return free;
}

/* The youngest frame that a signal interrupted. */
static uint32_t interrupted(const struct raw_stack *raw)
{
    uint32_t first = 0;
    while (first < raw->native_count && !raw->native[first].exact)
        first++;
    return first;
}

bool thread_place_is_free(const struct raw_stack *raw, enum thread_place place)
{
    const struct unwind *unwind = module_watch_unwind();
    if (!unwind || raw->end != UNWIND_COMPLETE)
        return false;
    uint32_t first = place == PLACE_CALLED ? interrupted(raw) : 0;
    if (first == raw->native_count)
        return true;
    const struct unwind_module_list *list = unwind_modules_enter(unwind->modules);
    struct modules modules = {
        .list = list,
        .c_library = unwind_module_find(list, (uintptr_t)gnu_get_libc_version),
        .linker = unwind_module_find(list, getauxval(AT_BASE)),
        .ours = unwind_module_find(list, (uintptr_t)__ehdr_start),
    };
    uint32_t count = without_beginning(&modules, raw);
    if (place == PLACE_WAITS)
        first = without_wait(&modules, raw, count);
    bool free = modules.c_library && modules.linker && modules.ours && are_free(&modules, raw, first, count);
    unwind_modules_leave(unwind->modules);
    return free;
}
