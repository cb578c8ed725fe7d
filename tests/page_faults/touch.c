/* Touches fresh pages in two functions, for tests/page_faults/run: 2000 and 100 in its first thread, 500 in another one, 50 in
 * a forked child, and 30 in the same program executed again. */
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

static volatile char *fresh(size_t pages)
{
    char *all = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        _exit(9);
    madvise(all, pages * PAGE, MADV_NOHUGEPAGE);
    return all;
}

__attribute__((noinline)) static void touch_many(volatile char *pages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pages[i * PAGE] = 1;
}

__attribute__((noinline)) static void touch_few(volatile char *pages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pages[i * PAGE] = 2;
}

static void *run(void *unused)
{
    touch_many(fresh(500), 500);
    return unused;
}

int main(int count, char **words)
{
    if (count > 1) {
        touch_few(fresh(30), 30);
        return 0;
    }
    pthread_t thread;
    touch_many(fresh(2000), 2000);
    touch_few(fresh(100), 100);
    if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 9;
    pid_t child = fork();
    if (child == 0) {
        touch_few(fresh(50), 50);
        execl(words[0], words[0], "again", (char *)NULL);
        _exit(9);
    }
    int status;
    return child < 0 || waitpid(child, &status, 0) != child || status != 0 ? 9 : 0;
}
