/* Where the files of a module are found, and which are not used. */
#include "symbols/variant.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/module_ids.h"
#include "symbols/elf_file.h"

/* ---- a folder for each test ---- */

static char folder[] = "/tmp/sonde-symbols-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* A path in the folder, whose own folders are made; until the next call but three. */
static const char *place(const char *name)
{
    static char paths[4][PATH_MAX];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    return path;
}

/* With one byte changed, unless `change_at` is SIZE_MAX. */
static void copy_changed(const char *from, const char *to, size_t change_at)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    int c;
    assert_non_null(in);
    assert_non_null(out);
    for (size_t at = 0; (c = fgetc(in)) != EOF; at++)
        fputc(at == change_at ? c ^ 1 : c, out);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void copy(const char *from, const char *to)
{
    copy_changed(from, to, SIZE_MAX);
}

/* ".build-id/xx/yyyy.debug" of a file. */
static const char *name_by_build_id(const char *path)
{
    static char name[200];
    char digits[2 * MODULE_ID_BYTES + 1];
    struct elf_file *file;
    struct error error = {0};
    assert_int_equal(elf_file_open(NULL, path, &file, &error), 0);
    module_code_id(elf_file_build_id(file), digits);
    snprintf(name, sizeof name, "debug/.build-id/%.2s/%s.debug", digits, digits + 2);
    elf_file_close(file);
    return name;
}

static const struct symbol_search nowhere_else = {.debug_folder = "/nowhere"};

/* ---- by build id ---- */

static void the_debug_file_is_found_by_build_id(void **state)
{
    (void)state;
    struct symbol_search search = {.debug_folder = VARIANTS "/byid/debug"};
    variant_assert_as_plain(&search, variant_path("byid", "shapes"), SLICE(""), "plain", SYMBOLS_FULL);
}

static void the_debug_file_is_found_in_a_folder_of_the_user(void **state)
{
    (void)state;
    const char *const folders[] = {VARIANTS "/byid/debug"};
    struct symbol_search search = {.folders = folders, .folder_count = 1, .debug_folder = "/nowhere"};
    variant_assert_as_plain(&search, variant_path("byid", "shapes"), SLICE(""), "plain", SYMBOLS_FULL);
}

static void the_debug_file_is_enough(void **state)
{
    (void)state;
    char bytes[64];
    struct symbol_search search = {.debug_folder = VARIANTS "/byid/debug"};
    variant_assert_as_plain(&search, "/no/such/shapes", variant_build_id(bytes), "plain", SYMBOLS_FULL);
}

static void the_module_is_found_in_a_folder_of_the_user(void **state)
{
    (void)state;
    char bytes[64];
    const char *const folders[] = {folder};
    struct symbol_search search = {.folders = folders, .folder_count = 1, .debug_folder = "/nowhere"};
    copy(variant_path("plain", "shapes"), place("opt/bin/shapes"));
    variant_assert_as_plain(&search, "/opt/bin/shapes", variant_build_id(bytes), "plain", SYMBOLS_FULL);
    assert_int_equal(rename(place("opt/bin/shapes"), place("shapes")), 0);
    variant_assert_as_plain(&search, "/opt/bin/shapes", variant_build_id(bytes), "plain", SYMBOLS_FULL);
}

static void a_folder_of_the_user_with_another_build_does_no_harm(void **state)
{
    (void)state;
    char bytes[64];
    const char *const folders[] = {VARIANTS "/other"};
    struct symbol_search search = {.folders = folders, .folder_count = 1, .debug_folder = "/nowhere"};
    variant_assert_as_plain(&search, variant_path("plain", "shapes"), variant_build_id(bytes), "plain", SYMBOLS_FULL);
}

/* ---- by its link ---- */

static void the_debug_file_is_found_beside_the_module(void **state)
{
    (void)state;
    variant_assert_as_plain(&nowhere_else, variant_path("link", "shapes"), SLICE(""), "link", SYMBOLS_FULL);
}

static void the_debug_file_is_found_in_a_folder_beside_the_module(void **state)
{
    (void)state;
    copy(variant_path("link", "shapes"), place("shapes"));
    copy(variant_path("link", "shapes.dbg"), place(".debug/shapes.dbg"));
    variant_assert_as_plain(&nowhere_else, place("shapes"), SLICE(""), "link", SYMBOLS_FULL);
}

static void the_debug_file_is_found_where_all_are_by_their_path(void **state)
{
    (void)state;
    char path[100];
    snprintf(path, sizeof path, "debug%s/bin/shapes.dbg", folder);
    copy(variant_path("link", "shapes"), place("bin/shapes"));
    copy(variant_path("link", "shapes.dbg"), place(path));
    struct symbol_search search = {.debug_folder = place("debug")};
    variant_assert_as_plain(&search, place("bin/shapes"), SLICE(""), "link", SYMBOLS_FULL);
}

static void the_debug_file_is_found_beside_what_a_link_leads_to(void **state)
{
    (void)state;
    assert_int_equal(symlink(variant_path("link", "shapes"), place("shapes")), 0);
    variant_assert_as_plain(&nowhere_else, place("shapes"), SLICE(""), "link", SYMBOLS_FULL);
}

static void a_debug_file_with_another_checksum_is_refused_and_named(void **state)
{
    (void)state;
    struct asked asked;
    copy(variant_path("link", "shapes"), place("shapes"));
    copy_changed(variant_path("link", "shapes.dbg"), place("shapes.dbg"), 9); /* a byte of the header that says nothing */
    variant_ask(&nowhere_else, place("shapes"), SLICE(""), "link", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_EXPORTS_ONLY);
    assert_non_null(strstr(asked.outcome.detail, "/shapes.dbg"));
    symbol_answers_free(&asked.answers);
}

/* ---- in the root of the recorded process ---- */

static void files_are_found_in_the_root_of_the_recorded_process(void **state)
{
    (void)state;
    struct symbol_search search = {.root = VARIANTS "/byid", .debug_folder = "/debug"};
    variant_assert_as_plain(&search, "/shapes", SLICE(""), "plain", SYMBOLS_FULL);
}

static void links_in_the_root_lead_to_what_is_in_the_root(void **state)
{
    (void)state;
    copy(variant_path("plain", "shapes"), place("versions/1/shapes"));
    assert_int_equal(symlink("/versions/1", place("current")), 0);
    struct symbol_search search = {.root = folder, .debug_folder = "/nowhere"};
    variant_assert_as_plain(&search, "/current/shapes", SLICE(""), "plain", SYMBOLS_FULL);
}

/* ---- what dwz shared ---- */

static void what_is_shared_is_found_by_build_id(void **state)
{
    (void)state;
    variant_needed("dwz", "shapes");
    copy(variant_path("dwz", "shapes"), place("shapes"));
    copy(variant_path("dwz", "common.debug"), place(name_by_build_id(variant_path("dwz", "common.debug"))));
    struct symbol_search search = {.debug_folder = place("debug")};
    variant_assert_as_plain(&search, place("shapes"), SLICE(""), "plain", SYMBOLS_FULL);
}

static void something_else_under_the_name_of_what_is_shared_is_refused_and_named(void **state)
{
    (void)state;
    struct asked asked;
    variant_needed("dwz", "shapes");
    copy(variant_path("dwz", "shapes"), place("shapes"));
    copy(variant_path("plain", "shapes"), place("common.debug"));
    variant_ask(&nowhere_else, place("shapes"), SLICE(""), "plain", &asked);
    assert_non_null(strstr(asked.outcome.detail, "/common.debug"));
    assert_non_null(variant_row(&asked, VARIANT_AREA, 0));
    symbol_answers_free(&asked.answers);
}

/* ---- what is not used ---- */

static void another_build_is_refused_and_named(void **state)
{
    (void)state;
    struct asked asked;
    char bytes[64];
    variant_ask(&nowhere_else, variant_path("other", "shapes"), variant_build_id(bytes), "plain", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_OTHER_BUILD);
    assert_int_equal(asked.answers.rows.count, 0);
    assert_non_null(strstr(asked.outcome.detail, "other/shapes"));
    symbol_answers_free(&asked.answers);
}

static void a_debug_file_of_another_build_is_refused_and_named(void **state)
{
    (void)state;
    struct asked asked;
    const char *name = name_by_build_id(variant_path("plain", "shapes"));
    copy(variant_path("other", "shapes"), place(name));
    struct symbol_search search = {.debug_folder = place("debug")};
    variant_ask(&search, variant_path("exports", "shapes"), SLICE(""), "plain", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_EXPORTS_ONLY);
    assert_non_null(strstr(asked.outcome.detail, ".debug: as its debug file"));
    symbol_answers_free(&asked.answers);
}

static void half_a_build_id_is_enough_to_know_a_build(void **state)
{
    (void)state;
    struct asked asked;
    char bytes[64];
    struct slice half = slice_until(variant_build_id(bytes), 16);
    variant_assert_as_plain(&nowhere_else, variant_path("plain", "shapes"), half, "plain", SYMBOLS_FULL);
    bytes[15] ^= 1;
    variant_ask(&nowhere_else, variant_path("plain", "shapes"), half, "plain", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_OTHER_BUILD);
    symbol_answers_free(&asked.answers);
}

static void half_a_build_id_is_enough_to_find_a_debug_file(void **state)
{
    (void)state;
    char bytes[64];
    struct slice half = slice_until(variant_build_id(bytes), 16);
    struct symbol_search search = {.debug_folder = VARIANTS "/byid/debug"};
    variant_assert_as_plain(&search, "/no/such/shapes", half, "plain", SYMBOLS_FULL);
    variant_assert_as_plain(&search, variant_path("other", "shapes"), half, "plain", SYMBOLS_FULL);
    search.root = VARIANTS "/byid";
    search.debug_folder = "/debug";
    variant_assert_as_plain(&search, "/no/such/shapes", half, "plain", SYMBOLS_FULL);
}

static void a_file_without_a_build_id_is_known_by_its_code(void **state)
{
    (void)state;
    struct elf_file *file;
    struct error error = {0};
    struct asked asked;
    char bytes[BREAKPAD_ID_BYTES];
    assert_int_equal(elf_file_open(NULL, variant_path("link", "shapes"), &file, &error), 0);
    struct slice id = module_text_id(elf_file_raw(file, elf_file_section_named(file, ".text")), bytes);
    variant_assert_as_plain(&nowhere_else, variant_path("link", "shapes"), id, "link", SYMBOLS_FULL);
    bytes[3] ^= 1;
    variant_ask(&nowhere_else, variant_path("link", "shapes"), id, "link", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_OTHER_BUILD);
    symbol_answers_free(&asked.answers);
    elf_file_close(file);
}

static void what_is_not_there_is_said_to_be_missing(void **state)
{
    (void)state;
    static const char *const paths[] = {"/no/such/file", "", "[heap]", "relative/file"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct asked asked;
        variant_ask(&nowhere_else, paths[i], SLICE(""), "plain", &asked);
        assert_int_equal(asked.outcome.status, SYMBOLS_NO_FILE);
        assert_int_equal(asked.answers.rows.count, 0);
        symbol_answers_free(&asked.answers);
    }
}

static void a_file_whose_end_is_missing_is_said_to_be_damaged(void **state)
{
    (void)state;
    struct asked asked;
    copy(variant_path("plain", "shapes"), place("shapes"));
    assert_int_equal(truncate(place("shapes"), 4000), 0);
    variant_ask(&nowhere_else, place("shapes"), SLICE(""), "plain", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_DAMAGED);
    assert_non_null(strstr(asked.outcome.detail, "/shapes: its end is missing"));
    symbol_answers_free(&asked.answers);
}

static void stop_writing(atomic_bool *stop, pthread_t writer)
{
    atomic_store(stop, true);
    pthread_join(writer, NULL);
}

static void *write_again_and_again(void *stop)
{
    while (!atomic_load((atomic_bool *)stop))
        copy(variant_path("plain", "shapes"), place("shapes"));
    return NULL;
}

static void a_file_that_is_written_again_while_it_is_read_costs_names_alone(void **state)
{
    (void)state;
    atomic_bool stop = false;
    pthread_t writer;
    char path[PATH_MAX];
    struct asked asked;
    snprintf(path, sizeof path, "%s", place("shapes"));
    copy(variant_path("plain", "shapes"), path);
    assert_int_equal(pthread_create(&writer, NULL, write_again_and_again, &stop), 0);
    for (size_t i = 0; i < 300; i++) {
        struct error error = {0};
        memset(&asked, 0, sizeof asked);
        variant_functions("plain", asked.start);
        int result = variant_ask_path(&nowhere_else, path, SLICE(""), &asked, &error);
        symbol_answers_free(&asked.answers);
        if (result < 0)
            stop_writing(&stop, writer);
        assert_int_equal(result, 0);
    }
    stop_writing(&stop, writer);
    variant_assert_as_plain(&nowhere_else, path, SLICE(""), "plain", SYMBOLS_FULL);
}

static void what_is_no_elf_file_is_said_to_be_damaged(void **state)
{
    (void)state;
    struct asked asked;
    variant_ask(&nowhere_else, variant_path("plain", "shapes.addresses"), SLICE(""), "plain", &asked);
    assert_int_equal(asked.outcome.status, SYMBOLS_DAMAGED);
    assert_non_null(strstr(asked.outcome.detail, "shapes.addresses"));
    symbol_answers_free(&asked.answers);
}

#define test_with_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_debug_file_is_found_by_build_id),
        cmocka_unit_test(the_debug_file_is_found_in_a_folder_of_the_user),
        cmocka_unit_test(the_debug_file_is_enough),
        test_with_folder(the_module_is_found_in_a_folder_of_the_user),
        cmocka_unit_test(a_folder_of_the_user_with_another_build_does_no_harm),
        cmocka_unit_test(the_debug_file_is_found_beside_the_module),
        test_with_folder(the_debug_file_is_found_in_a_folder_beside_the_module),
        test_with_folder(the_debug_file_is_found_where_all_are_by_their_path),
        test_with_folder(the_debug_file_is_found_beside_what_a_link_leads_to),
        test_with_folder(a_debug_file_with_another_checksum_is_refused_and_named),
        cmocka_unit_test(files_are_found_in_the_root_of_the_recorded_process),
        test_with_folder(links_in_the_root_lead_to_what_is_in_the_root),
        test_with_folder(what_is_shared_is_found_by_build_id),
        test_with_folder(something_else_under_the_name_of_what_is_shared_is_refused_and_named),
        cmocka_unit_test(another_build_is_refused_and_named),
        test_with_folder(a_debug_file_of_another_build_is_refused_and_named),
        cmocka_unit_test(half_a_build_id_is_enough_to_know_a_build),
        cmocka_unit_test(half_a_build_id_is_enough_to_find_a_debug_file),
        cmocka_unit_test(a_file_without_a_build_id_is_known_by_its_code),
        cmocka_unit_test(what_is_not_there_is_said_to_be_missing),
        cmocka_unit_test(what_is_no_elf_file_is_said_to_be_damaged),
        test_with_folder(a_file_whose_end_is_missing_is_said_to_be_damaged),
        test_with_folder(a_file_that_is_written_again_while_it_is_read_costs_names_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
