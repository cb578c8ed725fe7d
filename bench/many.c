/* Many processes of many threads, all of which mostly wait:
 *
 *     many PROCESSES THREADS SECONDS FILE [FOLDER]
 *
 * Each thread waits 100 to 200 ms, works for about 0.1 ms, and so on. Once all of them have begun, and a second later, what the
 * parent takes is measured for so many seconds. Writes that to FILE, and the largest sum of the sizes of all files in FOLDER,
 * of the disk space that they really have, seen in that time ("held", in bytes). */
#include "costs.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS_MOST = 64 };

/* In memory that all processes share. */
static struct shared {
    atomic_uint begun;
    atomic_bool over;
} * shared;

static volatile uint32_t result; /* so that work is not left out */

static __attribute__((noinline)) void work(void)
{
    uint32_t value = result | 1;
    for (unsigned i = 0; i < 80000; i++) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    result = value;
}

static void *live(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    atomic_fetch_add(&shared->begun, 1);
    while (!atomic_load(&shared->over)) {
        usleep(100000 + (unsigned)rand_r(&seed) % 100000);
        work();
    }
    return argument;
}

static void run_process(unsigned number, unsigned threads)
{
    pthread_t made[THREADS_MOST];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (unsigned i = 1; i < threads; i++)
        if (pthread_create(&made[i], NULL, live, (void *)(uintptr_t)(number * threads + i)) != 0)
            _exit(1);
    live((void *)(uintptr_t)(number * threads));
    for (unsigned i = 1; i < threads; i++)
        pthread_join(made[i], NULL);
    exit(0);
}

static uint64_t size_of_folder(const char *path)
{
    uint64_t sum = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat file;
        if (fstatat(dirfd(folder), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(file.st_mode))
            sum += (uint64_t)file.st_blocks * 512;
    }
    if (folder)
        closedir(folder);
    return sum;
}

int main(int argc, char **argv)
{
    unsigned processes = argc > 4 ? (unsigned)atoi(argv[1]) : 0, threads = argc > 4 ? (unsigned)atoi(argv[2]) : 0;
    unsigned seconds = argc > 4 ? (unsigned)atoi(argv[3]) : 0;
    if (argc > 6 || processes == 0 || threads == 0 || threads > THREADS_MOST || seconds == 0) {
        fputs("usage: many PROCESSES THREADS SECONDS FILE [FOLDER]\n", stderr);
        return 2;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("many");
        return 1;
    }
    for (unsigned i = 0; i < processes; i++) {
        pid_t pid = fork();
        if (pid < 0) {
            perror("many: fork");
            return 1;
        }
        if (pid == 0)
            run_process(i, threads);
    }
    while (atomic_load(&shared->begun) < processes * threads)
        usleep(10000);
    sleep(1);
    struct costs start = costs_now();
    uint64_t held = 0;
    for (unsigned i = 0; i < seconds; i++) {
        sleep(1);
        uint64_t now = argc > 5 ? size_of_folder(argv[5]) : 0;
        held = now > held ? now : held;
    }
    struct costs costs = costs_since(&start);
    atomic_store(&shared->over, true);
    int status, failed = 0;
    while (wait(&status) > 0)
        failed += status != 0;
    FILE *out = costs_open(argv[4]);
    fputc('{', out);
    costs_print(out, &costs, 1);
    fprintf(out, ", \"held\": %lu, \"failed\": %d}\n", held, failed);
    fclose(out);
    return failed != 0;
}
