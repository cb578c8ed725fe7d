#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/random_profile.h"

#include <math.h>
#include <stdio.h>

enum { LIBS = 2, SYMBOLS = 4, SOURCES = 3, RESOURCES = 5, FUNCS = 14, MARKER_NAMES = 3 };

uint32_t random_below(struct random *random, uint32_t limit)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random->state >> 33) % limit);
}

bool random_chance(struct random *random, uint32_t one_in)
{
    return random_below(random, one_in) == 0;
}

static struct string_index add_name(struct profile *profile, const char *format, uint32_t number)
{
    char text[64];
    snprintf(text, sizeof text, format, number);
    struct string_index string = string_table_add(&profile->strings, slice_of(text));
    assert_true(string_exists(string));
    return string;
}

/* ---- shared tables ---- */

static void add_origins(struct profile *profile)
{
    for (uint32_t i = 0; i < LIBS; i++) {
        struct lib lib = {.name = add_name(profile, "lib%u.so", i),
                          .path = add_name(profile, "/usr/lib/lib%u.so", i),
                          .breakpad_id = add_name(profile, "ID%u", i),
                          .code_id = STRING_NONE,
                          .arch = add_name(profile, "x86_64", 0)};
        lib.debug_name = lib.name;
        lib.debug_path = lib.path;
        assert_true(lib_exists(lib_table_add(&profile->libs, &lib)));
    }
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        struct native_symbol symbol = {lib_at(i % LIBS), 0x1000 * i, add_name(profile, "symbol %u", i),
                                       i == 0 ? COLUMN_ABSENT : 0x800};
        native_symbol_append(&profile->native_symbols, &symbol);
    }
    for (uint32_t i = 0; i < SOURCES; i++) {
        struct source source = {i == 0 ? STRING_NONE : add_name(profile, "id-%u", i),
                                add_name(profile, "https://example.com/%u.js", i),
                                1,
                                1,
                                STRING_NONE,
                                STRING_NONE};
        assert_true(source_exists(source_table_append(&profile->sources, &source)));
    }
    for (uint32_t i = 0; i < RESOURCES; i++) {
        static const enum resource_type types[RESOURCES] = {RESOURCE_LIBRARY, RESOURCE_LIBRARY, RESOURCE_WEBHOST,
                                                            RESOURCE_ADDON, RESOURCE_URL};
        struct resource resource = {add_name(profile, i < LIBS ? "lib%u.so" : "https://host-%u.com", i),
                                    i < LIBS ? STRING_NONE : add_name(profile, "host-%u.com", i), types[i]};
        assert_true(resource_exists(resource_table_append(&profile->resources, &resource)));
    }
}

static void add_funcs(struct profile *profile, struct random *random)
{
    for (uint32_t i = 0; i < FUNCS; i++) {
        struct func func = {
            .name = STRING_NONE,
            .resource = resource_none(),
            .source = source_none(),
            .line = INDEX_NONE,
            .column = INDEX_NONE,
            .original_location = location_none(),
        };
        switch (random_below(random, 4)) {
        case 0: /* a script */
            func.name = add_name(profile, "script%u", i);
            func.is_js = true;
            func.resource = resource_at(LIBS + random_below(random, RESOURCES - LIBS));
            func.source = source_at(random_below(random, SOURCES));
            func.line = random_below(random, 100);
            break;
        case 1: /* native code */
            func.name = add_name(profile, "native%u", i);
            func.resource = resource_at(random_below(random, LIBS));
            break;
        case 2: /* code that was compiled just in time */
            func.name = add_name(profile, "0x%x", i);
            break;
        default: /* a label */
            func.name = add_name(profile, "Label %u", i);
            func.relevant_for_js = random_chance(random, 2);
        }
        func_table_append(&profile->funcs, &func);
    }
}

static uint32_t add_frames(struct profile *profile, struct random *random)
{
    uint32_t count = FUNCS + random_below(random, 2 * FUNCS);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t category = random_below(random, 12);
        uint32_t func = i < FUNCS ? i : random_below(random, FUNCS);
        struct resource_index resource = func_resource(&profile->funcs, func_at(func));
        bool is_native = resource_exists(resource) && resource.i < LIBS;
        bool has_symbol = is_native && random_chance(random, 2);
        struct frame frame = {
            .address = is_native ? random_below(random, 0x4000) : COLUMN_ABSENT,
            .lib = is_native ? lib_at(resource.i) : lib_none(),
            .inline_depth = has_symbol && random_chance(random, 2),
            .category = category < 8 ? category_at(category) : category_none(),
            .subcategory = category < 8 ? 0 : INDEX_NONE,
            .func = func_at(func),
            .native_symbol =
                has_symbol ? native_symbol_at(resource.i + LIBS * random_below(random, SYMBOLS / LIBS)) : native_symbol_none(),
            .implementation = STRING_NONE,
            .line = random_chance(random, 2) ? random_below(random, 20) : INDEX_NONE,
            .column = INDEX_NONE,
            .original_location = location_none(),
        };
        frame_table_append(&profile->frames, &frame);
    }
    return count;
}

/* Half of the stacks go on from the one before, which makes them deep enough for recursion of all kinds. */
static uint32_t add_stacks(struct profile *profile, struct random *random, uint32_t frames)
{
    uint32_t count = 1 + random_below(random, 80);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t prefix = random_chance(random, 2) ? i : random_below(random, i + 1);
        stack_table_append(&profile->stacks,
                           i > 0 && !random_chance(random, 10) ? stack_at(prefix < i ? prefix : i - 1) : stack_none(),
                           frame_at(random_below(random, frames)));
    }
    return count;
}

/* ---- threads ---- */

static uint32_t random_stack(struct random *random, uint32_t stacks)
{
    return random_chance(random, 9) ? INDEX_NONE : random_below(random, stacks);
}

static double random_weight(struct random *random, enum random_weights weights)
{
    return weights == RANDOM_WEIGHTS_POSITIVE ? 1.0 + random_below(random, 5) : (double)random_below(random, 9) - 4;
}

static void add_samples(struct sample_table *samples, struct random *random, uint32_t stacks, enum random_weights weights)
{
    uint32_t count = random_below(random, 100);
    bool has_weights = random_chance(random, 2), has_cpu = random_chance(random, 2);
    uint32_t grid = random_chance(random, 2) ? 2 : 1000; /* whole times, too, are to fall on the ends of ranges */
    double time = 0;
    samples->time_is_deltas = random_chance(random, 2);
    samples->weight_type = has_weights && random_chance(random, 2) ? WEIGHT_TRACING_MS : WEIGHT_SAMPLES;
    for (uint32_t i = 0; i < count; i++) {
        double delta = random_below(random, 3 * grid) / (double)grid;
        time += delta;
        column_append_index(&samples->stack, random_stack(random, stacks));
        column_append_number(&samples->time, samples->time_is_deltas ? delta : time);
        if (has_weights)
            column_append_number(&samples->weight, random_weight(random, weights));
        if (has_cpu)
            column_append_number(&samples->cpu_delta, i == 0 ? (double)NAN : random_below(random, 2000));
    }
}

static void add_js_allocations(struct profile *profile, struct allocation_table *table, struct random *random, uint32_t stacks)
{
    struct string_index name = add_name(profile, "Object", 0);
    table->present = true;
    for (uint32_t i = random_below(random, 30); i > 0; i--) {
        column_append_index(&table->stack, random_stack(random, stacks));
        column_append_number(&table->time, 60 - (double)i);
        column_append_number(&table->weight, 1 + random_below(random, 100));
        column_append_index(&table->class_name, name.i);
        column_append_index(&table->type_name, name.i);
        column_append_index(&table->coarse_type, name.i);
        column_append(&table->in_nursery, random_below(random, 2));
    }
}

/* Memory is freed and used again, and some of it was there before the recording. */
static void add_native_allocations(struct allocation_table *table, struct random *random, uint32_t stacks)
{
    bool balanced = random_chance(random, 2), sized = random_chance(random, 2);
    table->present = true;
    for (uint32_t i = random_below(random, 60); i > 0; i--) {
        double bytes = 1 + random_below(random, 100);
        column_append_index(&table->stack, random_stack(random, stacks));
        column_append_number(&table->time, 60 - (double)i);
        column_append_number(&table->weight, random_chance(random, 3) ? -bytes : bytes);
        if (balanced) {
            column_append_number(&table->memory_address, 0x1000 * random_below(random, 8));
            column_append(&table->thread_id, 1);
        }
        if (sized)
            column_append_number(&table->size, 1 + random_below(random, (uint32_t)bytes));
    }
}

static void add_markers(struct profile *profile, struct marker_table *markers, struct random *random, uint32_t stacks)
{
    for (uint32_t i = random_below(random, 12); i > 0; i--) {
        double start = random_below(random, 100), end = start + random_below(random, 20);
        enum marker_phase phase = (enum marker_phase)random_below(random, 4);
        bool has_cause = random_chance(random, 3);
        struct raw_marker marker = {
            .name = add_name(profile, "Marker %u", random_below(random, MARKER_NAMES)),
            .start = phase == MARKER_END ? NAN : start,
            .end = phase == MARKER_INTERVAL || phase == MARKER_END ? end : NAN,
            .phase = phase,
            .category = category_at(random_below(random, 8)),
            .cause_stack = has_cause ? stack_at(random_below(random, stacks)) : stack_none(),
            .cause_time = has_cause ? start : NAN,
            .cause_tid = STRING_NONE,
            .thread_id = STRING_NONE,
        };
        if (has_cause || random_chance(random, 2)) {
            size_t place = markers->payloads.bytes.count;
            assert_true(value_put_object(&markers->payloads, 1));
            assert_true(value_put_key(&markers->payloads, add_name(profile, "type", 0)));
            assert_true(value_put_string(&markers->payloads, add_name(profile, "Text", 0)));
            marker.data = markers->payloads.bytes.items + place;
        }
        marker_table_append(markers, &marker);
    }
}

static void add_thread(struct profile *profile, struct random *random, uint32_t number, uint32_t stacks,
                       enum random_weights weights)
{
    struct thread *thread = profile_add_thread(profile);
    assert_non_null(thread);
    thread->name = add_name(profile, "Thread %u", number);
    thread->process_type = add_name(profile, "default", 0);
    thread->process_name = add_name(profile, "Process", 0);
    thread->pid = add_name(profile, "%u", 100);
    thread->tid = add_name(profile, "%u", 100 + number);
    thread->is_main_thread = number == 0;
    add_samples(&thread->samples, random, stacks, weights);
    add_markers(profile, &thread->markers, random, stacks);
    if (random_chance(random, 2))
        add_js_allocations(profile, &thread->js_allocations, random, stacks);
    if (random_chance(random, 2))
        add_native_allocations(&thread->native_allocations, random, stacks);
}

void random_profile(struct profile *profile, struct random *random, enum random_weights weights)
{
    struct error error = {0};
    profile_init(profile);
    profile->meta.interval = 1 + random_below(random, 4) / 2.0;
    profile->meta.start_time = 1e12 + random_below(random, 1000);
    profile->meta.symbolicated = random_chance(random, 2);
    profile->meta.product = add_name(profile, "Random", 0);
    profile->meta.cpu_unit = CPU_MICROSECONDS;
    assert_true(category_list_add_default(&profile->categories, &profile->strings));
    add_origins(profile);
    add_funcs(profile, random);
    uint32_t stacks = add_stacks(profile, random, add_frames(profile, random));
    for (uint32_t i = 0, threads = 1 + random_below(random, 3); i < threads; i++)
        add_thread(profile, random, i, stacks, weights);
    if (profile_finish(profile, &error) != 0)
        fail_msg("%s", error.message);
}
