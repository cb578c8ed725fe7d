/* Forks much while it has much memory, and does nothing else: its time is the kernel's, which copies its page tables. Prints to
 * standard error the CPU time in ms that the kernel needed for it. */
#include "chaos/targets/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { BYTES = 256 << 20, AT_LEAST_MS = 600 };

static unsigned kernel_ms(void)
{
    struct rusage usage;
    check(getrusage(RUSAGE_SELF, &usage) == 0);
    return (unsigned)(usage.ru_stime.tv_sec * 1000 + usage.ru_stime.tv_usec / 1000);
}

__attribute__((noinline, noclone)) static void fork_much(unsigned until_ms)
{
    while (kernel_ms() < until_ms) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        int status;
        check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
}

int main(void)
{
    char *memory = malloc(BYTES);
    check(memory);
    memset(memory, 1, BYTES);
    unsigned before_ms = kernel_ms();
    fork_much(before_ms + AT_LEAST_MS);
    fprintf(stderr, "%u\n", kernel_ms() - before_ms);
    return memory[BYTES / 2] - 1;
}
