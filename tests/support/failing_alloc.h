/* Makes the first allocation fail, then the second, and so on, until what is tested works. */
#ifndef SONDE_TESTS_FAILING_ALLOC_H
#define SONDE_TESTS_FAILING_ALLOC_H

#include "common/error.h"

/* `attempt` builds up and takes down everything it needs, and returns 0 or a negative errno. Fails the test where an attempt
 * with too little memory gives anything but -ENOMEM with a message. Returns how many attempts failed. */
unsigned long assert_survives_failing_allocations(int (*attempt)(void *data, struct error *error), void *data);

#endif
