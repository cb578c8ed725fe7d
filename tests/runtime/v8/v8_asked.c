/* To be preloaded with libsonde-preload into node: at every SIGPROF asks V8 for its frames (Isolate::GetStackSample, as V8's
 * own profiler does), then hands on to Sonde's handler. Both see the thread as the same signal interrupted it. Only on the main
 * thread: threads that collect garbage say that they have an isolate, too. V8_RECORDS names the file. */
#include "runtime/v8/both_stacks.h"

#include "sonde/api.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIGNAL_SET_BYTES = 8, INFO_BYTES = 256 };

/* As the kernel has it. */
struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

struct registers { /* v8::RegisterState */
    void *pc, *sp, *fp, *lr, *saved;
};

static struct kernel_action sondes;
static struct v8_records *records;
static const struct sonde_api *api;
static void *(*isolate_of_thread)(void);
static const _Atomic bool *is_key_made; /* before V8 11: whether it may be asked for the isolate of a thread; NULL = always */
static void (*stack_sample)(void *isolate, const struct registers *, void **frames, size_t room, void *info);

static void ask(struct v8_record *record, const ucontext_t *context)
{
    uint64_t info[INFO_BYTES / sizeof(uint64_t)] = {0}; /* v8::SampleInfo: its first member is the number of frames */
    bool may_ask = !is_key_made || atomic_load_explicit(is_key_made, memory_order_acquire);
    void *isolate = may_ask ? isolate_of_thread() : NULL;
#if defined(__x86_64__)
    const greg_t *own = context->uc_mcontext.gregs;
    struct registers registers = {(void *)own[REG_RIP], (void *)own[REG_RSP], (void *)own[REG_RBP], NULL, NULL};
#else
    const mcontext_t *own = &context->uc_mcontext;
    struct registers registers = {(void *)own->pc, (void *)own->sp, (void *)own->regs[29], (void *)own->regs[30], NULL};
#endif
    record->pc = (uintptr_t)registers.pc;
    if (!isolate)
        return;
    stack_sample(isolate, &registers, (void **)record->frames, V8_FRAMES_MAX, info);
    record->count = info[0] <= V8_FRAMES_MAX ? (uint32_t)info[0] : 0;
}

static void handle(int number, siginfo_t *info, void *context)
{
    if (gettid() != getpid()) {
        sondes.handler(number, info, context);
        return;
    }
    uint64_t at = atomic_fetch_add_explicit((_Atomic uint64_t *)&records->count, 1, memory_order_relaxed);
    struct v8_record *record = at < V8_RECORDS_MAX ? &records->records[at] : NULL;
    if (record) {
        record->tid = gettid();
        ask(record, context);
        record->before = api->now();
    }
    sondes.handler(number, info, context);
    if (record)
        record->after = api->now();
}

/* V8 may be in the executable, which has to be there first: libraries begin earlier. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("V8_RECORDS");
    api = dlsym(RTLD_DEFAULT, "sonde_api_1");
    *(void **)&isolate_of_thread = dlsym(RTLD_DEFAULT, "_ZN2v87Isolate13TryGetCurrentEv");
    is_key_made = dlsym(RTLD_DEFAULT, "_ZN2v88internal7Isolate20isolate_key_created_E");
    *(void **)&stack_sample = dlsym(RTLD_DEFAULT, "_ZN2v87Isolate14GetStackSampleERKNS_13RegisterStateEPPvmPNS_10SampleInfoE");
    int fd = path && api && isolate_of_thread && stack_sample ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return;
    if (ftruncate(fd, sizeof *records) == 0)
        records = mmap(NULL, sizeof *records, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (!records || records == MAP_FAILED || syscall(SYS_rt_sigaction, SIGPROF, NULL, &sondes, SIGNAL_SET_BYTES) != 0 ||
        !sondes.handler)
        return;
    struct kernel_action own = sondes;
    own.handler = handle;
    syscall(SYS_rt_sigaction, SIGPROF, &own, NULL, SIGNAL_SET_BYTES);
}
