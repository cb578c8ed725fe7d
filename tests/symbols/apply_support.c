#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "apply_support.h"

#include <stdio.h>

static struct string_index add_text(struct string_table *strings, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct string_index string = string_table_add(strings, slice_of(text));
    assert_true(string_exists(string));
    return string;
}

/* ---- profiles ---- */

static void add_lib(struct profile *profile, uint32_t number)
{
    struct lib lib = {.name = add_text(&profile->strings, "module%u.so", number), .code_id = STRING_NONE, .arch = STRING_NONE};
    lib.path = lib.debug_name = lib.debug_path = lib.breakpad_id = lib.name;
    assert_true(lib_exists(lib_table_append(&profile->libs, &lib)));
}

static void finish(struct profile *profile)
{
    struct error error = {0};
    if (profile_finish(profile, &error) != 0)
        fail_msg("%s", error.message);
}

void random_native_profile(struct profile *profile, struct random *random)
{
    struct column libs;
    random_profile(profile, random, RANDOM_WEIGHTS_POSITIVE);
    profile->meta.symbolicated = false;
    while (profile->libs.rows.count < APPLY_LIBS)
        add_lib(profile, (uint32_t)profile->libs.rows.count);
    column_init(&libs, COLUMN_INTEGERS, &profile->arena);
    for (size_t i = 0; i < frame_count(&profile->frames); i++) {
        bool is_native = column_get(&profile->frames.lib, i) != COLUMN_ABSENT;
        column_append(&libs, is_native ? random_below(random, APPLY_LIBS) : COLUMN_ABSENT);
    }
    column_free(&profile->frames.lib);
    profile->frames.lib = libs;
    finish(profile);
}

static uint32_t add_frame(struct profile *profile, struct frame frame, struct string_index name)
{
    struct func func = {
        .name = name,
        .resource = lib_exists(frame.lib) ? resource_at(frame.lib.i) : resource_none(),
        .source = source_none(),
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    frame.func = func_table_append(&profile->funcs, &func);
    return frame_table_append(&profile->frames, &frame).i;
}

static uint32_t add_raw_frames(struct profile *profile, struct random *random)
{
    struct frame frame = {
        .address = COLUMN_ABSENT,
        .lib = lib_none(),
        .category = category_none(),
        .subcategory = INDEX_NONE,
        .native_symbol = native_symbol_none(),
        .implementation = STRING_NONE,
        .line = INDEX_NONE,
        .column = INDEX_NONE,
        .original_location = location_none(),
    };
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; i++)
        count = add_frame(profile, frame, add_text(&profile->strings, "Label %u", i)) + 1;
    for (uint32_t i = 0; i < 60; i++) {
        frame.lib = lib_at(random_below(random, APPLY_LIBS));
        frame.address = 0x20 * (int64_t)i + random_below(random, 0x20);
        count = add_frame(profile, frame, add_text(&profile->strings, "0x%x", (unsigned)frame.address)) + 1;
    }
    return count;
}

void raw_profile(struct profile *profile, struct random *random)
{
    profile_init(profile);
    profile->meta.product = add_text(&profile->strings, "Raw");
    assert_true(category_list_add_default(&profile->categories, &profile->strings));
    for (uint32_t i = 0; i < APPLY_LIBS; i++) {
        add_lib(profile, i);
        struct resource resource = {profile->libs.rows.items[i].name, STRING_NONE, RESOURCE_LIBRARY};
        assert_true(resource_exists(resource_table_append(&profile->resources, &resource)));
    }
    uint32_t frames = add_raw_frames(profile, random), stacks = 200;
    struct thread *thread = profile_add_thread(profile);
    assert_non_null(thread);
    thread->name = thread->process_type = thread->pid = thread->tid = add_text(&profile->strings, "1");
    for (uint32_t i = 0; i < stacks; i++) {
        bool is_root = i == 0 || random_chance(random, 10);
        uint32_t parent = random_chance(random, 2) ? i - 1 : random_below(random, i + 1);
        struct stack_index prefix = is_root ? stack_none() : stack_at(parent < i ? parent : i - 1);
        stack_table_append(&profile->stacks, prefix, frame_at(random_below(random, frames)));
        column_append(&thread->samples.stack, i);
        column_append_number(&thread->samples.time, i);
    }
    finish(profile);
}

/* ---- answers ---- */

static struct symbol_call random_call(struct string_table *strings, struct random *random, struct string_index function)
{
    bool has_file = !random_chance(random, 3);
    return (struct symbol_call){
        .function = function,
        .mangled = function,
        .file = has_file ? add_text(strings, "file%u.c", random_below(random, 3)) : STRING_NONE,
        .line = random_below(random, 30),
    };
}

void random_answers(struct symbol_answers *answers, struct module_addresses addresses, uint32_t lib, uint64_t seed)
{
    struct random random = {seed * 977 + lib};
    bool has_inlines = random_chance(&random, 2);
    for (size_t i = 0; i < addresses.count; i++) {
        uint64_t start = addresses.addresses[i] / 0x80 * 0x80;
        struct symbol_answer row = {
            .address = addresses.addresses[i],
            .symbol_start = start,
            .symbol_size = random_chance(&random, 2) ? 0x80 : 0,
            .symbol = add_text(&answers->strings, "function %x of %u", (unsigned)start, random_chance(&random, 4) ? 9 : lib),
            .first_inline = (uint32_t)answers->inlines.count,
            .inline_count = has_inlines && random_chance(&random, 3) ? random_below(&random, 4) : 0,
        };
        row.mangled = row.symbol;
        row.outer = random_call(&answers->strings, &random, row.symbol);
        if (random_chance(&random, 6))
            continue;
        for (uint32_t k = 0; k < row.inline_count; k++) {
            struct string_index name =
                random_chance(&random, 9) ? STRING_NONE : add_text(&answers->strings, "inlined %u", random_below(&random, 5));
            assert_true(vec_push(&answers->inlines, random_call(&answers->strings, &random, name)));
        }
        assert_true(vec_push(&answers->rows, row));
    }
}

int apply_lib(struct symbolication *symbolication, uint32_t lib, uint64_t seed, struct func_changes *changes,
              struct error *error)
{
    struct symbol_answers answers = {0};
    random_answers(&answers, symbolication_addresses(symbolication, lib_at(lib)), lib, seed);
    return symbolication_apply(symbolication, lib_at(lib), &answers, changes, error);
}

void apply_at_once(struct profile *profile, uint32_t libs, uint64_t seed)
{
    struct error error = {0};
    struct symbolication *symbolication = symbolication_begin(profile, &error);
    assert_non_null(symbolication);
    for (uint32_t lib = 0; lib < APPLY_LIBS; lib++) {
        struct symbol_answers answers = {0};
        if (!(libs >> lib & 1))
            continue;
        random_answers(&answers, symbolication_addresses(symbolication, lib_at(lib)), lib, seed);
        assert_int_equal(symbolication_add(symbolication, lib_at(lib), &answers, &error), 0);
    }
    if (libs != 0)
        assert_int_equal(symbolication_update(symbolication, NULL, &error), 0);
    symbolication_end(symbolication);
    finish(profile);
}

bool next_order(uint32_t *items, size_t count)
{
    size_t i = count - 1, k = count - 1;
    while (i > 0 && items[i - 1] > items[i])
        i--;
    if (i == 0)
        return false;
    while (items[k] < items[i - 1])
        k--;
    uint32_t moved = items[i - 1];
    items[i - 1] = items[k];
    items[k] = moved;
    for (size_t a = i, b = count - 1; a < b; a++, b--) {
        moved = items[a];
        items[a] = items[b];
        items[b] = moved;
    }
    return true;
}
