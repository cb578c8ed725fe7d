/* The beginning and the end of libsonde-preload.
 *
 * All that the program does is to be recorded, also what its libraries do before main and after exit. So this library asks the
 * dynamic linker to begin before all others (-z initfirst in meson.build), even before the C library, whose own beginning has
 * nothing left to do but to set `environ`; and it ends after all others.
 *
 * Only programs with sanitizers in them have something that comes even sooner (DT_PREINIT_ARRAY), and without which nothing of
 * theirs works: not the functions of the C library that they replace. There we wait until the program is about to begin. */
#include "preload/preload.h"

#include "capture/control/base.h"
#include "capture/core/full.h"
#include "capture/core/origin.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* Only glibc has it. With another C library (musl) we are loaded all the same, and do nothing: programs that it runs would not
 * start otherwise. What it has not is weak here, and in fork.c. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));
extern __typeof__(on_exit) on_exit __attribute__((weak));

static bool begun;

static void begin(int count, char **words)
{
    begun = true;
    find_real_functions();
    origin_set();
    base_begin(count, words);
    full_attach();
    base->adopt_mask(false);
}

/* Valgrind runs programs on a CPU of its own, whose threads our signals do not reach; it reports our memory as the program's.
 */
static bool is_in_valgrind(void)
{
    const char *libraries = getenv("LD_PRELOAD");
    return libraries && strstr(libraries, "/vgpreload_");
}

static bool is_recordable(void)
{
    return gnu_get_libc_version && !is_in_valgrind();
}

/* Of the first one only, which is the program. */
static int has_preinit(struct dl_phdr_info *program, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (size_t i = 0; i < program->dlpi_phnum; i++) {
        if (program->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const void *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag == DT_PREINIT_ARRAYSZ && entry->d_un.d_val > 0)
                return 1;
    }
    return -1;
}

__attribute__((constructor)) static void load(int count, char **words, char **variables)
{
    if (!environ)
        environ = variables;
    if (is_recordable() && dl_iterate_phdr(has_preinit, NULL) < 0)
        begin(count, words);
}

typedef int start_main(int (*main)(int, char **, char **), int count, char **words, void (*init)(void), void (*fini)(void),
                       void (*linker_fini)(void), void *stack_end);
INTERPOSED start_main __libc_start_main;

/* All libraries have begun. Calls the real one as the last thing, so that there is no frame of ours below the program's. */
int __libc_start_main(int (*main)(int, char **, char **), int count, char **words, void (*init)(void), void (*fini)(void),
                      void (*linker_fini)(void), void *stack_end)
{
    if (!begun && is_recordable())
        begin(count, words);
    start_main *real_start;
    *(void **)&real_start = dlsym(RTLD_NEXT, "__libc_start_main");
    return real_start(main, count, words, init, fini, linker_fini, stack_end);
}

static void end(int status, void *unused)
{
    (void)status, (void)unused;
    base_end();
}

/* Libraries end in the order of their places in the list of those loaded, where we are the first. What is registered meanwhile
 * comes when all of them have. */
__attribute__((destructor)) static void unload(void)
{
    if (begun && (!on_exit || on_exit(end, NULL) != 0))
        base_end();
}
