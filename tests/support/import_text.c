#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/failing_alloc.h"
#include "support/import_text.h"

#include "common/byte_sink.h"
#include "common/number_text.h"

#include <errno.h>

int import_text(import_function *import, struct slice text, size_t piece, struct profile *profile, struct error *error)
{
    *error = (struct error){0};
    profile_init(profile);
    struct byte_source *source = byte_source_memory(text, piece, false, error);
    int result = source ? import(source, profile, error) : error->code;
    byte_source_close(source);
    assert_int_equal(result, error->code);
    return result;
}

void assert_imports(import_function *import, struct slice text, struct profile *profile)
{
    struct error error;
    if (import_text(import, text, 0, profile, &error) != 0)
        fail_msg("%s", error.message);
}

void assert_refused(import_function *import, struct slice text, const char *message)
{
    struct error error;
    struct profile profile;
    int result = import_text(import, text, 0, &profile, &error);
    profile_free(&profile);
    if (result != -EINVAL && result != -EBADMSG)
        fail_msg("%d: %s", result, error.message);
    if (!strstr(error.message, message))
        fail_msg("`%s` is not in `%s`", message, error.message);
}

/* ---- samples as text ---- */

static void write_text(struct byte_sink *sink, struct slice text)
{
    struct error error = {0};
    assert_int_equal(byte_sink_write(sink, text, &error), 0);
}

static void write_number(struct byte_sink *sink, double number)
{
    char text[NUMBER_TEXT_SIZE];
    write_text(sink, (struct slice){text, number_text(number, text)});
}

static void write_stack(struct byte_sink *sink, const struct profile *profile, struct stack_index stack)
{
    struct stack_index prefix = stack_prefix(&profile->stacks, stack);
    if (stack_exists(prefix)) {
        write_stack(sink, profile, prefix);
        write_text(sink, SLICE(";"));
    }
    struct func_index func = frame_func(&profile->frames, stack_frame(&profile->stacks, stack));
    write_text(sink, profile_text(profile, func_name(&profile->funcs, func)));
}

static void write_samples(struct byte_sink *sink, const struct profile *profile, const struct sample_table *samples)
{
    size_t count = sample_count(samples);
    double *times = memory_array(count + 1, sizeof *times);
    assert_non_null(times);
    sample_table_read_times(samples, times);
    for (size_t i = 0; i < count; i++) {
        write_number(sink, times[i]);
        if (sample_table_has(&samples->weight)) {
            write_text(sink, SLICE(" x"));
            write_number(sink, column_get_number(&samples->weight, i));
        }
        struct stack_index stack = stack_at(column_get_index(&samples->stack, i));
        if (stack_exists(stack)) {
            write_text(sink, SLICE(" "));
            write_stack(sink, profile, stack);
        }
        write_text(sink, SLICE("\n"));
    }
    memory_release(times);
}

void assert_samples(const struct profile *profile, size_t thread, const char *expected)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_non_null(sink);
    assert_true(thread < profile->threads.count);
    write_samples(sink, profile, &profile->threads.items[thread].samples);
    write_text(sink, (struct slice){"", 1});
    assert_string_equal(byte_sink_memory_bytes(sink).text, expected);
    byte_sink_close(sink, true, &error);
}

/* ---- bad days ---- */

static void import_cut(import_function *import, struct slice text, size_t length, size_t piece)
{
    /* A copy of just these bytes, so that AddressSanitizer sees a read behind them. */
    char *copy = memory_array(length + 1, 1);
    assert_non_null(copy);
    copy = memory_resize(copy, length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text.text, length);
    struct error error;
    struct profile profile;
    if (import_text(import, (struct slice){copy, length}, piece, &profile, &error) != 0) {
        assert_true(error.message[0] != '\0');
    } else if (profile_finish(&profile, &error) != 0) {
        fail_msg("cut after %zu bytes: %s", length, error.message);
    }
    profile_free(&profile);
    memory_release(copy);
}

void assert_truncations_are_clean(import_function *import, struct slice text, size_t cuts)
{
    static const size_t pieces[] = {0, 1, 7};
    uint64_t seed = 1;
    bool all = text.length <= cuts;
    for (size_t i = 0; i < (all ? text.length : cuts); i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        import_cut(import, text, all ? i : (size_t)(seed >> 33) % text.length, pieces[i % 3]);
    }
}

struct attempt {
    import_function *import;
    struct slice text;
};

static int attempt_import(void *data, struct error *error)
{
    const struct attempt *attempt = data;
    struct profile profile;
    int result = import_text(attempt->import, attempt->text, 0, &profile, error);
    profile_free(&profile);
    return result;
}

void assert_import_survives_failing_allocations(import_function *import, struct slice text)
{
    struct attempt attempt = {import, text};
    assert_true(assert_survives_failing_allocations(attempt_import, &attempt) > 10);
}

struct slice read_test_data(const char *path)
{
    enum { PIECE = 1 << 16 };
    struct error error = {0};
    VEC(char) bytes = {0};
    struct byte_source *source = byte_source_open(path, NULL, &error);
    if (!source)
        fail_msg("%s", error.message);
    for (ssize_t count = 1; count > 0; bytes.count += (size_t)count) {
        assert_true(vec_reserve(&bytes, bytes.count + PIECE));
        count = source->read(source, bytes.items + bytes.count, PIECE, &error);
        assert_true(count >= 0);
    }
    byte_source_close(source);
    bytes.items[bytes.count] = '\0';
    return (struct slice){bytes.items, bytes.count};
}
