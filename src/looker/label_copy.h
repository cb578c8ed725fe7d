/* The labels of a thread in another process, or of another thread in this one. */
#ifndef SONDE_LOOKER_LABEL_COPY_H
#define SONDE_LOOKER_LABEL_COPY_H

#include "stack/raw_stack.h"

#include <sys/types.h>

/* Appends the labels of the struct label_stack at `address` in process `pid` to `raw`. What stands there is not trusted, nor
 * are the texts it leads to: they may be anything by now. What cannot be read is an empty text. */
void label_stack_copy(pid_t pid, uint64_t address, struct raw_stack *raw);

#endif
