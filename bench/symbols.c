/* Looks up the symbols of addresses in one file, a whole process for each lookup, so that it can be held against others.
 *
 *     bench_symbols choose FILE COUNT                random addresses of its code as in the file, always the same
 *     bench_symbols id FILE                          its build id, which a recording would have
 *     bench_symbols look FILE ID [CACHE] <ADDRESSES  what is known of them, as addr2line -i -f prints it
 *     bench_symbols time FILE ID [CACHE] <ADDRESSES  how long the lookup alone took: {"ms": 61.2, "cpu": 80.4} */
#include "common/memory.h"
#include "symbols/elf_file.h"
#include "symbols/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int complain(const char *what)
{
    fprintf(stderr, "bench_symbols: %s\n", what);
    return 1;
}

/* ---- choosing ---- */

static int choose(const struct elf_file *file, size_t count)
{
    const struct elf_section *code = elf_file_section_named(file, ".text");
    uint64_t random = 88172645463325252u;
    if (!code || code->size == 0)
        return complain("there is no code in it");
    for (size_t i = 0; i < count; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        printf("0x%llx\n", (unsigned long long)(code->address + random % code->size));
    }
    return 0;
}

static int print_id(const struct elf_file *file)
{
    struct slice id = elf_file_build_id(file);
    for (size_t i = 0; i < id.length; i++)
        printf("%02x", (unsigned char)id.text[i]);
    puts("");
    return 0;
}

/* ---- looking up ---- */

static struct slice parse_id(const char *text, char *bytes, size_t capacity)
{
    size_t count = 0;
    unsigned value;
    while (count < capacity && sscanf(text + 2 * count, "%2x", &value) == 1)
        bytes[count++] = (char)value;
    return (struct slice){bytes, count};
}

struct addresses {
    VEC(uint64_t) asked; /* in the order of the questions */
    VEC(uint64_t) sorted;
};

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool read_addresses(struct addresses *addresses)
{
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        uint64_t address = strtoull(line, NULL, 16);
        if (!vec_push(&addresses->asked, address) || !vec_push(&addresses->sorted, address))
            return false;
    }
    if (addresses->sorted.count > 0)
        qsort(addresses->sorted.items, addresses->sorted.count, sizeof(uint64_t), compare_addresses);
    return true;
}

static const char *text_of(const struct symbol_answers *answers, struct string_index text)
{
    return string_exists(text) ? symbol_text(answers, text).text : "??";
}

static void print_call(const struct symbol_answers *answers, const struct symbol_call *call)
{
    printf("%s\n%s:%u\n", text_of(answers, call->function), text_of(answers, call->file), call->line);
}

static void print_answers(const struct addresses *addresses, const struct symbol_answers *answers)
{
    for (size_t i = 0; i < addresses->asked.count; i++) {
        const struct symbol_answer *row = symbol_answers_find(answers, addresses->asked.items[i]);
        for (uint32_t k = 0; row && k < row->inline_count; k++)
            print_call(answers, &answers->inlines.items[row->first_inline + k]);
        if (row)
            print_call(answers, &row->outer);
        else
            puts("??\n??:0");
    }
}

static double milliseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int look(bool timed, const char *path, const char *id, const char *cache)
{
    struct addresses addresses = {0};
    struct symbol_answers answers = {0};
    struct symbol_search search = {.cache_folder = cache};
    struct symbol_outcome outcome = {0};
    struct error error = {0};
    char bytes[64];
    if (!read_addresses(&addresses))
        return complain("out of memory");
    struct symbol_request request = {
        .path = slice_of(path),
        .name = slice_of(strrchr(path, '/') ? strrchr(path, '/') + 1 : path),
        .build_id = parse_id(id, bytes, sizeof bytes),
        .addresses = addresses.sorted.items,
        .address_count = addresses.sorted.count,
    };
    double start = milliseconds(CLOCK_MONOTONIC), cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    if (module_symbols(&search, &request, &answers, &outcome, &error) < 0)
        return complain(error.message);
    if (answers.rows.count == 0)
        return complain(outcome.detail[0] != '\0' ? outcome.detail : "nothing was found");
    if (timed)
        printf("{\"ms\": %.3f, \"cpu\": %.3f}\n", milliseconds(CLOCK_MONOTONIC) - start,
               milliseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    else
        print_answers(&addresses, &answers);
    if (outcome.detail[0] != '\0')
        complain(outcome.detail);
    symbol_answers_free(&answers);
    vec_free(&addresses.asked);
    vec_free(&addresses.sorted);
    return fflush(stdout) == 0 ? 0 : complain("the answers cannot be written");
}

int main(int argc, char **argv)
{
    struct elf_file *file;
    struct error error = {0};
    bool timed = argc > 1 && strcmp(argv[1], "time") == 0;
    if (argc >= 4 && (timed || strcmp(argv[1], "look") == 0))
        return look(timed, argv[2], argv[3], argc > 4 ? argv[4] : NULL);
    if (argc < 3)
        return complain("usage: choose FILE COUNT | id FILE | look FILE ID [CACHE] | time FILE ID [CACHE]");
    if (elf_file_open(NULL, argv[2], &file, &error) < 0)
        return complain(error.message);
    int status = argc > 3 ? choose(file, strtoul(argv[3], NULL, 10)) : print_id(file);
    elf_file_close(file);
    return status;
}
