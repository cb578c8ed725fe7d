/* Wishes of the query API: noted in one thread, fulfilled in others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/source_store.h"

#include <errno.h>
#include <pthread.h>

static char folder[] = "/tmp/sonde-store-XXXXXX";
static const char *const folders[] = {folder};
static const struct source_search files = {.folders = folders, .folder_count = 1};
static const struct symbol_search search = {0};
static const struct symbol_api symbols = {.search = &search, .sources = &files};
static struct source_store *store;

static int open_store(void **state)
{
    (void)state;
    store = source_store_open(&symbols);
    return store && mkdtemp(folder) ? 0 : -1;
}

static int close_store(void **state)
{
    char command[100];
    (void)state;
    source_store_close(store);
    snprintf(command, sizeof command, "rm -r %s", folder);
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return system(command);
}

static void write_file(const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int find(const char *name, const struct found_source **found)
{
    const struct api_sources *sources = source_store_sources(store);
    struct source_wish wish = {.path = slice_of(name)};
    return sources->source(sources->context, &wish, found);
}

static void a_file_is_there_once_it_was_looked_for(void **state)
{
    const struct found_source *found;
    (void)state;
    write_file("a.c", "text");
    assert_int_equal(find("a.c", &found), -EAGAIN);
    assert_int_equal(find("a.c", &found), -EAGAIN);
    source_store_look(store);
    assert_int_equal(find("a.c", &found), 0);
    assert_string_equal(found->origin, "disk");
    assert_true(slice_is(found->text, "text"));
}

static void a_file_that_no_code_comes_from_is_shown_from_named_folders_only(void **state)
{
    const struct found_source *found;
    (void)state;
    assert_int_equal(find("/etc/passwd", &found), -EAGAIN);
    source_store_look(store);
    assert_int_equal(find("/etc/passwd", &found), 0);
    assert_null(found->origin);
    assert_int_equal(found->tried_count, 1);
    assert_true(slice_equal(found->tried[0].where, slice_of(folder)));
}

static void code_of_no_module_fails_with_a_reason(void **state)
{
    const struct api_sources *sources = source_store_sources(store);
    const struct found_code *found;
    struct code_wish wish = {.lib = lib_at(7), .start = 16, .size = 16};
    (void)state;
    assert_int_equal(sources->code(sources->context, &wish, &found), -EAGAIN);
    source_store_look(store);
    assert_int_equal(sources->code(sources->context, &wish, &found), 0);
    assert_null(found->arch);
    assert_true(slice_is(found->failure, "the profile has no such module"));
}

enum { FILES = 300, WORKERS = 2 };

static void *look(void *data)
{
    (void)data;
    for (int i = 0; i < 100; i++)
        source_store_look(store);
    return NULL;
}

/* More than are kept. */
static void any_number_of_threads_look_while_others_are_wished(void **state)
{
    pthread_t workers[WORKERS];
    const struct found_source *found;
    (void)state;
    write_file("a.c", "text");
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&workers[i], NULL, look, NULL), 0);
    for (int i = 0; i < FILES; i++) {
        char name[30];
        snprintf(name, sizeof name, "%d/a.c", i);
        int result = find(name, &found);
        assert_true(result == 0 || result == -EAGAIN);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    source_store_look(store);
    assert_int_equal(find("299/a.c", &found), 0);
    assert_true(slice_is(found->text, "text"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_there_once_it_was_looked_for),
        TEST(a_file_that_no_code_comes_from_is_shown_from_named_folders_only),
        TEST(code_of_no_module_fails_with_a_reason),
        TEST(any_number_of_threads_look_while_others_are_wished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
