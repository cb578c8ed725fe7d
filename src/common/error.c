#include "common/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int error_set_va(struct error *error, int code, const char *format, va_list arguments)
{
    if (error->code == 0) {
        error->code = code;
        vsnprintf(error->message, sizeof error->message, format, arguments);
    }
    return error->code;
}

int error_set(struct error *error, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = error_set_va(error, code, format, arguments);
    va_end(arguments);
    return result;
}

int error_out_of_memory(struct error *error)
{
    return error_set(error, -ENOMEM, "out of memory");
}

extern __typeof__(strerrordesc_np) strerrordesc_np __attribute__((weak));

const char *error_text(int number)
{
    const char *text = strerrordesc_np ? strerrordesc_np(number) : NULL;
    return text ? text : "unknown error";
}
