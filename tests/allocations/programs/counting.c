/* An allocator that counts: preloaded behind Sonde's library, it is asked for everything that is recorded. At the end it writes
 * to the file that COUNTING names how many bytes and blocks it gave out. What the library of the recorder does before it begins
 * is not counted: it begins where it says of its own memory that forked children shall not have it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size), *__libc_calloc(size_t number, size_t size), *__libc_realloc(void *block, size_t size),
    *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static size_t bytes, blocks;

static void *count(void *block, size_t size)
{
    if (block) {
        bytes += size;
        blocks++;
    }
    return block;
}

void *malloc(size_t size)
{
    return count(__libc_malloc(size), size);
}

void *calloc(size_t number, size_t size)
{
    return count(__libc_calloc(number, size), number * size);
}

void *realloc(void *block, size_t size)
{
    return count(__libc_realloc(block, size), size);
}

void *memalign(size_t alignment, size_t size)
{
    return count(__libc_memalign(alignment, size), size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

void free(void *block)
{
    __libc_free(block);
}

int madvise(void *start, size_t size, int advice)
{
    int (*real)(void *, size_t, int) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "madvise");
    if (advice == MADV_WIPEONFORK)
        bytes = blocks = 0;
    return real(start, size, advice);
}

static int is_the_recorder(void)
{
    char path[512];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 6 && memcmp(path + length - 6, "/sonde", 6) == 0;
}

__attribute__((destructor)) static void say(void)
{
    char text[64];
    const char *file = getenv("COUNTING");
    int fd = file && !is_the_recorder() ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    int length = snprintf(text, sizeof text, "%zu %zu\n", bytes, blocks);
    if (fd >= 0 && write(fd, text, (size_t)length) != length)
        abort();
}
