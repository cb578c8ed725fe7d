/* An agent of the Java VM that takes every stack twice: by the walker of src/runtime/hotspot, and by the VM's own
 * AsyncGetCallTrace, in the same signal handler. At the end it writes to the file that its options name how often both answered
 * and said the same, and the first stacks that differ.
 *
 *     java -agentpath:PATH=FILE … */
#include "own_walk.h"
#include "runtime/hotspot/names.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 1024, KEPT_MAX = 5, KEPT_FRAMES = 40, INTERVAL_US = 1000 };

/* --- the VM's interfaces, by the places that their specifications give -------------------------------------------------- */

struct call_frame {
    int32_t bci;
    uint64_t **method; /* a jmethodID leads to the Method */
};

struct call_trace {
    jni_env *env;
    int32_t count;
    struct call_frame *frames;
};

static void (*get_call_trace)(struct call_trace *trace, int32_t depth, void *context);

static jni_vm *vm;
static char output[4096];

/* --- our walker ---------------------------------------------------------------------------------------------------------- */

/* The VM says nothing of its own code. */
static void keep_methods(void)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < own_raw.runtime_count; i++)
        if (own_raw.runtime[i].tier != TIER_BUILTIN)
            own_raw.runtime[kept++] = own_raw.runtime[i];
    own_raw.runtime_count = kept;
}

static bool walk_own(void *context)
{
    bool whole = own_walk(context);
    keep_methods();
    return whole && own_raw.runtime_count > 0;
}

/* --- samples ------------------------------------------------------------------------------------------------------------- */

struct kept_frame {
    uint64_t method;
    int32_t bci;
};

static struct kept {
    uint32_t own_count, vm_count;
    struct kept_frame own[KEPT_FRAMES], vm[KEPT_FRAMES];
} kept[KEPT_MAX];

static atomic_flag busy = ATOMIC_FLAG_INIT;
static struct call_frame frames[FRAMES_MAX];
static unsigned samples, own_only, vm_only, both, entered, equal, equal_positions, kept_count;

static int32_t bci_of(const struct raw_runtime_frame *frame)
{
    return frame->position <= UINT16_MAX ? (int32_t)frame->position : -1;
}

static void keep(const struct call_trace *trace)
{
    struct kept *to = &kept[kept_count++];
    to->own_count = own_raw.runtime_count < KEPT_FRAMES ? own_raw.runtime_count : KEPT_FRAMES;
    to->vm_count = trace->count < KEPT_FRAMES ? (uint32_t)trace->count : KEPT_FRAMES;
    for (uint32_t i = 0; i < to->own_count; i++)
        to->own[i] = (struct kept_frame){own_raw.runtime[i].number, bci_of(&own_raw.runtime[i])};
    for (uint32_t i = 0; i < to->vm_count; i++)
        to->vm[i] = (struct kept_frame){(uint64_t)(uintptr_t)*trace->frames[i].method, trace->frames[i].bci};
}

/* The VM leaves out an interpreted method that is being entered. And it does not know how far the youngest frame has come where
 * that is in a register. */
static void compare(const struct call_trace *trace)
{
    bool is_entered = own_raw.runtime_count == (uint32_t)trace->count + 1 && own_raw.runtime[0].tier == TIER_INTERPRETER &&
                      own_raw.runtime[0].position == 0;
    const struct raw_runtime_frame *own = own_raw.runtime + is_entered;
    bool same = own_raw.runtime_count - is_entered == (uint32_t)trace->count, same_positions = same;
    for (int32_t i = 0; same && i < trace->count; i++) {
        same = own[i].number == (uint64_t)(uintptr_t)*trace->frames[i].method;
        /* Native methods have none. */
        same_positions = same_positions && (i == 0 || trace->frames[i].bci < 0 || bci_of(&own[i]) == trace->frames[i].bci);
    }
    both++;
    entered += is_entered && same;
    equal += same;
    equal_positions += same && same_positions;
    if (!same && kept_count < KEPT_MAX)
        keep(trace);
}

static void on_sample(int signal, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    void *env;
    (void)signal, (void)info;
    if ((*vm)->GetEnv(vm, &env, JNI_VERSION) != 0 || atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        return;
    struct call_trace trace = {.env = env, .frames = frames};
    bool own = walk_own(context);
    get_call_trace(&trace, FRAMES_MAX, context);
    samples++;
    if (own && trace.count > 0)
        compare(&trace);
    else if (own)
        own_only++;
    else if (trace.count > 0)
        vm_only++;
    atomic_flag_clear_explicit(&busy, memory_order_release);
    errno = saved_errno;
}

/* --- events of the VM ---------------------------------------------------------------------------------------------------- */

/* A method has an id only once somebody has asked for it. */
static void make_ids(jvmti *env, jni_ref class)
{
    int32_t count = 0;
    void *methods = NULL;
    int32_t (*get_methods)(jvmti *, jni_ref, int32_t *, void **), (*deallocate)(jvmti *, void *);
    *(void **)&get_methods = (*env)->function[GET_METHODS - 1];
    *(void **)&deallocate = (*env)->function[DEALLOCATE - 1];
    if (get_methods(env, class, &count, &methods) == 0)
        deallocate(env, methods);
}

static void on_class_load(jvmti *env, jni_env *jni, jni_ref thread, jni_ref class)
{
    (void)env, (void)jni, (void)thread, (void)class; /* AsyncGetCallTrace answers only where somebody listens to it */
}

static void on_class_prepare(jvmti *env, jni_env *jni, jni_ref thread, jni_ref class)
{
    (void)jni, (void)thread;
    make_ids(env, class);
}

static void on_start(jvmti *env, jni_env *jni, jni_ref thread)
{
    int32_t count = 0;
    jni_ref *classes = NULL;
    int32_t (*get_classes)(jvmti *, int32_t *, jni_ref **);
    (void)jni, (void)thread;
    *(void **)&get_classes = (*env)->function[GET_CLASSES - 1];
    if (get_classes(env, &count, &classes) == 0)
        for (int32_t i = 0; i < count; i++)
            make_ids(env, classes[i]);
    if (!own_walk_find_vm() || !get_call_trace)
        return;
    struct sigaction action = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    own_walk_set_timer(INTERVAL_US);
}

static void write_stack(FILE *out, const char *whose, const struct kept_frame *stack, uint32_t count)
{
    static struct hotspot_name name;
    static uint8_t copy[UNWIND_COPY_BYTES];
    struct unwind_memory memory = {.copy = copy};
    struct hotspot_reader reader = {.layout = &own_layout, .memory = &memory, .code = &own_state.code};
    fprintf(out, "%s says\n", whose);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "    %s @%d\n", hotspot_method_name(&reader, stack[i].method, &name) ? name.name : "?", stack[i].bci);
}

static void on_end(jvmti *env, jni_env *jni)
{
    (void)env, (void)jni;
    own_walk_set_timer(0);
    signal(SIGPROF, SIG_IGN);
    while (atomic_flag_test_and_set(&busy))
        ;
    FILE *out = fopen(output, "w");
    if (!out)
        return;
    fprintf(out, "samples %u\nboth %u\nequal %u\nequal positions %u\nentered %u\nown only %u\nvm only %u\n", samples, both,
            equal, equal_positions, entered, own_only, vm_only);
    for (unsigned i = 0; i < kept_count; i++) {
        write_stack(out, "Sonde", kept[i].own, kept[i].own_count);
        write_stack(out, "AsyncGetCallTrace", kept[i].vm, kept[i].vm_count);
    }
    fclose(out);
}

__attribute__((visibility("default"))) int32_t Agent_OnLoad(jni_vm *loaded_by, const char *options, void *reserved);

int32_t Agent_OnLoad(jni_vm *loaded_by, const char *options, void *reserved)
{
    void *callbacks[EVENTS] = {[EVENT_INIT - EVENT_INIT] = on_start,
                               [EVENT_DEATH - EVENT_INIT] = on_end,
                               [EVENT_CLASS_LOAD - EVENT_INIT] = on_class_load,
                               [EVENT_CLASS_PREPARE - EVENT_INIT] = on_class_prepare};
    (void)reserved;
    vm = loaded_by;
    snprintf(output, sizeof output, "%s", options ? options : "/dev/null");
    *(void **)&get_call_trace = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    return own_walk_begin(vm, callbacks);
}
