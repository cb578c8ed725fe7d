/* A session read directly, and the Gecko profile that is written from it, read again: both must say the same. */
#include <limits.h>
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

/* Three threads that run, wait and come and go, in chunks of all lengths. */
static char *random_session(void)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    const unsigned starts[] = {0, 5, 20}, ends[] = {200, 100 + random_below(100), 200};
    bool has_stack[3] = {false};
    fprintf(out,
            "thread 1 GeckoMain tid=4711 main sampled\n"
            "thread 2 Worker tid=2 sampled time=5ms\nthread-end 2 time=%ums\n"
            "thread 3 Other tid=3 sampled time=20ms\n",
            ends[1]);
    for (unsigned tick = 1; tick < 200; tick++) {
        fprintf(out, "tick %ums\n", tick);
        for (unsigned thread = 1; thread <= 3; thread++) {
            bool lives = starts[thread - 1] <= tick && tick < ends[thread - 1];
            if (random_below(3) == 0 || !lives)
                continue;
            if (random_below(4) > 0 || !has_stack[thread - 1]) {
                has_stack[thread - 1] = true;
                fprintf(out, "stack %u", thread);
                for (unsigned depth = 1 + random_below(6); depth > 0; depth--)
                    fprintf(out, " label:%c", 'a' + (char)random_below(3));
                fputc('\n', out);
            }
            fprintf(out, "sample %u cpu=%uus after=%u\n", thread, random_below(1000), thread * 1000);
        }
        if (random_below(20) == 0)
            fputs("chunk samples\n", out);
    }
    fclose(out);
    return text;
}

/* Gecko stacks have a frame for the root, and its rows always have a delay. */
static void without(char *text, const char *part)
{
    size_t length = strlen(part);
    for (char *at; (at = strstr(text, part));)
        memmove(at, at + length, strlen(at + length) + 1);
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

static void both_ways_give_the_same_rows(void **state)
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
            char *wanted = session_profile_rows(&direct, i), *actual = session_profile_rows(&gecko, i);
            without(actual, "(root);");
            without(actual, " delay=nan");
            assert_string_equal(actual, wanted);
            free(wanted);
            free(actual);
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
        cmocka_unit_test(both_ways_give_the_same_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
