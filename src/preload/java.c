/* How the class sonde.Library gets its native methods: docs/decisions/011-java-markers.md. */
#include "preload/java.h"

#include "preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>

/* The JNI of the calling thread; NULL: it is no thread of Java. */
static jni_env *find_env(void)
{
    int32_t (*created_vms)(jni_vm * *vms, int32_t room, int32_t * count);
    jni_vm *vm;
    void *env;
    int32_t count = 0;
    void *library = dlopen("libjvm.so", RTLD_NOLOAD | RTLD_LAZY);
    if (!library)
        return NULL;
    *(void **)&created_vms = dlsym(library, "JNI_GetCreatedJavaVMs");
    bool found = created_vms && created_vms(&vm, 1, &count) == 0 && count == 1 && (*vm)->GetEnv(vm, &env, JNI_VERSION) == 0;
    dlclose(library); /* it stays: somebody else has it open */
    return found ? env : NULL;
}

/* Each step needs the one before it; an exception makes the result null. */
static jni_ref find_class(jni_env *env, const char *name)
{
    jni_ref result = NULL, loader = NULL, text = NULL;
    jni_ref thread_class = (*env)->FindClass(env, "java/lang/Thread");
    jni_ref loader_class = thread_class ? (*env)->FindClass(env, "java/lang/ClassLoader") : NULL;
    if (!loader_class)
        return NULL;
    jni_method current = (*env)->GetStaticMethodID(env, thread_class, "currentThread", "()Ljava/lang/Thread;");
    jni_method context =
        current ? (*env)->GetMethodID(env, thread_class, "getContextClassLoader", "()Ljava/lang/ClassLoader;") : NULL;
    jni_method load =
        context ? (*env)->GetMethodID(env, loader_class, "loadClass", "(Ljava/lang/String;)Ljava/lang/Class;") : NULL;
    jni_ref thread = load ? (*env)->CallStaticObjectMethodA(env, thread_class, current, NULL) : NULL;
    if (thread && !(*env)->ExceptionCheck(env))
        loader = (*env)->CallObjectMethodA(env, thread, context, NULL);
    if (loader && !(*env)->ExceptionCheck(env))
        text = (*env)->NewStringUTF(env, name);
    if (text)
        result = (*env)->CallObjectMethodA(env, loader, load, &(union jni_value){.l = text});
    return (*env)->ExceptionCheck(env) ? NULL : result;
}

bool java_offer(void)
{
    jni_env *env = find_env();
    if (!env || (*env)->ExceptionCheck(env))
        return false;
    jni_ref library = find_class(env, "sonde.Library");
    bool done = library && (*env)->RegisterNatives(env, library, java_natives, java_native_count) == 0;
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        done = false;
    }
    return done;
}

/* java.io.File.getFreeSpace(), which asks for it in native code of the calling thread. The path is looked at only when the
 * kernel has read it: it says that what is below /dev/null is no file. */
INTERPOSED int statvfs64(const char *path, struct statvfs64 *out)
{
    int result = REAL(statvfs64)(path, out);
    if (result == 0 || errno != ENOTDIR || strcmp(path, JAVA_QUESTION) != 0 || !is_wanted() || is_shut_in())
        return result;
    if (!java_offer()) {
        errno = ENOTDIR;
        return -1;
    }
    *out = (struct statvfs64){.f_frsize = 1, .f_bfree = (uint64_t)JAVA_ANSWER_HIGH << 16 | JAVA_ANSWER_LOW};
    return 0;
}
