#include "capture/signal_files.h"

#include "capture/masks.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Programs have one, or a few. One more than these never gets what was hidden when it was made. */
enum { FILES_MAX = 64, KERNEL_SIGSET_BYTES = 8 };

static struct signal_file {
    _Atomic int name; /* the descriptor + 1; 0 = free */
    _Atomic uint64_t wanted;
} files[FILES_MAX];

static _Atomic uint64_t hidden_now;

/* False when it is no signalfd any more: the kernel says so, and nothing has happened. */
static bool update(int fd, uint64_t wanted, uint64_t hidden)
{
    uint64_t bits = wanted & ~hidden;
    int saved_errno = errno;
    long result = syscall(SYS_signalfd4, fd, &bits, KERNEL_SIGSET_BYTES, 0);
    errno = saved_errno;
    return result >= 0;
}

static void update_all(uint64_t hidden)
{
    for (struct signal_file *file = files; file < files + FILES_MAX; file++) {
        int name = atomic_load(&file->name);
        if (name && !update(name - 1, atomic_load_explicit(&file->wanted, memory_order_relaxed), hidden))
            atomic_compare_exchange_strong_explicit(&file->name, &name, 0, memory_order_relaxed, memory_order_relaxed);
    }
}

void signal_files_hide(uint64_t hidden)
{
    /* Sequentially consistent, as below: either this finds a file that is just being noted, or that finds this. */
    atomic_store(&hidden_now, hidden);
    update_all(hidden);
}

static struct signal_file *place_for(int name)
{
    for (struct signal_file *file = files; file < files + FILES_MAX; file++)
        if (atomic_load_explicit(&file->name, memory_order_relaxed) == name)
            return file;
    return NULL;
}

void signal_files_note(int fd, uint64_t wanted)
{
    struct signal_file *file = place_for(fd + 1);
    for (int try = 0; !file && try < 2; try++) {
        file = place_for(0);
        if (!file)
            update_all(atomic_load(&hidden_now)); /* those that were closed meanwhile */
    }
    if (!file)
        return;
    atomic_store_explicit(&file->wanted, wanted, memory_order_relaxed);
    /* With the descriptor comes its set. Two that take the same place at the same time: one of them is not noted. */
    atomic_store(&file->name, fd + 1);
    /* What is hidden may have changed since it was made, and may be changing. */
    uint64_t hidden;
    do {
        hidden = atomic_load(&hidden_now);
        update(fd, wanted, hidden);
    } while (hidden != atomic_load(&hidden_now));
}

bool signal_files_want(int number)
{
    for (const struct signal_file *file = files; file < files + FILES_MAX; file++)
        if (atomic_load_explicit(&file->name, memory_order_acquire) &&
            atomic_load_explicit(&file->wanted, memory_order_relaxed) & signal_bit(number))
            return true;
    return false;
}
