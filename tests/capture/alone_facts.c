#include "alone_facts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const char facts_name[] = "SONDE_TEST_FACTS";

struct alone_facts *alone_facts;

static bool map_facts(int fd)
{
    void *facts = mmap(NULL, sizeof *alone_facts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    alone_facts = facts != MAP_FAILED ? facts : NULL;
    return alone_facts != NULL;
}

bool alone_facts_share(void)
{
    char path[64];
    int fd = memfd_create("facts", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    return fd >= 0 && ftruncate(fd, sizeof *alone_facts) == 0 && setenv(facts_name, path, 1) == 0 && map_facts(fd);
}

bool alone_facts_open(void)
{
    const char *path = getenv(facts_name);
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    bool is_there = fd >= 0 && map_facts(fd);
    if (fd >= 0)
        close(fd);
    if (is_there)
        *alone_facts = (struct alone_facts){.first = (uintptr_t)work_first, .later = (uintptr_t)work_later};
    return is_there;
}

uint64_t read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t count_tasks(void)
{
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

/* Inlined: the frames are those of the function that the test knows. */
static inline __attribute__((always_inline)) void work_for(int ms)
{
    uint64_t end = read_clock(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000;
    while (read_clock(CLOCK_THREAD_CPUTIME_ID) < end)
        for (volatile int i = 0; i < 50000; i++)
            ;
}

FOUND_BY_TEST void work_first(int ms)
{
    work_for(ms);
}

FOUND_BY_TEST void work_later(int ms)
{
    work_for(ms);
}

int say_end(void)
{
    alone_facts->tasks = count_tasks();
    alone_facts->at_end_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    return 0;
}
