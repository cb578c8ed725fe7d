#include "own_walk.h"

#include "runtime/module_names.h"
#include "unwind/found_module.h"

#include <sys/mman.h>
#include <sys/time.h>

struct hotspot_layout own_layout;
struct hotspot_state own_state = {.layout = &own_layout, .code.is_own = true};
struct raw_stack own_raw;
static struct unwind unwind;

static uint64_t address_of(void *names, const char *name)
{
    return module_names_find(names, name, NULL);
}

static void note_module(void *data, const struct unwind_module *module, bool loaded)
{
    static uint8_t copy[UNWIND_COPY_BYTES];
    struct unwind_memory memory = {.copy = copy};
    struct module_names names;
    (void)data;
    if (!loaded || own_layout.head.is_known || !module_names_open(&names, module->start, module->end, &memory) ||
        !address_of(&names, "gHotSpotVMStructs"))
        return;
    own_layout.head.module_start = module->start;
    own_layout.head.module_end = module->end;
    struct hotspot_reader reader = {.memory = &memory};
    hotspot_layout_make(&own_layout, &reader, address_of, &names);
    own_layout.head.module_start = module->start;
    own_layout.head.module_end = module->end;
}

bool own_walk_find_vm(void)
{
    unwind_modules_refresh((struct unwind_modules *)unwind.modules, note_module, NULL);
    return own_layout.head.is_known;
}

bool own_walk(void *context)
{
    struct unwind_registers registers;
    struct unwind_memory memory = {.copy = own_raw.copy};
    struct hotspot_pass pass;
    own_raw.native_count = own_raw.runtime_count = 0;
    unwind_registers_from_context(&registers, context);
    struct unwind with_hook = unwind;
    with_hook.hook = hotspot_pass_begin(&pass, &own_state, &own_raw, &memory, 1);
    own_raw.native_count =
        (uint32_t)unwind_stack(&with_hook, &registers, &memory, own_raw.native, STACK_FRAMES_MAX, &own_raw.end);
    return own_raw.end == UNWIND_COMPLETE;
}

void own_walk_set_timer(long interval_us)
{
    setitimer(ITIMER_PROF, &(struct itimerval){{0, interval_us}, {0, interval_us}}, NULL);
}

int32_t own_walk_begin(jni_vm *vm, void *callbacks[EVENTS])
{
    void *got;
    int32_t (*set_callbacks)(jvmti *, const void *, int32_t), (*enable)(jvmti *, int, int, jni_ref, ...);
    if ((*vm)->GetEnv(vm, &got, JVMTI_VERSION) != 0)
        return -1;
    jvmti *env = got;
    *(void **)&set_callbacks = (*env)->function[SET_CALLBACKS - 1];
    *(void **)&enable = (*env)->function[SET_EVENT_MODE - 1];
    set_callbacks(env, callbacks, (int32_t)(EVENTS * sizeof *callbacks));
    for (int event = EVENT_INIT; event <= EVENT_CLASS_PREPARE; event++)
        if (callbacks[event - EVENT_INIT])
            enable(env, 1, event, NULL);
    struct unwind_cache *cache = mmap(NULL, sizeof *cache, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cache == MAP_FAILED)
        return -1;
    unwind = (struct unwind){.modules = unwind_modules_create(false, NULL), .cache = cache, .find = found_module};
    return unwind.modules ? 0 : -1;
}
