#include "walker.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct unwind walker;
_Thread_local struct walked walker_result;
static struct unwind_modules *modules;

/* Where this thread's stack is; to be found out before a handler needs it. */
static _Thread_local struct {
    uint64_t start, end;
} own_stack;

static void find_own_stack(void)
{
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (own_stack.end != 0)
        return;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        abort();
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    own_stack.start = (uint64_t)(uintptr_t)start;
    own_stack.end = own_stack.start + size;
}

void walker_start(void)
{
    modules = unwind_modules_create(false, NULL);
    struct unwind_cache *cache = mmap(NULL, sizeof *cache, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!modules || cache == MAP_FAILED || unwind_modules_refresh(modules, NULL, NULL) != 0)
        abort();
    walker = (struct unwind){.modules = modules, .cache = cache};
    find_own_stack();
}

void walker_stop(void)
{
    munmap(walker.cache, sizeof *walker.cache);
    unwind_modules_free(modules);
}

struct unwind_modules *walker_modules(void)
{
    return modules;
}

struct unwind_modules *walker_use_modules(struct unwind_modules *other)
{
    struct unwind_modules *before = modules;
    modules = other;
    walker.modules = other;
    memset(walker.cache, 0, sizeof *walker.cache);
    return before;
}

void walk(struct unwind_registers *registers, enum walker_memory how, size_t room, struct walked *out)
{
    static _Thread_local uint8_t copy[UNWIND_COPY_BYTES];
    struct unwind_memory memory = {.copy = copy};
    /* The main thread's stack grows: what is below may not be mapped yet. */
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    if (how == WALKER_WINDOW && own_stack.end != 0) {
        memory.start = here > own_stack.start && here < own_stack.end ? here : own_stack.end;
        memory.end = own_stack.end;
    }
    out->count = unwind_stack(&walker, registers, &memory, out->frames, room, &out->end);
}

static void from_context(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    struct unwind_registers registers;
    unwind_registers_from_context(&registers, context);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &walker_result);
}

static void from_here(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    (void)context;
    struct unwind_registers registers;
    unwind_registers_here(&registers);
    walk(&registers, WALKER_WINDOW, WALKER_ROOM, &walker_result);
}

#ifdef __aarch64__
/* Handlers return through code in the vdso, which has no tables for it; in an emulator, through code that is in no module at
 * all. So that the tests meet the former, they bring their own. */
__asm__(".pushsection .text\n"
        ".balign 16\n"
        "nop\n"
        ".globl walker_signal_return\n"
        ".type walker_signal_return, %function\n"
        "walker_signal_return: mov x8, #139\n svc #0\n"
        ".popsection\n");
void walker_signal_return(void);

static int install(int number, void (*handler)(int, siginfo_t *, void *), unsigned long flags)
{
    enum { KERNEL_SA_RESTORER = 0x04000000 };
    struct {
        void (*handler)(int, siginfo_t *, void *);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = {handler, flags | KERNEL_SA_RESTORER, walker_signal_return, 0};
    return (int)syscall(SYS_rt_sigaction, (long)number, &action, NULL, sizeof action.mask);
}
#else
static int install(int number, void (*handler)(int, siginfo_t *, void *), unsigned long flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = (int)flags};
    return sigaction(number, &action, NULL);
}
#endif

void walker_catch(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    find_own_stack();
    if (install(number, handler, SA_SIGINFO | (unsigned)flags) != 0)
        abort();
}

void walker_catch_from_context(int signal, int flags)
{
    walker_catch(signal, from_context, flags);
}

void walker_catch_from_here(int signal, int flags)
{
    walker_catch(signal, from_here, flags);
}

static const char *name_of(const struct unwind_frame *frame)
{
    Dl_info info;
    uint64_t address = frame->exact ? frame->pc : frame->pc - 1;
    if (!dladdr((void *)(uintptr_t)address, &info) || !info.dli_sname)
        return "?";
    return info.dli_sname;
}

const char *walked_names(const struct walked *walked, const char *first)
{
    static _Thread_local char text[4096];
    size_t length = 0;
    bool started = first == NULL;
    text[0] = '\0';
    for (size_t i = 0; i < walked->count; i++) {
        const char *name = name_of(&walked->frames[i]);
        started = started || strcmp(name, first) == 0;
        if (!started)
            continue;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", length > 0 ? " " : "", name);
        if (strcmp(name, "main") == 0 || length >= sizeof text)
            break;
    }
    return text;
}
