/* Errors as values.
 *
 * A function that can fail returns 0 or a negative errno and fills the `struct error` it was given. The message says what
 * is wrong and where (an offset, a line, an argument); whoever knows the file puts its name in front. */
#ifndef SONDE_COMMON_ERROR_H
#define SONDE_COMMON_ERROR_H

#include <stdarg.h>

struct error {
    int code; /* 0, or a negative errno */
    char message[400];
};

/* Fills `error` and returns `code`, so that `return error_set(...)` reads well. The first error wins: one already set stays. */
int error_set(struct error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int error_set_va(struct error *error, int code, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

/* What an errno means, as strerrordesc_np() of glibc has it: without a lock or memory. */
const char *error_text(int number);

/* `-ENOMEM` with a message that says so. */
int error_out_of_memory(struct error *error);

#endif
