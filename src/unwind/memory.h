/* Which words of a stack can be read.
 *
 * A walk reads only inside a window. Reading one's own stack, whose bounds are known, the window is that stack. For any other
 * memory (a coroutine's stack, an alternate signal stack, the stack of another thread, which may be unmapped at any moment)
 * pieces are copied through the kernel first, which gives an error where a plain read would crash. So is the memory of another
 * process, if it is `pid`'s. */
#ifndef SONDE_UNWIND_MEMORY_H
#define SONDE_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { UNWIND_COPY_BYTES = 4096 };

struct unwind_memory {
    uint64_t start, end; /* addresses that can be read directly; start = end: none */
    uint64_t copy_start; /* what `copy` holds now: copy_start … copy_start + copy_length */
    size_t copy_length;
    uint8_t *copy; /* UNWIND_COPY_BYTES of room, or NULL: only the window can be read */
    pid_t pid;     /* whose memory is copied, any thread of the process; 0 = the caller's. With one there is no window */
    int error;     /* of `pid`: why nothing could be copied, the last errno; 0 = there was no such case */
};

/* Reads the word at `address`; false where it cannot be read. Safe in a signal handler. */
bool unwind_memory_read(struct unwind_memory *memory, uint64_t address, uint64_t *word);

/* Copies up to `length` bytes of this process's memory through the kernel; returns how many from the start were readable.
 * Safe in a signal handler. */
size_t unwind_memory_copy(void *out, uint64_t address, size_t length);

/* The same of another process, by the id of any of its threads that is alive; 0 = the caller's. Where nothing could be read,
 * `*error` says why (NULL: nobody asks): EPERM or EACCES if the process does not allow it, ESRCH if it is gone, EFAULT or EIO
 * if there is nothing at this address. */
size_t unwind_memory_copy_of(pid_t pid, void *out, uint64_t address, size_t length, int *error);

/* Of a walk's code, not of its stack: the same, or nothing where only the window can be read. */
static inline size_t unwind_memory_code(const struct unwind_memory *memory, void *out, uint64_t address, size_t length)
{
    return memory->copy ? unwind_memory_copy_of(memory->pid, out, address, length, NULL) : 0;
}

/* All bytes of `length` ≥ 0 from `address` on are in the window. */
static inline bool unwind_memory_in_window(const struct unwind_memory *memory, uint64_t address, uint64_t length)
{
    return address >= memory->start && address <= memory->end && memory->end - address >= length;
}

/* Only for addresses in the window. Not sanitized, and the only such functions: they read what the program itself may not look
 * at (the space between its variables), and words that another thread may be writing. */
__attribute__((no_sanitize("address", "thread", "undefined"))) static inline uint64_t unwind_memory_word(uint64_t address)
{
    struct word {
        uint64_t value;
    } __attribute__((packed, may_alias));
    return ((const volatile struct word *)(uintptr_t)address)->value;
}

/* The same, of one byte. */
__attribute__((no_sanitize("address", "thread", "undefined"))) static inline uint8_t unwind_memory_byte(uint64_t address)
{
    return *(const volatile uint8_t *)(uintptr_t)address;
}

#endif
