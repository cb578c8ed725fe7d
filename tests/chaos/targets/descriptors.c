/* A program with one thread, which may rely on what POSIX promises it: a new descriptor is the lowest one that is free. It
 * closes all descriptors it does not know, and lives with room for very few. */
#include "../../support/large_library.h"
#include "../../support/large_tables.h"
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { TIMES = 20000, PIECES = 3000 };

int main(void)
{
    alarm(240);
    check(large_library() != NULL);
    int first = open("/dev/null", O_RDONLY);
    printf("the first descriptor is %d\n", first);
    check(close(first) == 0);

    /* As daemons do it, with no look at the result. */
    struct stat null, input;
    check(stat("/dev/null", &null) == 0);
    for (unsigned i = 0; i < TIMES; i++) {
        close(STDIN_FILENO);
        int fd = open("/dev/null", O_RDWR);
        check(fd == STDIN_FILENO);
        check(fstat(STDIN_FILENO, &input) == 0 && input.st_rdev == null.st_rdev);
    }

    closefrom(3);
    char path[] = "/tmp/sonde-chaos-XXXXXX";
    check(mkstemp(path) == 3 && unlink(path) == 0);
    check(open("/dev/null", O_RDONLY) == 4);
    check(close(4) == 0);
    /* Whoever took 3 for his own would move its place, or close it. */
    uint32_t value = 0;
    for (int i = 0; i < PIECES; i++) {
        check(write(3, &i, sizeof i) == (ssize_t)sizeof i);
        value = compute(value, 50000);
    }
    for (int i = 0, written; i < PIECES; i++)
        check(pread(3, &written, sizeof written, i * (off_t)sizeof written) == (ssize_t)sizeof written && written == i);
    check(lseek(3, 0, SEEK_END) == PIECES * (off_t)sizeof(int) && close(3) == 0);

    struct rlimit few = {8, 8};
    check(setrlimit(RLIMIT_NOFILE, &few) == 0);
    int opened = 0;
    while (open("/dev/null", O_RDONLY) >= 0)
        opened++;
    check(errno == EMFILE);
    printf("%d more descriptors, %08x\n", opened, compute(value, 100000000));
    return 0;
}
