#include "top/state.h"

#include <stdarg.h>
#include <stdio.h>

void top_say(struct top *top, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(top->message, sizeof top->message, format, arguments);
    va_end(arguments);
}

bool top_worked(struct top *top, int status)
{
    if (status != 0)
        top_say(top, "%s", top->look.error.message);
    top->look.error = (struct error){0};
    return status == 0;
}
