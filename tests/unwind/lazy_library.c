/* Linked with -z lazy: each function of libc is looked up when it is first called, through a PLT stub. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

void lazy_run(void);
static volatile uint64_t sink;

void lazy_run(void)
{
    char text[64] = "lazy binding";
    sink += (uint64_t)getppid() + (uint64_t)labs(-5) + strlen(text) + wcslen(L"wide");
    sink += (uint64_t)atoi("42") + (uint64_t)(uintptr_t)strpbrk(text, "xyz") + (uint64_t)toupper('a');
    sink += strspn(text, "lazy") + strcspn(text, "b") + (uint64_t)strcoll(text, "lazy");
    sink += (uint64_t)(uintptr_t)strstr(text, "bind") + (uint64_t)(uintptr_t)getenv("PATH");
}
