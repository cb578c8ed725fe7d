/* An agent of the Java VM that walks the stack at every instruction that Java code executes, for a while again and again: a
 * thread that a signal of the CPU clock meets there is made to trap after each instruction until it leaves the VM's code. At
 * the end it writes to the file that its options name how many stacks there were and how many of them were cut, or lost a
 * caller that the one before had, and for the first of these where.
 *
 *     java -agentpath:PATH=FILE … */
#include "own_walk.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { INTERVAL_US = 1000, STEPS_MAX = 1500, KEPT_MAX = 40, TRAP_FLAG = 0x100 };
enum { AROUND = 16 }; /* bytes of code before and behind the pc */

static jni_vm *vm;
static char output[4096];
static _Atomic int owner; /* the thread that is stepped; 0 = none. What follows is its own */
static int steps;
static uint64_t callers[STACK_FRAMES_MAX]; /* of the step before */
static uint32_t caller_count;

static unsigned walked, cut, lost, kept_count;
static struct kept {
    const char *what;
    uint64_t pc, name;
    uint8_t code[2 * AROUND];
} kept[KEPT_MAX];

static void keep(const char *what, uint64_t pc)
{
    static uint8_t copy[UNWIND_COPY_BYTES];
    struct unwind_memory memory = {.copy = copy};
    struct hotspot_reader reader = {.layout = &own_layout, .memory = &memory, .code = &own_state.code};
    struct hotspot_blob blob;
    if (kept_count == KEPT_MAX)
        return;
    struct kept *to = &kept[kept_count++];
    *to = (struct kept){.what = what, .pc = pc, .name = hotspot_blob_at(&reader, pc, &blob) ? blob.name : 0};
    hotspot_read(&reader, pc - AROUND, to->code, sizeof to->code);
}

/* One instruction calls, returns or jumps: all but one of the callers stay. */
static bool has_lost_caller(void)
{
    uint32_t same = 0, count = own_raw.native_count, least = count < caller_count ? count : caller_count;
    while (same < least && own_raw.native[count - 1 - same].pc == callers[caller_count - 1 - same])
        same++;
    return caller_count > 0 && same + 1 < least;
}

static void take_step(ucontext_t *context, uint64_t pc)
{
    walked++;
    if (!own_walk(context)) {
        cut++;
        keep("cut", pc);
        caller_count = 0;
        return;
    }
    if (has_lost_caller()) {
        lost++;
        keep("lost", pc);
    }
    caller_count = own_raw.native_count;
    for (uint32_t i = 0; i < caller_count; i++)
        callers[i] = own_raw.native[i].pc;
}

/* What a stub keeps of the flags brings the trap back after it has ended: then nobody is the owner. */
static void on_trap(int signal, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    int saved_errno = errno;
    uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    (void)signal, (void)info;
    bool mine = atomic_load(&owner) == (int)syscall(SYS_gettid);
    /* Native code may block signals, and a trap that is blocked ends the process. */
    bool is_java = pc >= atomic_load(&own_state.code.low) && pc < atomic_load(&own_state.code.high);
    if (mine && is_java && --steps > 0) {
        take_step(context, pc);
    } else {
        context->uc_mcontext.gregs[REG_EFL] &= ~(long long)TRAP_FLAG;
        if (mine)
            atomic_store(&owner, 0);
    }
    errno = saved_errno;
}

static void on_sample(int signal, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    int saved_errno = errno, nobody = 0;
    void *env;
    (void)signal, (void)info;
    if ((*vm)->GetEnv(vm, &env, JNI_VERSION) != 0 || !atomic_compare_exchange_strong(&owner, &nobody, (int)syscall(SYS_gettid)))
        return;
    uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    own_walk(context); /* reads where code is */
    if (pc >= atomic_load(&own_state.code.low) && pc < atomic_load(&own_state.code.high)) {
        steps = STEPS_MAX;
        caller_count = 0;
        context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    } else {
        atomic_store(&owner, 0);
    }
    errno = saved_errno;
}

static void on_start(jvmti *env, jni_env *jni, jni_ref thread)
{
    (void)env, (void)jni, (void)thread;
    if (!own_walk_find_vm())
        return;
    sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_RESTART}, NULL);
    sigaction(SIGPROF, &(struct sigaction){.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART}, NULL);
    own_walk_set_timer(INTERVAL_US);
}

static void write_kept(FILE *out, const struct kept *each)
{
    char name[64] = "?";
    static uint8_t copy[UNWIND_COPY_BYTES];
    struct unwind_memory memory = {.copy = copy};
    struct hotspot_reader reader = {.layout = &own_layout, .memory = &memory, .code = &own_state.code};
    if (each->name)
        hotspot_read_text(&reader, each->name, name, sizeof name);
    fprintf(out, "%s in %s, code ", each->what, name);
    for (size_t i = 0; i < sizeof each->code; i++)
        fprintf(out, "%s%02x", i == AROUND ? " | " : "", each->code[i]);
    fprintf(out, "\n");
}

static void on_end(jvmti *env, jni_env *jni)
{
    (void)env, (void)jni;
    own_walk_set_timer(0);
    signal(SIGPROF, SIG_IGN);
    for (int nobody = 0; !atomic_compare_exchange_strong(&owner, &nobody, -1); nobody = 0)
        usleep(1000); /* whoever is stepped has ended with this, or soon will have */
    FILE *out = fopen(output, "w");
    if (!out)
        return;
    fprintf(out, "walked %u\ncut %u\nlost %u\n", walked, cut, lost);
    for (unsigned i = 0; i < kept_count; i++)
        write_kept(out, &kept[i]);
    fclose(out);
}

__attribute__((visibility("default"))) int32_t Agent_OnLoad(jni_vm *loaded_by, const char *options, void *reserved);

int32_t Agent_OnLoad(jni_vm *loaded_by, const char *options, void *reserved)
{
    void *callbacks[EVENTS] = {[EVENT_INIT - EVENT_INIT] = on_start, [EVENT_DEATH - EVENT_INIT] = on_end};
    (void)reserved;
    vm = loaded_by;
    snprintf(output, sizeof output, "%s", options ? options : "/dev/null");
    return own_walk_begin(vm, callbacks);
}
