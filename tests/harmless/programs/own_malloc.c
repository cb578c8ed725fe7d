/* A program with an allocator of its own, which is not reentrant, as most are not: it is in it nearly all the time, and notices
 * when it is called by a thread that is in it already. Only a signal handler can do that. Each thread has a text of dlerror()
 * pending: the next call of the dynamic linker would free it.
 *
 *     own_malloc THREADS        0: the main thread alone */
#include "burn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static _Alignas(64) unsigned char memory[256 << 20];
static atomic_size_t used;
static atomic_uint reentered;
static _Thread_local volatile bool inside;
static bool slow; /* once main() has begun */

struct header {
    size_t size;
    char rest[56];
};

static void enter(void)
{
    if (inside)
        atomic_fetch_add(&reentered, 1);
    inside = true;
    if (slow)
        burn(10000);
}

static void leave(void)
{
    inside = false;
}

static void *take(size_t alignment, size_t size)
{
    enter();
    alignment = alignment < 64 ? 64 : alignment;
    size_t need = (sizeof(struct header) + size + 2 * alignment - 1) / 64 * 64;
    size_t at = atomic_fetch_add(&used, need);
    void *result = NULL;
    if (at + need <= sizeof memory) {
        uintptr_t address = ((uintptr_t)memory + at + sizeof(struct header) + alignment - 1) & ~(alignment - 1);
        ((struct header *)address)[-1].size = size;
        result = (void *)address;
    } else {
        errno = ENOMEM;
    }
    leave();
    return result;
}

void *malloc(size_t size)
{
    return take(64, size);
}

void free(void *block)
{
    if (!block)
        return;
    enter();
    leave();
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : take(64, bytes); /* nothing is given out twice: all is zero */
}

void *realloc(void *block, size_t size)
{
    void *result = take(64, size);
    if (block && result) {
        size_t old = ((struct header *)block)[-1].size;
        memcpy(result, block, old < size ? old : size);
    }
    free(block);
    return result;
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
    return take(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return take(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = take(alignment, size);
    return *block ? 0 : ENOMEM;
}

static void *allocate_often(void *argument)
{
    check(dlopen("/no/such/library.so", RTLD_NOW) == NULL);
    for (unsigned i = 0; i < 15000; i++) {
        void *volatile block = malloc(i % 100);
        check(block != NULL);
        free(block);
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    slow = true;
    unsigned count = argc == 2 ? (unsigned)atoi(argv[1]) : 0;
    check(count <= 2);
    for (unsigned i = 0; i < count; i++)
        check(pthread_create(&threads[i], NULL, allocate_often, NULL) == 0);
    for (unsigned i = 0; i < count; i++)
        check(pthread_join(threads[i], NULL) == 0);
    if (count == 0)
        allocate_often(NULL);
    printf("called %u times from within\n", atomic_load(&reentered));
    return 0;
}
