/* Threads that live in the allocator, while children are forked in the middle of it. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { THREADS = 4, BLOCKS = 256, ROUNDS = CHECKED_MEMORY ? 40000 : 150000, FORKS = 10 };

struct block {
    unsigned char *bytes;
    size_t size;
};

static void fill(struct block *block, size_t size, unsigned char value)
{
    block->size = size;
    memset(block->bytes, value, size);
}

static void verify(const struct block *block, unsigned char value)
{
    if (block->bytes)
        check(block->bytes[0] == value && block->bytes[block->size / 2] == value && block->bytes[block->size - 1] == value);
}

static void *allocate(void *argument)
{
    static _Thread_local struct block blocks[BLOCKS];
    uint32_t random = (uint32_t)(uintptr_t)argument;
    for (unsigned i = 0; i < ROUNDS; i++) {
        random = compute(random, 1);
        unsigned at = random % BLOCKS;
        struct block *block = &blocks[at];
        verify(block, (unsigned char)at);
        size_t size = 1 + (random >> 8) % (random % 61 == 0 ? 200000 : 600);
        if (random % 3 == 0) {
            block->bytes = realloc(block->bytes, size);
        } else {
            free(block->bytes);
            block->bytes = random % 3 == 1 ? malloc(size) : aligned_alloc(64, (size + 63) / 64 * 64);
        }
        check(block->bytes);
        fill(block, size, (unsigned char)at);
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        verify(&blocks[i], (unsigned char)i);
        free(blocks[i].bytes);
    }
    return (void *)(uintptr_t)random;
}

int main(void)
{
    alarm(240);
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, allocate, (void *)(uintptr_t)(i + 1)) == 0);
    for (unsigned i = 0; i < FORKS; i++) {
        pid_t child = fork();
        check(child >= 0);
        if (child == 0) {
            /* The allocator of AddressSanitizer is locked for ever in such a child. */
            for (unsigned j = 0; j < 1000 && !CHECKED_MEMORY; j++)
                free(malloc(j * 10));
            _exit(0);
        }
        int status;
        while (waitpid(child, &status, 0) != child)
            check(errno == EINTR);
        check(status == 0);
        usleep(3000);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *value;
        check(pthread_join(threads[i], &value) == 0);
        printf("%08x\n", (unsigned)(uintptr_t)value);
    }
    return 0;
}
