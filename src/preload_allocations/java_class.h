/* Names of Java's classes, as people write them. */
#ifndef SONDE_PRELOAD_ALLOCATIONS_JAVA_CLASS_H
#define SONDE_PRELOAD_ALLOCATIONS_JAVA_CLASS_H

#include <stddef.h>

/* Of a signature, "[Ljava/lang/String;": "java.lang.String[]". What differs from run to run in names of hidden classes is cut,
 * and so is what has no room. */
void java_class_name(const char *signature, char *out, size_t room);

#endif
