/* Objects that a Java VM allocates, sampled by the VM itself: docs/decisions/013-java-objects.md. */
#include "preload_allocations/java_objects.h"

#include "preload_allocations/java_class.h"
#include "preload_allocations/jvmti.h"
#include "preload_allocations/state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#define INTERPOSED __attribute__((visibility("default")))

enum { UNTIL_NOW_NONE, BEING_ASKED, SETTLED };
static _Atomic int asked; /* the VM for its objects */

/* --- objects ------------------------------------------------------------------------------------------------------------- */

static int64_t mean;

static void on_object(jvmti_env *env, void *jni, java_ref thread, java_ref object, java_ref class, int64_t size)
{
    const struct allocation_recorder *to = atomic_load_explicit(&recorder, memory_order_acquire);
    char name[256] = "", *signature;
    (void)jni, (void)thread, (void)object;
    if (!to)
        return;
    int saved_errno = errno;
    if ((*env)->get_class_signature(env, class, &signature, NULL) == 0) {
        java_class_name(signature, name, sizeof name);
        (*env)->deallocate(env, (unsigned char *)signature);
    }
    to->object(&(struct sampled_object){.time = to->now(), .size = (uint64_t)size, .mean = (uint64_t)mean, .class_name = name});
    errno = saved_errno;
}

/* The VM that has no such event, or has given it to another tool, has none for us. */
static void ask(jvmti_env *env)
{
    enum { EVENTS = JVMTI_EVENT_SAMPLED_OBJECT_ALLOC - JVMTI_EVENTS_FIRST + 1, MEAN = 512 << 10, MEAN_MOST = 1 << 30 };
    uint8_t wanted[JVMTI_CAPABILITY_BYTES] = {0};
    wanted[JVMTI_CAPABILITY_SAMPLED_OBJECT_ALLOC / 8] = 1 << JVMTI_CAPABILITY_SAMPLED_OBJECT_ALLOC % 8;
    void (*callbacks[EVENTS])(jvmti_env *, void *, java_ref, java_ref, java_ref, int64_t) = {0};
    callbacks[EVENTS - 1] = on_object;
    /* It samples every 512 KiB on its own: threads have drawn their first gaps by that. */
    mean = plan.is_adaptive || plan.is_all || plan.mean == 0 ? MEAN : plan.mean < MEAN_MOST ? (int64_t)plan.mean : MEAN_MOST;
    if ((*env)->add_capabilities(env, wanted) != 0 ||
        (mean != MEAN && (*env)->set_heap_sampling_interval(env, (int32_t)mean) != 0) ||
        (*env)->set_event_callbacks(env, callbacks, (int32_t)sizeof callbacks) != 0 ||
        (*env)->set_event_notification_mode(env, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL) != 0)
        (*env)->dispose_environment(env);
}

/* --- the moment ---------------------------------------------------------------------------------------------------------- */

/* True: asked, or never to be. The thread is in the native code of one of Java's own methods: it may use the interfaces. */
static bool ask_vm(void)
{
    int32_t (*created_vms)(java_vm * *vms, int32_t room, int32_t * count);
    java_vm *vm;
    void *env;
    int32_t count = 0;
    int phase;
    void *library = dlopen("libjvm.so", RTLD_NOLOAD | RTLD_LAZY);
    if (!library)
        return false;
    *(void **)&created_vms = dlsym(library, "JNI_GetCreatedJavaVMs");
    dlclose(library); /* it stays: somebody else has it open */
    if (!created_vms || created_vms(&vm, 1, &count) != 0 || count != 1 || (*vm)->get_env(vm, &env, JNI_VERSION_8) != 0)
        return false;
    if ((*vm)->get_env(vm, &env, JVMTI_VERSION_11) != 0)
        return true;
    jvmti_env *tools = env;
    if ((*tools)->get_phase(tools, &phase) != 0 || phase != JVMTI_PHASE_LIVE) {
        (*tools)->dispose_environment(tools);
        return false;
    }
    ask(tools);
    return true;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE

extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

/* Whether the code there is that of Java's own native methods. Takes no lock: files are opened anywhere. */
static bool is_of_java(const void *code)
{
    static const char *const libraries[] = {"libjava.so", "libnio.so"};
    struct dl_find_object object;
    if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)code, &object) != 0 || !object.dlfo_link_map->l_name)
        return false;
    const char *name = strrchr(object.dlfo_link_map->l_name, '/');
    for (size_t i = 0; name && i < sizeof libraries / sizeof *libraries; i++)
        if (strcmp(name + 1, libraries[i]) == 0)
            return true;
    return false;
}

#else

static bool is_of_java(const void *code)
{
    (void)code;
    return false;
}

#endif

static void file_opened_by(const void *code)
{
    int expected = UNTIL_NOW_NONE, saved_errno = errno;
    if (atomic_load_explicit(&asked, memory_order_relaxed) != UNTIL_NOW_NONE ||
        !atomic_load_explicit(&recorder, memory_order_relaxed) || !is_of_java(code) ||
        !atomic_compare_exchange_strong_explicit(&asked, &expected, BEING_ASKED, memory_order_relaxed, memory_order_relaxed))
        return;
    atomic_store_explicit(&asked, ask_vm() ? SETTLED : UNTIL_NOW_NONE, memory_order_relaxed);
    errno = saved_errno;
}

static int (*_Atomic real_open64)(const char *path, int flags, ...);

void java_objects_find(void)
{
    int (*found)(const char *, int, ...);
    *(void **)&found = dlsym(RTLD_NEXT, "open64");
    atomic_store_explicit(&real_open64, found, memory_order_relaxed);
}

/* Java's class of files that are read calls it, and so every program comes by that has a class in a file. */
INTERPOSED int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (!atomic_load_explicit(&real_open64, memory_order_relaxed))
        java_objects_find(); /* nobody has described the allocator yet */
    int file = atomic_load_explicit(&real_open64, memory_order_relaxed)(path, flags, mode);
    file_opened_by(__builtin_return_address(0));
    return file;
}
