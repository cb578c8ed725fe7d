/* A session read directly, with weights, and the Gecko profile that is written from it, read again, which has none: both must
 * say the same of how long threads were where. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/gecko.h"
#include "import/importer.h"
#include "import/session.h"
#include "support/session_draw.h"
#include "support/session_profile.h"

static uint32_t seed;

static unsigned random_below(unsigned limit)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % limit;
}

/* Three threads that run, wait, want a CPU, and come and go, in chunks of all lengths. */
static char *random_session(void)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    unsigned end = 1000 + random_below(1000), cpu[4] = {0}, ready[4] = {0}, runs = 0;
    fprintf(out, "thread 1 GeckoMain tid=4711 main sampled\n"
                 "thread 2 Worker tid=2 sampled time=5ms\n"
                 "thread 3 Other tid=3 sampled time=20ms\n");
    for (unsigned ms = 21; ms < end; ms += 1 + random_below(5)) {
        unsigned thread = 1 + random_below(3);
        if (random_below(3) > 0) {
            fprintf(out, "sample %u %ums label:%c label:%c\n", thread, ms, 'a' + (char)random_below(2),
                    'a' + (char)random_below(3));
            cpu[thread] += random_below(3000);
        } else {
            bool waits = random_below(3) > 0;
            ready[thread] += random_below(1000);
            runs += random_below(3);
            fprintf(out, "look %u %ums %s cpu=%uus ready=%uus runs=%u %s\n", thread == 1 ? 4711 : thread, ms,
                    waits ? "waiting" : "running", cpu[thread], ready[thread], runs, waits ? "label:w label:c" : "");
        }
        if (random_below(50) == 0)
            fputs("chunk samples\n", out);
    }
    fprintf(out, "thread-end 2 time=%ums cpu=%uus\n", end, cpu[2]);
    fclose(out);
    return text;
}

/* Time by the youngest function: a, b, c, w, ready, none of them; and the CPU time. */
struct times {
    double ms[6], all, cpu;
};

static struct times times_of(const struct profile *profile, size_t thread)
{
    struct times times = {0};
    const struct sample_table *samples = &profile->threads.items[thread].samples;
    for (size_t i = 0; i < sample_count(samples); i++) {
        uint32_t stack = column_get_index(&samples->stack, i);
        struct func_index func = frame_func(&profile->frames, stack_frame(&profile->stacks, stack_at(stack)));
        char name = profile_text(profile, func_name(&profile->funcs, func)).text[0];
        size_t place = name >= 'a' && name <= 'c' ? (size_t)(name - 'a') : name == '(' ? 4 : 5;
        double ms = sample_table_has(&samples->weight) ? column_get_number(&samples->weight, i) : profile->meta.interval;
        times.ms[place] += ms;
        times.all += ms;
        times.cpu += column_get_number(&samples->cpu_delta, i) / 1e6;
    }
    return times;
}

static void read_gecko(const char *path, struct profile *profile)
{
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_int_equal(export_gecko_session(file, NULL, sink, &error), 0);
    struct byte_source *source = byte_source_memory(byte_sink_memory_bytes(sink), 0, false, &error);
    profile_init(profile);
    assert_int_equal(import_profile(source, profile, &error), 0);
    byte_source_close(source);
    byte_sink_close(sink, true, &error);
    session_file_close(file);
}

/* What is carried on is less than a row for each of three kinds of time. Between functions the carried part is spread by
 * chance. */
static void assert_same(const struct times *wanted, const struct times *actual)
{
    assert_true(fabs(wanted->all - actual->all) <= 3);
    assert_true(fabs(wanted->cpu - actual->cpu) <= 1.001);
    for (size_t i = 0; i < 6; i++)
        assert_true(fabs(wanted->ms[i] - actual->ms[i]) <= 5 + wanted->ms[i] * 0.15);
}

static void both_ways_give_the_same_times(void **state)
{
    (void)state;
    for (seed = 1; seed < 20 * 1664525u; seed += 1664525u) {
        uint32_t start = seed;
        char folder[64], path[PATH_MAX];
        char *text = random_session();
        session_draw(session_folder_make(folder), text, path);
        struct profile direct, gecko;
        struct error error = {0};
        profile_init(&direct);
        assert_int_equal(session_import(path, NULL, &direct, &error), 0);
        read_gecko(path, &gecko);
        assert_int_equal(direct.threads.count, gecko.threads.count);
        for (size_t i = 0; i < direct.threads.count; i++) {
            struct times wanted = times_of(&direct, i), actual = times_of(&gecko, i);
            assert_true(wanted.all > 100);
            assert_same(&wanted, &actual);
        }
        profile_free(&direct);
        profile_free(&gecko);
        session_folder_remove(folder);
        free(text);
        seed = start;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_give_the_same_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
