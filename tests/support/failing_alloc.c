#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

#include "common/memory.h"

#include <errno.h>

unsigned long assert_survives_failing_allocations(int (*attempt)(void *data, struct error *error), void *data)
{
    for (unsigned long n = 1;; n++) {
        struct error error = {0};
        memory_fail_after(n);
        int result = attempt(data, &error);
        memory_fail_after(0);
        if (result == 0)
            return n - 1;
        assert_int_equal(result, -ENOMEM);
        assert_int_equal(error.code, -ENOMEM);
        assert_true(error.message[0] != '\0');
    }
}
