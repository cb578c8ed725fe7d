#include "unwind/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Pages are the grain of what can be read. Smaller than the real page size does no harm. */
enum { PAGE = 4096 };

/* Whether the kernel gives bytes for the asking: as was found out. Relaxed: an opinion. */
enum { NOBODY_ASKED, IT_DOES, IT_DOES_NOT };
static _Atomic int kernel_gives;

/* Where process_vm_readv is forbidden (a sandbox) or not there, the kernel gives the same bytes as a file. */
static size_t copy_from_file(pid_t pid, void *out, uint64_t address, size_t length)
{
    char path[32] = "/proc/self/mem", digits[16];
    size_t end = sizeof "/proc/" - 1, count = 0;
    for (unsigned rest = (unsigned)pid; rest; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    if (count > 0) {
        while (count > 0)
            path[end++] = digits[--count];
        memcpy(path + end, "/mem", sizeof "/mem");
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    size_t done = 0;
    while (done < length) {
        ssize_t got = pread(file, (char *)out + done, length - done, (off_t)(address + done));
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    int saved = errno;
    close(file);
    errno = saved;
    return done;
}

/* The system call itself, past whatever a program or a sanitizer puts before the function of this name. */
static size_t copy_from_kernel(pid_t pid, void *out, uint64_t address, size_t length)
{
    size_t done = 0;
    while (done < length) {
        /* To the end of the page first: a read may fail as a whole where any of its pages does. */
        uint64_t from = address + done;
        size_t first = PAGE - from % PAGE;
        if (first > length - done)
            first = length - done;
        struct iovec local = {(char *)out + done, length - done};
        struct iovec remote[2] = {{(void *)(uintptr_t)from, first}, {(void *)(uintptr_t)(from + first), length - done - first}};
        long got = syscall(SYS_process_vm_readv, pid ? (long)pid : (long)getpid(), &local, 1L, remote,
                           remote[1].iov_len ? 2L : 1L, 0L);
        if (got < 0 && done == 0 && (errno == ENOSYS || errno == EPERM)) {
            if (pid == 0) /* another process may have its own reasons */
                atomic_store_explicit(&kernel_gives, IT_DOES_NOT, memory_order_relaxed);
            return copy_from_file(pid, out, address, length);
        }
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

size_t unwind_memory_copy_of(pid_t pid, void *out, uint64_t address, size_t length, int *error)
{
    int saved = errno;
    size_t done = copy_from_kernel(pid, out, address, length);
    if (error && done == 0)
        *error = errno;
    errno = saved;
    return done;
}

size_t unwind_memory_copy(void *out, uint64_t address, size_t length)
{
    return unwind_memory_copy_of(0, out, address, length, NULL);
}

/* A piece around the word: most of it above, where the callers are, and some of it below, where the registers are that this
 * frame saved; but not beyond the page, which the words below may not share. */
static bool copy_around(struct unwind_memory *memory, uint64_t address)
{
    enum { BELOW = 512 };
    uint64_t page = address - address % PAGE;
    uint64_t start = address - page > BELOW ? address - BELOW : page;
    memory->copy_start = start;
    memory->copy_length = unwind_memory_copy_of(memory->pid, memory->copy, start, UNWIND_COPY_BYTES, &memory->error);
    return memory->copy_length >= address - start + sizeof(uint64_t);
}

bool unwind_memory_read(struct unwind_memory *memory, uint64_t address, uint64_t *word)
{
    if (unwind_memory_in_window(memory, address, sizeof *word)) {
        *word = unwind_memory_word(address);
        return true;
    }
    if (!memory->copy || address > UINT64_MAX - UNWIND_COPY_BYTES)
        return false;
    bool held = address >= memory->copy_start && memory->copy_length >= sizeof *word &&
                address - memory->copy_start <= memory->copy_length - sizeof *word;
    if (!held && !copy_around(memory, address))
        return false;
    memcpy(word, memory->copy + (address - memory->copy_start), sizeof *word);
    return true;
}
