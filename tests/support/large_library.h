/* A library with large unwind tables, for programs to be linked with: they are mapped from its file. */
#ifndef SONDE_TESTS_LARGE_LIBRARY_H
#define SONDE_TESTS_LARGE_LIBRARY_H

/* An address in it. */
const void *large_library(void);

#endif
