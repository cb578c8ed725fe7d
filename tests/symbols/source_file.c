/* Where source files are looked for. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/memory.h"
#include "symbols/source_file.h"

/* FOLDER/tree is searched; FOLDER/outside is not. Each file holds its own path in FOLDER. */
static char folder[] = "/tmp/sonde-source-XXXXXX";
static char tree[100];
static const char *const folders[] = {"/nowhere", tree};
static const struct source_search search = {.folders = folders, .folder_count = 2};

static int make_files(void **state)
{
    (void)state;
    char command[500];
    if (!mkdtemp(folder))
        return -1;
    snprintf(tree, sizeof tree, "%s/tree", folder);
    snprintf(command, sizeof command,
             "cd %s && mkdir -p tree/lib tree/build/lib && "
             "for f in outside tree/lib/mix.h tree/build/lib/mix.h tree/top.c; do printf %%s $f >$f; done",
             folder);
    return system(command);
}

static int remove_files(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* `expected` is what the file holds; NULL = it is not found. */
static void assert_found(const struct source_search *where, struct slice path, const char *expected)
{
    struct source_file file = {0};
    struct error error = {0};
    int result = source_file_read(where, path, &file, &error);
    if (!expected) {
        assert_int_equal(result, -ENOENT);
        assert_true(error.message[0] != '\0');
        return;
    }
    assert_int_equal(result, 0);
    assert_int_equal(file.size, strlen(expected));
    assert_memory_equal(file.bytes, expected, file.size);
    assert_true(file.modified > 1.6e12);
    source_file_free(&file);
}

static void the_longest_end_of_a_path_wins(void **state)
{
    (void)state;
    assert_found(&search, SLICE("/home/build/lib/mix.h"), "tree/build/lib/mix.h");
    assert_found(&search, SLICE("/home/lib/mix.h"), "tree/lib/mix.h");
    assert_found(&search, SLICE("lib/mix.h"), "tree/lib/mix.h");
    assert_found(&search, SLICE("/very/long/way/to/the/top.c"), "tree/top.c");
    assert_found(&search, SLICE("/mix.h"), NULL);
}

static void dots_are_taken_out_first(void **state)
{
    (void)state;
    assert_found(&search, SLICE("/x/y/../../build/./lib//mix.h"), "tree/build/lib/mix.h");
    assert_found(&search, SLICE("x/../top.c"), "tree/top.c");
}

static void dots_do_not_lead_out_of_a_folder(void **state)
{
    (void)state;
    assert_found(&search, SLICE("/../outside"), NULL);
    assert_found(&search, SLICE("../outside"), NULL);
    assert_found(&search, SLICE("/lib/../../outside"), NULL);
    assert_found(&search, SLICE("/a/b/../../../../outside"), NULL);
}

static void a_path_is_tried_as_it_is_at_last(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/outside", folder);
    assert_found(&search, slice_of(path), "outside");
    snprintf(path, sizeof path, "%s/tree/../outside", folder);
    assert_found(&search, slice_of(path), "outside");
}

static void relative_paths_begin_here_only_where_that_is_allowed(void **state)
{
    (void)state;
    struct source_search here = {.relative = true}, elsewhere = {0};
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_found(&here, SLICE("tree/top.c"), "tree/top.c");
    assert_found(&elsewhere, SLICE("tree/top.c"), NULL);
    assert_int_equal(chdir(before), 0);
}

static void what_is_no_path_is_not_found(void **state)
{
    (void)state;
    char path[PATH_MAX + 10];
    memset(path, 'a', sizeof path);
    path[0] = '/';
    assert_found(&search, SLICE(""), NULL);
    assert_found(&search, SLICE("/"), NULL);
    assert_found(&search, SLICE(".."), NULL);
    assert_found(&search, SLICE("/top.c\0"), NULL);
    assert_found(&search, (struct slice){path, sizeof path}, NULL);
    assert_found(&search, (struct slice){path, PATH_MAX - 1}, NULL);
    assert_found(&search, (struct slice){path, PATH_MAX - 2}, NULL);
    memset(path, '/', sizeof path);
    assert_found(&search, (struct slice){path, PATH_MAX - 2}, NULL);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    struct source_file file = {0};
    struct error error = {0};
    memory_fail_after(1);
    assert_int_equal(source_file_read(&search, SLICE("/top.c"), &file, &error), -ENOMEM);
    memory_fail_after(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_end_of_a_path_wins),
        cmocka_unit_test(dots_are_taken_out_first),
        cmocka_unit_test(dots_do_not_lead_out_of_a_folder),
        cmocka_unit_test(a_path_is_tried_as_it_is_at_last),
        cmocka_unit_test(relative_paths_begin_here_only_where_that_is_allowed),
        cmocka_unit_test(what_is_no_path_is_not_found),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("symbols/source_file", tests, make_files, remove_files);
}
