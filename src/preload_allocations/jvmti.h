/* What of the Java VM's tool interface (JVMTI) is used here: its functions have fixed places in its table, its events fixed
 * numbers, both written down in its specification. So no JDK is needed to build this. */
#ifndef SONDE_PRELOAD_ALLOCATIONS_JVMTI_H
#define SONDE_PRELOAD_ALLOCATIONS_JVMTI_H

#include <stdint.h>

typedef struct java_object *java_ref;

typedef const struct java_vm_functions *const java_vm;
struct java_vm_functions {
    void *unused[6];
    int32_t (*get_env)(java_vm *vm, void **env, int32_t version);
};
enum { JNI_VERSION_8 = 0x10008, JVMTI_VERSION_11 = 0x300b0000 };

/* As in the specification, of version 11 on. */
enum { JVMTI_PHASE_LIVE = 4, JVMTI_ENABLE = 1, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC = 86, JVMTI_EVENTS_FIRST = 50 };
enum { JVMTI_CAPABILITY_SAMPLED_OBJECT_ALLOC = 43, JVMTI_CAPABILITY_BYTES = 16 }; /* a bit */

typedef const struct jvmti_functions *const jvmti_env;
struct jvmti_functions {
    void *unused_1; /* places are counted from 1 */
    int32_t (*set_event_notification_mode)(jvmti_env *env, int mode, int event, java_ref thread, ...); /* 2 */
    void *unused_3[44];
    int32_t (*deallocate)(jvmti_env *env, unsigned char *memory);                                     /* 47 */
    int32_t (*get_class_signature)(jvmti_env *env, java_ref class, char **signature, char **generic); /* 48 */
    void *unused_49[73];
    int32_t (*set_event_callbacks)(jvmti_env *env, const void *callbacks, int32_t bytes); /* 122 */
    void *unused_123[4];
    int32_t (*dispose_environment)(jvmti_env *env); /* 127 */
    void *unused_128[5];
    int32_t (*get_phase)(jvmti_env *env, int *phase); /* 133 */
    void *unused_134[8];
    int32_t (*add_capabilities)(jvmti_env *env, const uint8_t *capabilities); /* 142 */
    void *unused_143[13];
    int32_t (*set_heap_sampling_interval)(jvmti_env *env, int32_t bytes); /* 156 */
};

#endif
