/* What of the Java Native Interface is used here: its table of functions has fixed places, written down in its specification.
 * So no JDK is needed to build this. */
#ifndef SONDE_PRELOAD_JNI_H
#define SONDE_PRELOAD_JNI_H

#include <stdint.h>

typedef struct jni_object *jni_ref; /* a reference to an object of Java; NULL = null */
typedef struct jni_method *jni_method;

/* An argument, or what is returned. */
union jni_value {
    uint8_t z;
    int32_t i;
    int64_t j;
    jni_ref l;
};

struct jni_native {
    const char *name, *signature;
    void *function;
};

typedef const struct jni_functions *const jni_env; /* natives get a jni_env * */

/* Names are those of the specification. */
struct jni_functions {
    void *unused_0[6];
    jni_ref (*FindClass)(jni_env *env, const char *name); /* 6 */
    void *unused_7[10];
    void (*ExceptionClear)(jni_env *env); /* 17 */
    void *unused_18[13];
    jni_ref (*GetObjectClass)(jni_env *env, jni_ref object); /* 31 */
    void *unused_32;
    jni_method (*GetMethodID)(jni_env *env, jni_ref class, const char *name, const char *signature); /* 33 */
    void *unused_34[2];
    jni_ref (*CallObjectMethodA)(jni_env *env, jni_ref object, jni_method method, const union jni_value *arguments); /* 36 */
    void *unused_37[76];
    jni_method (*GetStaticMethodID)(jni_env *env, jni_ref class, const char *name, const char *signature); /* 113 */
    void *unused_114[2];
    jni_ref (*CallStaticObjectMethodA)(jni_env *env, jni_ref class, jni_method method,
                                       const union jni_value *arguments); /* 116 */
    void *unused_117[50];
    jni_ref (*NewStringUTF)(jni_env *env, const char *text); /* 167 */
    void *unused_168[3];
    int32_t (*GetArrayLength)(jni_env *env, jni_ref array); /* 171 */
    void *unused_172;
    jni_ref (*GetObjectArrayElement)(jni_env *env, jni_ref array, int32_t index); /* 173 */
    void *unused_174[26];
    void (*GetByteArrayRegion)(jni_env *env, jni_ref array, int32_t start, int32_t length, int8_t *out); /* 200 */
    void *unused_201[2];
    void (*GetIntArrayRegion)(jni_env *env, jni_ref array, int32_t start, int32_t length, int32_t *out); /* 203 */
    void *unused_204[11];
    int32_t (*RegisterNatives)(jni_env *env, jni_ref class, const struct jni_native *natives, int32_t count); /* 215 */
    void *unused_216[12];
    uint8_t (*ExceptionCheck)(jni_env *env);                                       /* 228 */
    jni_ref (*NewDirectByteBuffer)(jni_env *env, void *address, int64_t capacity); /* 229 */
};

typedef const struct jni_vm_functions *const jni_vm;

struct jni_vm_functions {
    void *unused_0[6];
    int32_t (*GetEnv)(jni_vm *vm, void **env, int32_t version); /* 6 */
};

enum { JNI_VERSION = 0x00010006 };

#endif
