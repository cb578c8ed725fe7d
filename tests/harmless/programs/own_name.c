/* What the C library knows of the program's arguments, which it gets when it begins. */
#include <errno.h>
#include <stdio.h>

static const char *name_at_start;

__attribute__((constructor)) static void look(void)
{
    name_at_start = program_invocation_name;
}

int main(void)
{
    printf("%s, %s, %s\n", name_at_start, program_invocation_name, program_invocation_short_name);
    return 0;
}
