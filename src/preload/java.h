/* Markers from Java (bindings/java): the native methods of its class sonde.Library, given to it by the program's own thread. */
#ifndef SONDE_PRELOAD_JAVA_H
#define SONDE_PRELOAD_JAVA_H

#include "preload/jni.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* What sonde.Library asks, and what it takes for a yes. */
#define JAVA_QUESTION "/dev/null/sonde.Library/1"
enum { JAVA_ANSWER_HIGH = 0x536f6e, JAVA_ANSWER_LOW = 0x6465 };

/* Registers them for the class of that name that the calling thread's class loader finds. Called where a thread of Java is in
 * native code of a method; false where it is none, or the class is of another version. */
bool java_offer(void);

/* The native methods, in java_natives.c. */
extern const struct jni_native java_natives[];
extern const int32_t java_native_count;

#pragma GCC visibility pop

#endif
