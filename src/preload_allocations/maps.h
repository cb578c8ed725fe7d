/* The functions of the kernel's memory that the program finds instead of the C library's (maps.c). */
#ifndef SONDE_PRELOAD_ALLOCATIONS_MAPS_H
#define SONDE_PRELOAD_ALLOCATIONS_MAPS_H

#pragma GCC visibility push(hidden)

/* The real ones are known from here on. */
void maps_find(void);

#pragma GCC visibility pop

#endif
