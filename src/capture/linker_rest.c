#include "capture/linker_rest.h"

#include "unwind/registers.h"

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

/* It leaves the address in the table of the program (DT_DEBUG), whose headers the kernel tells us. */
static const struct r_debug *find(void)
{
    const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
    const ElfW(Dyn) *table = NULL;
    uintptr_t bias = 0;
    size_t count = headers ? getauxval(AT_PHNUM) : 0;
    for (size_t i = 0; i < count; i++)
        if (headers[i].p_type == PT_PHDR)
            bias = (uintptr_t)headers - headers[i].p_vaddr;
    for (size_t i = 0; i < count; i++)
        if (headers[i].p_type == PT_DYNAMIC)
            table = (const void *)(bias + headers[i].p_vaddr);
    while (table && table->d_tag != DT_NULL && table->d_tag != DT_DEBUG)
        table++;
    return table && table->d_tag == DT_DEBUG ? (const void *)table->d_un.d_ptr : NULL;
}

static bool is_in_linker(uintptr_t pc)
{
    uintptr_t base = getauxval(AT_BASE), end = base;
    const ElfW(Ehdr) *header = (const void *)base;
    const ElfW(Phdr) *parts = base ? (const void *)(base + header->e_phoff) : NULL;
    for (size_t i = 0; parts && i < header->e_phnum; i++)
        if (parts[i].p_type == PT_LOAD && base + parts[i].p_vaddr + parts[i].p_memsz > end)
            end = base + parts[i].p_vaddr + parts[i].p_memsz;
    return pc >= base && pc < end;
}

/* With what is around it, which it may consist of. */
static bool is_near(uintptr_t pc, uintptr_t function)
{
    enum { NEAR = 8 << 10 };
    return pc - function + NEAR < 2 * NEAR;
}

static bool is_interrupted(const void *context)
{
    struct unwind_registers registers;
    unwind_registers_from_context(&registers, context);
    uintptr_t pc = registers.value[UNWIND_PC];
    return is_in_linker(pc) || is_near(pc, (uintptr_t)pthread_mutex_lock) || is_near(pc, (uintptr_t)pthread_mutex_unlock);
}

bool linker_rests(const void *context)
{
    static const struct r_debug *_Atomic known; /* relaxed: it is the same whoever finds it */
    const struct r_debug *debug = atomic_load_explicit(&known, memory_order_relaxed);
    if (!debug) {
        debug = find();
        atomic_store_explicit(&known, debug, memory_order_relaxed);
    }
    return (!debug || debug->r_state == RT_CONSISTENT) && !(context && is_interrupted(context));
}
