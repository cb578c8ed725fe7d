/* Symbols applied to made profiles: in any order, again, with too little memory, and against what the answers say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "apply_support.h"

#include "support/failing_alloc.h"
#include "support/profile_dump.h"
#include "support/text_profile.h"

#include "common/text_buffer.h"
#include "tree/carry.h"

#include <errno.h>
#include <stdio.h>

enum { ALL_LIBS = (1 << APPLY_LIBS) - 1 };

static struct symbolication *begin(struct profile *profile)
{
    struct error error = {0};
    struct symbolication *symbolication = symbolication_begin(profile, &error);
    assert_non_null(symbolication);
    return symbolication;
}

static void step(struct symbolication *symbolication, uint32_t lib, uint64_t seed, struct func_changes *changes)
{
    struct error error = {0};
    assert_int_equal(apply_lib(symbolication, lib, seed, changes, &error), 0);
}

/* ---- order ---- */

/* What the profile is with any set of libs applied. */
static void dump_subsets(uint64_t seed, char *dumps[ALL_LIBS + 1])
{
    for (uint32_t libs = 0; libs <= ALL_LIBS; libs++) {
        struct random random = {seed};
        struct profile profile;
        random_native_profile(&profile, &random);
        apply_at_once(&profile, libs, seed);
        dumps[libs] = profile_dump(&profile, DUMP_ALL);
        profile_free(&profile);
    }
}

static void every_order_of_modules_gives_the_same_profile_at_every_step(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        char *dumps[ALL_LIBS + 1];
        uint32_t order[APPLY_LIBS] = {0, 1, 2, 3, 4};
        dump_subsets(seed, dumps);
        assert_string_not_equal(dumps[0], dumps[ALL_LIBS]);
        do {
            struct random random = {seed};
            struct profile profile;
            uint32_t applied = 0;
            random_native_profile(&profile, &random);
            struct symbolication *symbolication = begin(&profile);
            for (size_t i = 0; i < APPLY_LIBS; i++) {
                step(symbolication, order[i], seed, NULL);
                applied |= 1u << order[i];
                char *dump = profile_dump(&profile, DUMP_ALL);
                assert_same_dump(dump, dumps[applied]);
                memory_release(dump);
            }
            symbolication_end(symbolication);
            profile_free(&profile);
        } while (next_order(order, APPLY_LIBS));
        for (uint32_t libs = 0; libs <= ALL_LIBS; libs++)
            memory_release(dumps[libs]);
    }
}

static void a_module_that_is_applied_again_has_its_new_answers_only(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random one = {seed}, other = {seed};
        struct profile twice, once;
        raw_profile(&twice, &one);
        raw_profile(&once, &other);
        struct symbolication *symbolication = begin(&twice);
        for (uint32_t lib = 0; lib < APPLY_LIBS; lib++)
            step(symbolication, lib, seed + 100, NULL);
        for (uint32_t lib = 0; lib < APPLY_LIBS; lib++)
            step(symbolication, lib, seed, NULL);
        symbolication_end(symbolication);
        apply_at_once(&once, ALL_LIBS, seed);
        assert_same_tables(&twice, &once, DUMP_ALL);
        profile_free(&twice);
        profile_free(&once);
    }
}

/* ---- what comes out ---- */

static void print(struct text_buffer *out, struct slice name, struct slice file, uint32_t line, uint32_t depth)
{
    char text[160];
    snprintf(text, sizeof text, "%.*s %.*s:%d ^%u\n", (int)name.length, name.text, (int)file.length, file.text,
             line == INDEX_NONE ? -1 : (int)line, depth);
    text_add(out, slice_of(text));
}

static void print_frame(const struct profile *profile, struct frame_index index, struct text_buffer *out)
{
    struct frame frame = frame_table_get(&profile->frames, index);
    struct func func = func_table_get(&profile->funcs, frame.func);
    struct string_index file = source_exists(func.source) ? profile->sources.rows.items[func.source.i].filename : STRING_NONE;
    print(out, profile_text(profile, func.name), profile_text(profile, file), frame.line, frame.inline_depth);
}

static void print_stack(const struct profile *profile, struct stack_index stack, struct text_buffer *out)
{
    if (!stack_exists(stack))
        return;
    print_stack(profile, stack_prefix(&profile->stacks, stack), out);
    print_frame(profile, stack_frame(&profile->stacks, stack), out);
}

/* A raw stack as its answers would have it, frame by frame. */
static void print_answered(const struct profile *raw, const struct symbol_answers *answers, struct stack_index stack,
                           struct text_buffer *out)
{
    if (!stack_exists(stack))
        return;
    print_answered(raw, answers, stack_prefix(&raw->stacks, stack), out);
    struct frame frame = frame_table_get(&raw->frames, stack_frame(&raw->stacks, stack));
    const struct symbol_answers *of_lib = lib_exists(frame.lib) ? &answers[frame.lib.i] : NULL;
    const struct symbol_answer *answer = of_lib ? symbol_answers_find(of_lib, (uint64_t)frame.address) : NULL;
    if (!answer) {
        print_frame(raw, stack_frame(&raw->stacks, stack), out);
        return;
    }
    const struct symbol_call *call = &answer->outer;
    for (uint32_t depth = 0; depth <= answer->inline_count; depth++) {
        if (depth > 0)
            call = &of_lib->inlines.items[answer->first_inline + answer->inline_count - depth];
        print(out, string_exists(call->function) ? symbol_text(of_lib, call->function) : SLICE("(unknown)"),
              symbol_text(of_lib, call->file), call->line > 0 ? call->line : INDEX_NONE, depth);
    }
}

/* An address without an answer may have any file: see apply.h. */
static void forget_files_of_addresses(struct text_buffer *text)
{
    char *at = text->bytes.items;
    while ((at = strstr(at, "0x"))) {
        char *blank = strchr(at, ' '), *colon = strchr(blank, ':');
        for (char *c = blank + 1; c < colon; c++)
            *c = '.';
        memmove(blank + 1, colon, strlen(colon) + 1);
        at = blank;
    }
}

static void assert_same_stacks(struct text_buffer *actual, struct text_buffer *expected)
{
    text_add_char(actual, '\0');
    text_add_char(expected, '\0');
    forget_files_of_addresses(actual);
    forget_files_of_addresses(expected);
    assert_string_equal(actual->bytes.items, expected->bytes.items);
    text_free(actual);
    text_free(expected);
}

static void samples_show_the_calls_that_the_answers_name(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct random one = {seed}, other = {seed};
        struct profile raw, profile;
        struct symbol_answers answers[APPLY_LIBS] = {0};
        raw_profile(&raw, &one);
        raw_profile(&profile, &other);
        struct symbolication *symbolication = begin(&raw);
        for (uint32_t lib = 0; lib < APPLY_LIBS; lib++)
            random_answers(&answers[lib], symbolication_addresses(symbolication, lib_at(lib)), lib, seed);
        symbolication_end(symbolication);
        apply_at_once(&profile, ALL_LIBS, seed);
        assert_true(profile.meta.symbolicated);
        const struct column *before = &raw.threads.items[0].samples.stack, *after = &profile.threads.items[0].samples.stack;
        for (size_t i = 0; i < column_count(before); i++) {
            struct text_buffer actual = {0}, expected = {0};
            print_stack(&profile, stack_at(column_get_index(after, i)), &actual);
            print_answered(&raw, answers, stack_at(column_get_index(before, i)), &expected);
            assert_same_stacks(&actual, &expected);
        }
        for (uint32_t lib = 0; lib < APPLY_LIBS; lib++)
            symbol_answers_free(&answers[lib]);
        profile_free(&raw);
        profile_free(&profile);
    }
}

static void an_address_without_an_answer_keeps_the_name_it_has(void **state)
{
    (void)state;
    struct profile profile;
    struct error error = {0};
    struct symbol_answers answers = {0};
    struct text_buffer actual = {0};
    text_profile(&profile, "known[lib:L][address:10]\n0x20[lib:L]\n0x30[lib:L]\n");
    struct symbol_answer row = {
        .address = 0x20, .symbol_start = 0x18, .symbol = string_table_add(&answers.strings, SLICE("draw"))};
    row.mangled = row.symbol;
    row.outer = (struct symbol_call){row.symbol, row.symbol, STRING_NONE, 7};
    assert_true(vec_push(&answers.rows, row));
    struct symbolication *symbolication = begin(&profile);
    assert_int_equal(symbolication_apply(symbolication, lib_at(0), &answers, NULL, &error), 0);
    symbolication_end(symbolication);
    print_stack(&profile, stack_at(column_get_index(&profile.threads.items[0].samples.stack, 0)), &actual);
    text_add_char(&actual, '\0');
    assert_string_equal(actual.bytes.items, "known :-1 ^0\ndraw :7 ^0\n0x30 :-1 ^0\n");
    text_free(&actual);
    profile_free(&profile);
}

static void a_profile_is_symbolicated_once_all_modules_with_frames_are(void **state)
{
    (void)state;
    struct random random = {7};
    struct profile profile;
    raw_profile(&profile, &random);
    struct symbolication *symbolication = begin(&profile);
    for (uint32_t lib = 0; lib < APPLY_LIBS; lib++) {
        assert_false(profile.meta.symbolicated);
        step(symbolication, lib, 7, NULL);
    }
    assert_true(profile.meta.symbolicated);
    symbolication_end(symbolication);
    profile_free(&profile);
}

/* ---- modules ---- */

static bool stack_has_lib(const struct profile *profile, struct stack_index stack, uint32_t lib)
{
    for (; stack_exists(stack); stack = stack_prefix(&profile->stacks, stack)) {
        struct frame frame = frame_table_get(&profile->frames, stack_frame(&profile->stacks, stack));
        if (frame.lib.i == lib && frame.address != COLUMN_ABSENT)
            return true;
    }
    return false;
}

static void a_module_has_the_samples_with_any_of_its_frames(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random random = {seed};
        struct profile profile;
        random_native_profile(&profile, &random);
        struct symbolication *symbolication = begin(&profile);
        for (uint32_t lib = 0; lib < APPLY_LIBS; lib++) {
            size_t samples = 0;
            for (size_t t = 0; t < profile.threads.count; t++) {
                const struct column *stacks = &profile.threads.items[t].samples.stack;
                for (size_t i = 0; i < column_count(stacks); i++)
                    samples += stack_has_lib(&profile, stack_at(column_get_index(stacks, i)), lib);
            }
            assert_int_equal(symbolication_addresses(symbolication, lib_at(lib)).samples, samples);
        }
        symbolication_end(symbolication);
        profile_free(&profile);
    }
}

static void addresses_of_a_module_ascend_and_come_once(void **state)
{
    (void)state;
    struct random random = {3};
    struct profile profile;
    random_native_profile(&profile, &random);
    struct symbolication *symbolication = begin(&profile);
    size_t frames = 0, known = 0;
    for (uint32_t lib = 0; lib < APPLY_LIBS; lib++) {
        struct module_addresses addresses = symbolication_addresses(symbolication, lib_at(lib));
        for (size_t i = 1; i < addresses.count; i++)
            assert_true(addresses.addresses[i - 1] < addresses.addresses[i]);
        for (size_t i = 0; i < frame_count(&profile.frames); i++) {
            struct frame frame = frame_table_get(&profile.frames, frame_at(i));
            if (frame.lib.i != lib)
                continue;
            frames++;
            for (size_t k = 0; k < addresses.count; k++)
                known += addresses.addresses[k] == (uint64_t)frame.address;
        }
    }
    assert_true(frames > 0);
    assert_int_equal(known, frames);
    symbolication_end(symbolication);
    profile_free(&profile);
}

/* ---- paths ---- */

static void funcs_of_stack(const struct profile *profile, struct stack_index stack, bool inverted, struct path *path)
{
    path->funcs.count = 0;
    for (; stack_exists(stack); stack = stack_prefix(&profile->stacks, stack))
        assert_true(path_push(path, frame_func(&profile->frames, stack_frame(&profile->stacks, stack)).i));
    for (size_t i = 0, k = path->funcs.count; !inverted && i + 1 < k; i++) {
        uint32_t func = path->funcs.items[i];
        path->funcs.items[i] = path->funcs.items[--k];
        path->funcs.items[k] = func;
    }
}

static void assert_paths_are_carried(struct profile *profile, const uint32_t *order, uint64_t seed, bool inverted)
{
    const struct column *stacks = &profile->threads.items[0].samples.stack;
    size_t count = column_count(stacks);
    struct path *paths = memory_zeroed(count, sizeof *paths), now = {0};
    assert_non_null(paths);
    for (size_t i = 0; i < count; i++)
        funcs_of_stack(profile, stack_at(column_get_index(stacks, i)), inverted, &paths[i]);
    struct symbolication *symbolication = begin(profile);
    for (size_t k = 0; k < APPLY_LIBS; k++) {
        struct func_changes changes = {0};
        step(symbolication, order[k], seed, &changes);
        for (size_t i = 0; i < count; i++) {
            assert_true(path_carry(&paths[i], &changes, inverted));
            funcs_of_stack(profile, stack_at(column_get_index(stacks, i)), inverted, &now);
            assert_int_equal(paths[i].funcs.count, now.funcs.count);
            assert_memory_equal(paths[i].funcs.items, now.funcs.items, now.funcs.count * sizeof *now.funcs.items);
        }
        func_changes_free(&changes);
    }
    symbolication_end(symbolication);
    for (size_t i = 0; i < count; i++)
        path_free(&paths[i]);
    path_free(&now);
    memory_release(paths);
}

static void the_path_of_every_sample_survives_every_order_of_modules(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        uint32_t order[APPLY_LIBS] = {0, 1, 2, 3, 4};
        do {
            struct random random = {seed};
            struct profile profile;
            raw_profile(&profile, &random);
            assert_paths_are_carried(&profile, order, seed, false);
            profile_free(&profile);
        } while (next_order(order, APPLY_LIBS));
    }
}

static void paths_from_the_leaf_survive_too(void **state)
{
    (void)state;
    static const uint32_t order[APPLY_LIBS] = {3, 1, 4, 0, 2};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct random random = {seed};
        struct profile profile;
        raw_profile(&profile, &random);
        assert_paths_are_carried(&profile, order, seed, true);
        profile_free(&profile);
    }
}

/* ---- memory ---- */

static int apply_all(void *data, struct error *error)
{
    struct profile *profile = data;
    struct symbolication *symbolication = symbolication_begin(profile, error);
    if (!symbolication)
        return error->code;
    int failed = 0;
    for (uint32_t lib = 0; !failed && lib < APPLY_LIBS; lib++) {
        struct func_changes changes = {0};
        failed = symbolication_addresses(symbolication, lib_at(lib)).count > 0
                     ? symbolication_apply(symbolication, lib_at(lib), &(struct symbol_answers){0}, &changes, error)
                     : 0;
        func_changes_free(&changes);
    }
    symbolication_end(symbolication);
    return failed;
}

static void too_little_memory_is_a_clean_error(void **state)
{
    (void)state;
    struct random random = {11};
    struct profile profile;
    random_native_profile(&profile, &random);
    assert_in_range(assert_survives_failing_allocations(apply_all, &profile), 10, 100000);
    struct error error = {0};
    assert_int_equal(profile_finish(&profile, &error), 0);
    profile_free(&profile);
}

static void a_step_that_fails_leaves_the_profile_as_it_was(void **state)
{
    (void)state;
    struct random random = {5};
    struct profile profile;
    raw_profile(&profile, &random);
    struct symbolication *symbolication = begin(&profile);
    for (uint32_t lib = 0; lib < APPLY_LIBS; lib++) {
        struct symbol_answers answers = {0};
        struct error error = {0};
        char *before = profile_dump(&profile, DUMP_ALL);
        random_answers(&answers, symbolication_addresses(symbolication, lib_at(lib)), lib, 5);
        assert_int_equal(symbolication_add(symbolication, lib_at(lib), &answers, &error), 0);
        for (unsigned long n = 1;; n++) {
            struct func_changes changes = {0};
            error = (struct error){0};
            memory_fail_after(n);
            int failed = symbolication_update(symbolication, &changes, &error);
            memory_fail_after(0);
            func_changes_free(&changes);
            if (!failed)
                break;
            assert_int_equal(failed, -ENOMEM);
            char *after = profile_dump(&profile, DUMP_ALL);
            assert_same_dump(after, before);
            memory_release(after);
        }
        memory_release(before);
    }
    symbolication_end(symbolication);
    struct random same = {5};
    struct profile at_once;
    raw_profile(&at_once, &same);
    apply_at_once(&at_once, ALL_LIBS, 5);
    assert_same_tables(&profile, &at_once, DUMP_ALL);
    profile_free(&at_once);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_of_modules_gives_the_same_profile_at_every_step),
        cmocka_unit_test(a_module_that_is_applied_again_has_its_new_answers_only),
        cmocka_unit_test(samples_show_the_calls_that_the_answers_name),
        cmocka_unit_test(an_address_without_an_answer_keeps_the_name_it_has),
        cmocka_unit_test(a_profile_is_symbolicated_once_all_modules_with_frames_are),
        cmocka_unit_test(a_module_has_the_samples_with_any_of_its_frames),
        cmocka_unit_test(addresses_of_a_module_ascend_and_come_once),
        cmocka_unit_test(the_path_of_every_sample_survives_every_order_of_modules),
        cmocka_unit_test(paths_from_the_leaf_survive_too),
        cmocka_unit_test(too_little_memory_is_a_clean_error),
        cmocka_unit_test(a_step_that_fails_leaves_the_profile_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
