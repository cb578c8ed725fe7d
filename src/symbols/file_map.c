#include "symbols/file_map.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* More files than this are open at once only where debug information is split into thousands; the rest is mapped, too, but
 * not looked after. */
enum { MAPS = 4096 };

/* A free slot has the begin 0. Whoever takes one writes TAKEN first and the begin last, so that the handler never sees a begin
 * with the size of another map. */
#define TAKEN UINTPTR_MAX

static struct slot {
    atomic_uintptr_t begin;
    atomic_size_t size;
    atomic_bool is_cut;
} slots[MAPS];

static struct sigaction before; /* who had the signal; there before the handler is */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- slots ---- */

/* The one with a map that an address is in, or NULL. Called from the handler: acquire, for the size that was written before
 * the begin. */
static struct slot *find_slot(uintptr_t address)
{
    for (size_t i = 0; i < MAPS; i++) {
        uintptr_t begin = atomic_load_explicit(&slots[i].begin, memory_order_acquire);
        if (begin != 0 && begin != TAKEN && address >= begin &&
            address - begin < atomic_load_explicit(&slots[i].size, memory_order_relaxed))
            return &slots[i];
    }
    return NULL;
}

static void take_slot(struct slice bytes)
{
    for (size_t i = 0; i < MAPS; i++) {
        uintptr_t none = 0;
        /* Acquire: what the last user of the slot wrote into it is over. */
        if (!atomic_compare_exchange_strong_explicit(&slots[i].begin, &none, TAKEN, memory_order_acquire, memory_order_relaxed))
            continue;
        atomic_store_explicit(&slots[i].size, bytes.length, memory_order_relaxed);
        atomic_store_explicit(&slots[i].is_cut, false, memory_order_relaxed);
        atomic_store_explicit(&slots[i].begin, (uintptr_t)bytes.text, memory_order_release); /* see find_slot() */
        return;
    }
}

/* ---- what is gone ---- */

static void put_zeros(int signal, siginfo_t *info, void *context)
{
    (void)context;
    int code = errno;
    uintptr_t address = (uintptr_t)info->si_addr;
    struct slot *slot = info->si_code > 0 ? find_slot(address) : NULL;  /* otherwise somebody sent it */
    uintptr_t from = address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1); /* a constant, which takes no lock */
    if (slot) {
        uintptr_t end =
            atomic_load_explicit(&slot->begin, memory_order_relaxed) + atomic_load_explicit(&slot->size, memory_order_relaxed);
        atomic_store_explicit(&slot->is_cut, true, memory_order_relaxed); /* for this thread, or for those that join it */
        if (mmap((void *)from, end - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
            slot = NULL;
    }
    if (!slot) {
        sigaction(signal, &before, NULL);
        raise(signal);
    }
    errno = code;
}

/* Others may have taken it since the last map. */
static void take_over(void)
{
    struct sigaction ours = {.sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO | SA_ONSTACK}, now;
    sigemptyset(&ours.sa_mask);
    pthread_mutex_lock(&lock);
    if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction != put_zeros) {
        before = now;
        sigaction(SIGBUS, &ours, NULL);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- maps ---- */

int file_map(int fd, bool at_once, struct slice *bytes, struct error *error)
{
    struct stat status;
    *bytes = (struct slice){0};
    if (fstat(fd, &status) != 0)
        return error_set(error, -errno, "%m");
    if (!S_ISREG(status.st_mode))
        return error_set(error, -EISDIR, "it is not a file");
    if (status.st_size <= 0)
        return 0;
    take_over();
    void *mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | (at_once ? MAP_POPULATE : 0), fd, 0);
    if (mapped == MAP_FAILED)
        return error_set(error, -errno, "%m");
    *bytes = (struct slice){mapped, (size_t)status.st_size};
    take_slot(*bytes);
    return 0;
}

void file_unmap(struct slice bytes)
{
    if (bytes.length == 0)
        return;
    struct slot *slot = find_slot((uintptr_t)bytes.text);
    if (slot)
        atomic_store_explicit(&slot->begin, 0, memory_order_release); /* for whoever takes it next */
    munmap((void *)(uintptr_t)bytes.text, bytes.length);
}

bool file_map_is_cut(struct slice bytes)
{
    struct slot *slot = bytes.length > 0 ? find_slot((uintptr_t)bytes.text) : NULL;
    return slot && atomic_load_explicit(&slot->is_cut, memory_order_relaxed);
}
