/* The folder of a session, the library beside the command, and a session that is still being written. */
#include <errno.h>
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

#include "record/preload.h"
#include "record/recording_folder.h"
#include "support/session_draw.h"

static void a_temporary_folder_is_private_and_goes_away_with_its_files(void **state)
{
    (void)state;
    struct recording_folder folder;
    struct error error = {0};
    struct stat status;
    assert_int_equal(recording_folder_make(NULL, 1 << 20, &folder, &error), 0);
    assert_int_equal(stat(folder.path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_false(recording_folder_has_files(&folder));
    session_draw(folder.path, "process app\n", NULL);
    assert_true(recording_folder_has_files(&folder));
    recording_folder_remove(&folder);
    assert_int_equal(stat(folder.path, &status), -1);
}

static void temporary_folders_are_made_where_tmpdir_says(void **state)
{
    (void)state;
    char parent[64];
    struct recording_folder folder;
    struct error error = {0};
    session_folder_make(parent);
    setenv("TMPDIR", parent, 1);
    assert_int_equal(recording_folder_make(NULL, 1 << 20, &folder, &error), 0);
    assert_memory_equal(folder.path, parent, strlen(parent));
    recording_folder_remove(&folder);
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_int_equal(recording_folder_make(NULL, 1 << 20, &folder, &error), -ENOENT);
    assert_string_equal(error.message, "/no/such/folder: No such file or directory");
    unsetenv("TMPDIR");
    session_folder_remove(parent);
}

static void a_session_that_is_too_large_for_memory_is_made_in_tmp(void **state)
{
    (void)state;
    struct recording_folder folder;
    struct error error = {0};
    unsetenv("TMPDIR");
    assert_int_equal(recording_folder_make(NULL, INT64_MAX, &folder, &error), 0);
    assert_memory_equal(folder.path, "/tmp/", 5);
    recording_folder_remove(&folder);
}

static void a_named_folder_is_made_kept_and_not_used_twice(void **state)
{
    (void)state;
    char parent[64], named[80];
    struct recording_folder folder;
    struct error error = {0};
    snprintf(named, sizeof named, "%s/s", session_folder_make(parent));
    assert_int_equal(recording_folder_make(named, 1 << 20, &folder, &error), 0);
    session_draw(folder.path, "process app\n", NULL);
    recording_folder_remove(&folder);
    assert_true(recording_folder_has_files(&folder));
    assert_int_equal(recording_folder_make(named, 1 << 20, &folder, &error), -EEXIST);
    session_folder_remove(named);
    session_folder_remove(parent);
}

static void a_file_is_no_folder(void **state)
{
    (void)state;
    struct recording_folder folder;
    struct error error = {0};
    assert_int_equal(recording_folder_make("/proc/self/exe", 1 << 20, &folder, &error), -ENOTDIR);
}

static void the_library_goes_in_front_of_what_is_preloaded_already(void **state)
{
    (void)state;
    char *const words[] = {NULL};
    struct environment environment;
    struct error error = {0};
    assert_true(environment_copy(&environment, words));
    assert_int_equal(preload_add(&environment, "/lib/a.so", &error), 0);
    assert_string_equal(environment_get(&environment, "LD_PRELOAD"), "/lib/a.so");
    assert_string_equal(environment_get(&environment, "ASAN_OPTIONS"), "verify_asan_link_order=0");
    assert_int_equal(preload_add(&environment, "/lib/b.so", &error), 0);
    assert_string_equal(environment_get(&environment, "LD_PRELOAD"), "/lib/b.so:/lib/a.so");
    assert_int_equal(preload_add(&environment, "/lib/with blank.so", &error), -EINVAL);
    environment_free(&environment);
}

static void a_folder_that_everybody_may_write_into_is_refused(void **state)
{
    (void)state;
    char path[64];
    struct recording_folder folder;
    struct error error = {0};
    session_folder_make(path);
    assert_int_equal(chmod(path, 0777), 0);
    assert_int_equal(recording_folder_make(path, 1 << 20, &folder, &error), -EPERM);
    assert_non_null(strstr(error.message, "everybody may write"));
    session_folder_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_temporary_folder_is_private_and_goes_away_with_its_files),
        cmocka_unit_test(temporary_folders_are_made_where_tmpdir_says),
        cmocka_unit_test(a_session_that_is_too_large_for_memory_is_made_in_tmp),
        cmocka_unit_test(a_named_folder_is_made_kept_and_not_used_twice),
        cmocka_unit_test(a_file_is_no_folder),
        cmocka_unit_test(a_folder_that_everybody_may_write_into_is_refused),
        cmocka_unit_test(the_library_goes_in_front_of_what_is_preloaded_already),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
