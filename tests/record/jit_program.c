/* A compiler in miniature: puts a loop into memory, says so as compilers do, and runs it for a second of CPU time.
 *
 * usage: jit_program map|dump FOLDER       writes FOLDER/perf-PID.map or FOLDER/jit-PID.dump */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined __x86_64__
/* mov rax, rdi; again: dec rax; jnz again; ret */
static const unsigned char loop[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3};
#elif defined __aarch64__
/* again: subs x0, x0, #1; b.ne again; ret */
static const uint32_t loop[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#endif

static void write_map(FILE *out, uint64_t start)
{
    fprintf(out, "%llx 1000 an older function\n", (unsigned long long)start);
    fprintf(out, "0x%llx %zx JS:*count /app/counter.js:3:7\n", (unsigned long long)start, sizeof loop);
}

static void put(FILE *out, const void *bytes, size_t size)
{
    fwrite(bytes, size, 1, out);
}

static void put32(FILE *out, uint32_t value)
{
    put(out, &value, sizeof value);
}

static void put64(FILE *out, uint64_t value)
{
    put(out, &value, sizeof value);
}

static void put_record(FILE *out, uint32_t kind, size_t size)
{
    put32(out, kind);
    put32(out, (uint32_t)(16 + size));
    put64(out, 0);
}

/* The function is written down where it was, with its lines, and moves to where it is. */
static void write_dump(FILE *out, uint64_t start)
{
    static const char name[] = "count", file[] = "/app/counter.js", same[] = "\xff";
    uint64_t before = start + 0x10000;
    put32(out, 0x4a695444);
    put32(out, 1);
    put32(out, 40);
    put32(out, 62);
    put32(out, 0);
    put32(out, (uint32_t)getpid());
    put64(out, 0);
    put64(out, 0);
    put_record(out, 2, 16 + 2 * 16 + sizeof file + sizeof same);
    put64(out, before);
    put64(out, 2);
    put64(out, before);
    put32(out, 3);
    put32(out, 0);
    put(out, file, sizeof file);
    put64(out, before + sizeof loop);
    put32(out, 9);
    put32(out, 0);
    put(out, same, sizeof same);
    put_record(out, 0, 8 + 4 * 8 + sizeof name + sizeof loop);
    put32(out, (uint32_t)getpid());
    put32(out, (uint32_t)getpid());
    put64(out, before);
    put64(out, before);
    put64(out, sizeof loop);
    put64(out, 7);
    put(out, name, sizeof name);
    put(out, loop, sizeof loop);
    put_record(out, 1, 8 + 5 * 8);
    put32(out, (uint32_t)getpid());
    put32(out, (uint32_t)getpid());
    put64(out, start);
    put64(out, before);
    put64(out, start);
    put64(out, sizeof loop);
    put64(out, 7);
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return 1;
    memcpy(code, loop, sizeof loop);
    if (mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0)
        return 1;
    __builtin___clear_cache(code, code + sizeof loop);
    char path[1000];
    int dump = strcmp(arguments[1], "dump") == 0;
    snprintf(path, sizeof path, dump ? "%s/jit-%d.dump" : "%s/perf-%d.map", arguments[2], (int)getpid());
    FILE *out = fopen(path, "w");
    if (!out)
        return 1;
    if (dump)
        write_dump(out, (uintptr_t)code);
    else
        write_map(out, (uintptr_t)code);
    if (fclose(out) != 0)
        return 1;
    puts(path);
    alarm(60);
    while (clock() < CLOCKS_PER_SEC)
        ((long (*)(long))(uintptr_t)code)(1000000);
    return 0;
}
