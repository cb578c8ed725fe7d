/* The beginning and the end of libsonde-preload.
 *
 * All that the program does is to be recorded, also what its libraries do before main and after exit. So this library asks the
 * dynamic linker to begin before all others (-z initfirst in meson.build), even before the C library, whose own beginning has
 * nothing left to do but to set `environ`; and it ends after all others.
 *
 * Only programs with sanitizers in them have something that comes even sooner (DT_PREINIT_ARRAY), and without which nothing of
 * theirs works: not the functions of the C library that they replace. There we wait until the program is about to begin. */
#include "preload/preload.h"

#include "capture/allocations/allocation_session.h"
#include "capture/control/lifecycle.h"
#include "capture/core/clock.h"
#include "capture/core/full.h"
#include "capture/sampler/fault_events.h"
#include "session/chunk_file.h"
#include "session/format.h"
#include "session/reader.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

/* Only glibc has it. With another C library (musl) we are loaded all the same, and do nothing: programs that it runs would not
 * start otherwise. What it has not is weak here, and in fork.c. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));
extern __typeof__(on_exit) on_exit __attribute__((weak));

static bool begun;

/* --- time 0 ------------------------------------------------------------------------------------------------------------ */

/* What the last file says that the session has of this process id; false = there is none. */
static bool read_last(const char *folder, struct session_file_header *last)
{
    char path[PATH_MAX];
    size_t length = strlen(folder);
    bool found = false;
    if (length + 1 >= sizeof path)
        return false;
    memcpy(path, folder, length);
    path[length++] = '/';
    for (unsigned image = 0; chunk_file_name(path + length, sizeof path - length, (unsigned)getpid(), image); image++) {
        struct session_file_header header;
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0)
            break;
        if (pread(fd, &header, sizeof header, 0) == sizeof header &&
            memcmp(header.magic, SESSION_MAGIC, sizeof header.magic) == 0 && header.start_monotonic_ns > 0) {
            *last = header;
            found = true;
        }
        close(fd);
    }
    return found;
}

/* Time 0 of a process whose library is loaded with every program that it becomes: when the first of them was loaded. The
 * kernel's books (clock_set_origin()) say little more, to hundredths of a second, and to open them takes 30 µs: they are only
 * asked whether files of this process id, in the session that is joined, are of this process. */
static void set_origin(void)
{
    const char *folder = getauxval(AT_SECURE) ? NULL : getenv("SONDE_SESSION");
    struct session_file_header last;
    if (!folder || !*folder || !read_last(folder, &last)) {
        clock_origin = clock_read(CLOCK_MONOTONIC);
        return;
    }
    /* One that has the number of a process that is gone began later than that. */
    clock_set_origin();
    uint64_t before = last.start_monotonic_ns;
    if (clock_origin < before || session_same_process(clock_origin, before)) {
        clock_origin = before;
        if (last.ignores_signal)
            handler_expect_ignored();
    }
}

/* --- beginning and ending ---------------------------------------------------------------------------------------------- */

static void begin(void)
{
    begun = true;
    clock_begin_cpu = clock_read(CLOCK_THREAD_CPUTIME_ID);
    find_real_functions();
    set_origin();
    if (!getauxval(AT_SECURE)) {
        allocation_session_init(getenv("SONDE_ALLOCATIONS"));
        fault_events_want(getenv("SONDE_PAGE_FAULTS"));
    }
    base_begin();
    full_attach();
    allocation_session_settle();
    handler_adopt_mask(false);
    clock_begin_cpu = 0; /* what begins later is wanted by the program */
}

/* Only with glibc. And not in Valgrind: it runs programs on a CPU of its own, whose threads our signals do not reach, and
 * reports our memory as the program's. */
static bool is_recordable(void)
{
    const char *libraries = getenv("LD_PRELOAD");
    return gnu_get_libc_version && !(libraries && strstr(libraries, "/vgpreload_"));
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
    (void)count, (void)words;
    if (!environ)
        environ = variables;
    if (is_recordable() && dl_iterate_phdr(has_preinit, NULL) < 0) {
        clock_ask_kernel();
        begin();
    }
}

typedef int start_main(int (*main)(int, char **, char **), int count, char **words, void (*init)(void), void (*fini)(void),
                       void (*linker_fini)(void), void *stack_end);
INTERPOSED start_main __libc_start_main;

/* All libraries have begun. Calls the real one as the last thing, so that there is no frame of ours below the program's. */
int __libc_start_main(int (*main)(int, char **, char **), int count, char **words, void (*init)(void), void (*fini)(void),
                      void (*linker_fini)(void), void *stack_end)
{
    if (begun)
        clock_find();
    else if (is_recordable())
        begin();
    start_main *real_start;
    *(void **)&real_start = dlsym(RTLD_NEXT, "__libc_start_main");
    return real_start(main, count, words, init, fini, linker_fini, stack_end);
}

static void end(int status, void *unused)
{
    (void)status, (void)unused;
    lifecycle_shutdown();
}

/* Libraries end in the order of their places in the list of those loaded, where we are the first. What is registered meanwhile
 * comes when all of them have. */
__attribute__((destructor)) static void unload(void)
{
    if (begun && (!on_exit || on_exit(end, NULL) != 0))
        lifecycle_shutdown();
}
