/* A real recording gets its symbols module by module: before, during and after, in every order.
 *
 * usage: test_symbols_recording SONDE PROGRAM; records the program once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "apply_support.h"

#include "tree/tree_text.h"

#include "import/session.h"
#include "profile/module_ids.h"
#include "symbols/module.h"
#include "tree/carry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many modules, those with the most samples, come in every order; the others (the loader, the vdso …) come last. */
enum { ORDERED = 4, LIBS_MAX = 16 };

static char session[] = "/tmp/sonde-test-XXXXXX";

/* ---- the recording ---- */

static void record(const char *sonde, const char *program)
{
    char command[2000];
    assert_non_null(mkdtemp(session));
    int length = snprintf(command, sizeof command,
                          "timeout 60 '%s' record -s --no-symbols --session '%s/session' -o '%s/profile.json' '%s' 2>'%s/said'",
                          sonde, session, session, program, session);
    assert_in_range(length, 1, sizeof command - 1);
    if (system(command) != 0)
        fail_msg("%s failed: see %s/said", command, session);
}

static void remove_recording(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", session);
    if (system(command) != 0)
        puts("# the recording is still there");
}

static void import_recording(struct profile *profile)
{
    char path[200];
    struct error error = {0};
    snprintf(path, sizeof path, "%s/session", session);
    profile_init(profile);
    if (session_import(path, NULL, profile, &error) != 0)
        fail_msg("%s", error.message);
}

/* ---- symbols ---- */

static void apply_module(struct symbolication *symbolication, const struct profile *profile, uint32_t number,
                         struct func_changes *changes)
{
    static const struct symbol_search search;
    const struct lib *lib = &profile->libs.rows.items[number];
    struct module_addresses addresses = symbolication_addresses(symbolication, lib_at(number));
    char build_id[MODULE_ID_BYTES];
    struct symbol_request request = {
        .path = profile_text(profile, lib->path),
        .name = profile_text(profile, lib->name),
        .build_id = module_build_id(profile_text(profile, lib->code_id), profile_text(profile, lib->breakpad_id), build_id),
        .addresses = addresses.addresses,
        .address_count = addresses.count,
    };
    struct symbol_answers answers = {0};
    struct symbol_outcome outcome;
    struct error error = {0};
    assert_int_equal(module_symbols(&search, &request, &answers, &outcome, &error), 0);
    assert_int_equal(symbolication_apply(symbolication, lib_at(number), &answers, changes, &error), 0);
}

/* ---- what is looked at ---- */

/* The call tree of the main thread as text, and the share of it that `selected` has; 0 where it is not there. */
static char *look(const struct profile *profile, const struct path *selected, double *share)
{
    struct error error = {0};
    struct thread_index thread = thread_at(0);
    struct query query = query_default();
    struct view whole;
    struct answer answer;
    query.threads = &thread;
    query.thread_count = 1;
    query.selected = selected;
    assert_int_equal(view_open(profile, &whole, &error), 0);
    assert_int_equal(query_run(&whole, &query, &answer, &error), 0);
    *share = answer.selected_is_exact ? answer.tree.total[answer.selected_node] / answer.tree.root_total : 0;
    char *text = tree_text(&answer, false);
    answer_free(&answer);
    view_free(&whole);
    return text;
}

/* The path of the sample with the most frames, which goes through all libraries. At its start and its end the program is in
 * the loader, which may go deeper: these samples are left out, and those that stand for no time. */
static void deepest_path(const struct profile *profile, struct path *path)
{
    const struct sample_table *samples = &profile->threads.items[0].samples;
    const struct column *stacks = &samples->stack;
    size_t count = column_count(stacks);
    for (size_t i = count / 4; i < count - count / 4; i++) {
        struct path found = {0};
        if (!(column_get_number(&samples->weight, i) > 0))
            continue;
        for (struct stack_index stack = stack_at(column_get_index(stacks, i)); stack_exists(stack);
             stack = stack_prefix(&profile->stacks, stack)) {
            assert_true(path_push(&found, frame_func(&profile->frames, stack_frame(&profile->stacks, stack)).i));
        }
        if (found.funcs.count > path->funcs.count) {
            path_free(path);
            *path = found;
        } else {
            path_free(&found);
        }
    }
    for (size_t i = 0, k = path->funcs.count; i + 1 < k; i++) {
        uint32_t func = path->funcs.items[i];
        path->funcs.items[i] = path->funcs.items[--k];
        path->funcs.items[k] = func;
    }
}

static void names_of_path(const struct profile *profile, const struct path *path, char *names, size_t size)
{
    size_t length = 0;
    names[0] = '\0';
    for (size_t i = 0; i < path->funcs.count; i++) {
        struct slice name = profile_text(profile, func_name(&profile->funcs, func_at(path->funcs.items[i])));
        length += (size_t)snprintf(names + length, size - length, "%s%.*s", i > 0 ? ";" : "", (int)name.length, name.text);
        assert_true(length < size);
    }
}

/* ---- tests ---- */

static void a_recording_without_symbols_is_a_tree_of_addresses(void **state)
{
    (void)state;
    struct profile profile;
    struct path path = {0};
    char names[4000];
    double share;
    import_recording(&profile);
    deepest_path(&profile, &path);
    names_of_path(&profile, &path, names, sizeof names);
    assert_null(strstr(names, "draw"));
    assert_int_equal(strncmp(names, "0x", 2), 0);
    free(look(&profile, &path, &share));
    assert_true(share > 0);
    path_free(&path);
    profile_free(&profile);
}

/* Applies the libs in this order. The selected node is there after every step, with all its samples and those that were at
 * other addresses of its functions. The tree and the selected path at the end, to be given to free(). */
static char *symbolicate_in_order(const uint32_t *order, size_t count, char *names, size_t size)
{
    struct profile profile;
    struct path path = {0};
    double share, before;
    import_recording(&profile);
    deepest_path(&profile, &path);
    char *text = look(&profile, &path, &before);
    struct error error = {0};
    struct symbolication *symbolication = symbolication_begin(&profile, &error);
    assert_non_null(symbolication);
    for (size_t i = 0; i < count; i++) {
        struct func_changes changes = {0};
        apply_module(symbolication, &profile, order[i], &changes);
        assert_true(path_carry(&path, &changes, false));
        func_changes_free(&changes);
        free(text);
        text = look(&profile, &path, &share);
        /* Sums of times, in another order. */
        assert_true(share >= before * (1 - 1e-9));
        before = share;
    }
    assert_true(profile.meta.symbolicated);
    symbolication_end(symbolication);
    names_of_path(&profile, &path, names, size);
    path_free(&path);
    profile_free(&profile);
    return text;
}

/* All libs, those with the most samples first. */
static size_t list_libs(uint32_t order[LIBS_MAX])
{
    struct profile profile;
    struct error error = {0};
    import_recording(&profile);
    size_t count = profile.libs.rows.count;
    assert_in_range(count, ORDERED, LIBS_MAX);
    struct symbolication *symbolication = symbolication_begin(&profile, &error);
    assert_non_null(symbolication);
    for (uint32_t i = 0; i < count; i++) {
        size_t samples = symbolication_addresses(symbolication, lib_at(i)).samples, place = i;
        for (; place > 0 && symbolication_addresses(symbolication, lib_at(order[place - 1])).samples < samples; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    symbolication_end(symbolication);
    profile_free(&profile);
    return count;
}

static void the_selected_path_survives_every_order_and_the_tree_is_the_same(void **state)
{
    (void)state;
    uint32_t libs[LIBS_MAX], order[LIBS_MAX], places[ORDERED] = {0, 1, 2, 3};
    char names[4000], first_names[4000];
    size_t count = list_libs(libs);
    memcpy(order, libs, sizeof order);
    char *first = symbolicate_in_order(order, count, first_names, sizeof first_names);
    assert_non_null(strstr(first, "blend"));
    assert_non_null(strstr(first, "first_inner"));
    assert_non_null(strstr(first, "second_inner"));
    assert_non_null(strstr(first_names, "main;"));
    while (next_order(places, ORDERED)) {
        for (size_t i = 0; i < ORDERED; i++)
            order[i] = libs[places[i]];
        char *text = symbolicate_in_order(order, count, names, sizeof names);
        assert_string_equal(text, first);
        assert_string_equal(names, first_names);
        free(text);
    }
    free(first);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_without_symbols_is_a_tree_of_addresses),
        cmocka_unit_test(the_selected_path_survives_every_order_and_the_tree_is_the_same),
    };
    if (count != 3) {
        fputs("usage: test_symbols_recording SONDE PROGRAM\n", stderr);
        return 2;
    }
    record(arguments[1], arguments[2]);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_recording();
    return failed;
}
