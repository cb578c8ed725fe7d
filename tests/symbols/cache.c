/* Answers that were found before: when they are used, when not, and what becomes of them. */
#include "symbols/variant.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/failing_alloc.h"

#include "symbols/cache.h"
#include "symbols/cache_format.h"

static char folder[] = "/tmp/sonde-cache-XXXXXX";
static char nested[PATH_MAX]; /* the folder of the cache: made when it is needed */

/* Of the program that is asked about; known before memory runs out. */
static char plain[PATH_MAX], exports[PATH_MAX], byid[PATH_MAX], byid_debug[PATH_MAX], id[64];
static struct slice build_id;

static int find_variants(void **state)
{
    (void)state;
    strcpy(plain, variant_path("plain", "shapes"));
    strcpy(exports, variant_path("exports", "shapes"));
    strcpy(byid, variant_path("byid", "shapes"));
    strcpy(byid_debug, variant_path("byid", "debug"));
    build_id = variant_build_id(id);
    return 0;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(nested, sizeof nested, "%s/sonde/symbols", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* ---- asking ---- */

/* All bytes of all functions, and two addresses of which nothing is known; `first` and `step` choose some of them. */
enum { MOST = VARIANT_FUNCTIONS * VARIANT_OFFSETS + 2 };

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t choose(uint64_t *addresses, size_t first, size_t step)
{
    uint64_t all[MOST], start[VARIANT_FUNCTIONS];
    size_t count = 0, chosen = 0;
    variant_functions("plain", start);
    all[count++] = 1;
    all[count++] = UINT64_C(1) << 40;
    for (size_t function = 0; function < VARIANT_FUNCTIONS; function++)
        for (size_t offset = 0; offset < VARIANT_OFFSETS; offset++)
            all[count++] = start[function] + offset;
    qsort(all, count, sizeof *all, compare_addresses);
    for (size_t i = first; i < count; i += step)
        addresses[chosen++] = all[i];
    return chosen;
}

struct question {
    const char *path;
    const char *debug_folder;
    const char *cache;
    size_t first, step;
};

static int ask_with(const struct question *question, struct asked *asked, struct error *error)
{
    uint64_t addresses[MOST];
    struct symbol_search search = {
        .debug_folder = question->debug_folder ? question->debug_folder : "/nowhere",
        .cache_folder = question->cache,
    };
    struct symbol_request request = {
        .path = slice_of(question->path),
        .name = SLICE("shapes"),
        .build_id = build_id,
        .addresses = addresses,
        .address_count = choose(addresses, question->first, question->step),
    };
    *asked = (struct asked){0};
    int result = module_symbols(&search, &request, &asked->answers, &asked->outcome, error);
    if (result < 0)
        symbol_answers_free(&asked->answers);
    return result;
}

static void ask(const struct question *question, struct asked *asked)
{
    struct error error = {0};
    assert_int_equal(ask_with(question, asked, &error), 0);
}

static bool same_text(const struct asked *a, struct string_index x, const struct asked *b, struct string_index y)
{
    return string_exists(x) == string_exists(y) && slice_equal(symbol_text(&a->answers, x), symbol_text(&b->answers, y));
}

static void assert_same_call(const struct asked *a, const struct symbol_call *x, const struct asked *b,
                             const struct symbol_call *y)
{
    assert_true(same_text(a, x->function, b, y->function));
    assert_true(same_text(a, x->mangled, b, y->mangled));
    assert_true(same_text(a, x->file, b, y->file));
    assert_int_equal(x->line, y->line);
}

static void assert_same(const struct asked *a, const struct asked *b)
{
    assert_int_equal(a->outcome.status, b->outcome.status);
    assert_int_equal(a->answers.rows.count, b->answers.rows.count);
    for (size_t i = 0; i < a->answers.rows.count; i++) {
        const struct symbol_answer *x = &a->answers.rows.items[i], *y = &b->answers.rows.items[i];
        assert_int_equal(x->address, y->address);
        assert_int_equal(x->symbol_start, y->symbol_start);
        assert_int_equal(x->symbol_size, y->symbol_size);
        assert_true(same_text(a, x->symbol, b, y->symbol));
        assert_true(same_text(a, x->mangled, b, y->mangled));
        assert_same_call(a, &x->outer, b, &y->outer);
        assert_int_equal(x->inline_count, y->inline_count);
        for (uint32_t j = 0; j < x->inline_count; j++)
            assert_same_call(a, &a->answers.inlines.items[x->first_inline + j], b,
                             &b->answers.inlines.items[y->first_inline + j]);
    }
}

/* Asks with the cache, and without; both answers are the same. */
static void assert_asked(const struct question *question, bool cached, enum symbol_status status)
{
    struct asked with, without;
    struct question uncached = *question;
    uncached.cache = NULL;
    ask(question, &with);
    ask(&uncached, &without);
    assert_int_equal(with.outcome.cached, cached);
    assert_int_equal(with.outcome.status, status);
    assert_same(&with, &without);
    symbol_answers_free(&with.answers);
    symbol_answers_free(&without.answers);
}

/* ---- the tests ---- */

static void what_was_found_once_is_found_again_in_the_cache(void **state)
{
    (void)state;
    struct question question = {plain, NULL, nested, 0, 1};
    assert_asked(&question, false, SYMBOLS_FULL);
    assert_asked(&question, true, SYMBOLS_FULL);
    question.path = exports; /* of the same build */
    struct asked asked;
    ask(&question, &asked);
    assert_true(asked.outcome.cached);
    assert_int_equal(asked.outcome.status, SYMBOLS_FULL);
    symbol_answers_free(&asked.answers);
}

static void a_file_that_was_read_completely_is_not_needed_any_more(void **state)
{
    (void)state;
    struct question question = {plain, NULL, nested, 0, 1};
    struct asked first, again;
    ask(&question, &first);
    question.path = "/nowhere/shapes";
    ask(&question, &again);
    assert_true(again.outcome.cached);
    assert_same(&first, &again);
    symbol_answers_free(&first.answers);
    symbol_answers_free(&again.answers);
}

static void addresses_that_were_not_asked_for_before_are_added(void **state)
{
    (void)state;
    struct question question = {plain, NULL, nested, 0, 3};
    assert_asked(&question, false, SYMBOLS_FULL);
    question.first = 1;
    question.step = 2;
    assert_asked(&question, false, SYMBOLS_FULL);
    assert_asked(&question, true, SYMBOLS_FULL);
    question.first = 0;
    question.step = 1;
    assert_asked(&question, false, SYMBOLS_FULL);
    assert_asked(&question, true, SYMBOLS_FULL);
}

static void a_debug_file_that_appears_is_read(void **state)
{
    (void)state;
    struct question question = {byid, NULL, nested, 0, 1};
    assert_asked(&question, false, SYMBOLS_EXPORTS_ONLY);
    assert_asked(&question, true, SYMBOLS_EXPORTS_ONLY);
    question.debug_folder = byid_debug;
    assert_asked(&question, false, SYMBOLS_FULL);
    assert_asked(&question, true, SYMBOLS_FULL);
}

static void what_is_found_while_the_debug_file_is_away_is_not_kept(void **state)
{
    (void)state;
    struct question question = {byid, byid_debug, nested, 0, 2};
    struct asked without;
    assert_asked(&question, false, SYMBOLS_FULL);
    struct question all = {question.path, NULL, nested, 0, 1};
    ask(&all, &without);
    assert_false(without.outcome.cached);
    symbol_answers_free(&without.answers);
    all.debug_folder = question.debug_folder;
    assert_asked(&all, false, SYMBOLS_FULL);
    assert_asked(&all, true, SYMBOLS_FULL);
}

static void a_module_without_a_build_id_is_not_kept(void **state)
{
    (void)state;
    struct asked asked = {0};
    struct error error = {0};
    struct symbol_search search = {.debug_folder = "/nowhere", .cache_folder = nested};
    variant_functions("link", asked.start);
    assert_int_equal(variant_ask_path(&search, variant_path("link", "shapes"), SLICE(""), &asked, &error), 0);
    assert_int_equal(asked.outcome.status, SYMBOLS_FULL);
    assert_int_equal(access(nested, F_OK), -1);
    symbol_answers_free(&asked.answers);
}

static void a_folder_that_cannot_be_made_costs_nothing(void **state)
{
    (void)state;
    assert_asked(&(struct question){plain, NULL, "/proc/nowhere", 0, 1}, false, SYMBOLS_FULL);
}

/* ---- files ---- */

static void path_of_file(char path[PATH_MAX])
{
    struct cache_key key;
    assert_true(cache_key_of(nested, build_id, &key));
    strcpy(path, key.path);
}

static void a_damaged_file_is_not_used_and_replaced(void **state)
{
    (void)state;
    struct question question = {plain, NULL, nested, 0, 1};
    struct stat status;
    struct symbol_cache cache;
    char path[PATH_MAX];
    assert_asked(&question, false, SYMBOLS_FULL);
    path_of_file(path);
    assert_int_equal(stat(path, &status), 0);
    int fd = open(path, O_RDWR);
    for (off_t at = 0; at < status.st_size; at += 1 + status.st_size / 500) {
        char byte, other;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        other = (char)(byte ^ 0x10);
        assert_int_equal(pwrite(fd, &other, 1, at), 1);
        assert_false(symbol_cache_open(nested, build_id, &cache));
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    assert_true(symbol_cache_open(nested, build_id, &cache));
    symbol_cache_close(&cache);
    assert_int_equal(ftruncate(fd, status.st_size - 1), 0);
    close(fd);
    assert_asked(&question, false, SYMBOLS_FULL);
    assert_asked(&question, true, SYMBOLS_FULL);
}

/* Each asks for other addresses, over and over: the file is whole at any time. */
static void writers_do_not_disturb_each_other(void **state)
{
    (void)state;
    enum { WRITERS = 4 };
    pid_t writers[WRITERS];
    struct symbol_cache cache;
    for (size_t i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0) {
            alarm(100);
            for (size_t step = 1; step < 8; step++) {
                struct question question = {plain, NULL, nested, i, step};
                struct error error = {0};
                struct asked asked;
                if (ask_with(&question, &asked, &error) != 0 || asked.outcome.status != SYMBOLS_FULL)
                    _exit(1);
                symbol_answers_free(&asked.answers);
            }
            _exit(0);
        }
    }
    for (size_t i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    assert_true(symbol_cache_open(nested, build_id, &cache));
    symbol_cache_close(&cache);
    /* Who comes last may not have seen what others have added meanwhile: that is found anew. */
    struct question question = {plain, NULL, nested, 0, 8};
    struct asked asked;
    ask(&question, &asked);
    symbol_answers_free(&asked.answers);
    assert_asked(&question, true, SYMBOLS_FULL);
}

static void make_file(const char *name, off_t size, time_t used)
{
    char path[PATH_MAX + 20];
    snprintf(path, sizeof path, "%s/%s", nested, name);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, size), 0);
    struct timespec times[2] = {{used, 0}, {used, 0}};
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

static bool is_there(const char *name)
{
    char path[PATH_MAX + 20];
    snprintf(path, sizeof path, "%s/%s", nested, name);
    return access(path, F_OK) == 0;
}

static void the_files_that_were_not_used_for_longest_go_when_there_are_too_many(void **state)
{
    (void)state;
    struct question question = {plain, NULL, nested, 0, 2};
    assert_asked(&question, false, SYMBOLS_FULL);
    make_file("middle", SYMBOL_CACHE_FOLDER_MOST / 2, 2000);
    make_file("oldest", SYMBOL_CACHE_FOLDER_MOST / 4, 1000);
    make_file("newest", SYMBOL_CACHE_FOLDER_MOST / 4, 3000);
    question.step = 1;
    assert_asked(&question, false, SYMBOLS_FULL);
    assert_false(is_there("oldest"));
    assert_true(is_there("middle"));
    assert_true(is_there("newest"));
    assert_asked(&question, true, SYMBOLS_FULL);
}

/* ---- memory ---- */

static int ask_twice(void *data, struct error *error)
{
    struct asked asked;
    char path[PATH_MAX];
    path_of_file(path);
    unlink(path);
    for (size_t i = 2; i-- > 0;) {
        struct question question = *(const struct question *)data;
        question.step += i;
        int result = ask_with(&question, &asked, error);
        if (result < 0)
            return result;
        symbol_answers_free(&asked.answers);
    }
    return 0;
}

static void the_cache_survives_a_full_heap(void **state)
{
    (void)state;
    struct question question = {exports, NULL, nested, 0, 1};
    assert_true(assert_survives_failing_allocations(ask_twice, &question) > 10);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(what_was_found_once_is_found_again_in_the_cache),
        TEST(a_file_that_was_read_completely_is_not_needed_any_more),
        TEST(addresses_that_were_not_asked_for_before_are_added),
        TEST(a_debug_file_that_appears_is_read),
        TEST(what_is_found_while_the_debug_file_is_away_is_not_kept),
        TEST(a_module_without_a_build_id_is_not_kept),
        TEST(a_folder_that_cannot_be_made_costs_nothing),
        TEST(a_damaged_file_is_not_used_and_replaced),
        TEST(writers_do_not_disturb_each_other),
        TEST(the_files_that_were_not_used_for_longest_go_when_there_are_too_many),
        TEST(the_cache_survives_a_full_heap),
    };
    return cmocka_run_group_tests(tests, find_variants, NULL);
}
