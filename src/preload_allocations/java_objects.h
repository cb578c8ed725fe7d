/* Objects of Java: open64() is stood in front of, in which the VM is asked to tell of those that it samples. */
#ifndef SONDE_PRELOAD_ALLOCATIONS_JAVA_OBJECTS_H
#define SONDE_PRELOAD_ALLOCATIONS_JAVA_OBJECTS_H

#pragma GCC visibility push(hidden)

/* The real one is known from here on. */
void java_objects_find(void);

#pragma GCC visibility pop

#endif
