#include "support/session_profile.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/session.h"
#include "support/session_draw.h"

void session_profile(const char *text, struct profile *profile)
{
    char folder[64], path[PATH_MAX];
    struct error error = {0};
    session_draw(session_folder_make(folder), text, path);
    profile_init(profile);
    session_import(path, NULL, profile, &error);
    session_folder_remove(folder);
    assert_string_equal(error.message, "");
}

static void print_stack(FILE *out, const struct profile *profile, struct stack_index stack)
{
    struct stack_index prefix = stack_prefix(&profile->stacks, stack);
    if (stack_exists(prefix)) {
        print_stack(out, profile, prefix);
        fputc(';', out);
    }
    struct func_index func = frame_func(&profile->frames, stack_frame(&profile->stacks, stack));
    fputs(profile_text(profile, func_name(&profile->funcs, func)).text, out);
}

static void assert_text(char *actual, const char *expected)
{
    if (strcmp(actual, expected) != 0)
        fail_msg("is\n%sbut should be\n%s", actual, expected);
    free(actual);
}

char *session_profile_rows(const struct profile *profile, size_t thread)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(thread < profile->threads.count);
    const struct sample_table *samples = &profile->threads.items[thread].samples;
    size_t count = sample_count(samples);
    double *times = calloc(count + 1, sizeof *times);
    sample_table_read_times(samples, times);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%g ", times[i]);
        uint32_t stack = column_get_index(&samples->stack, i);
        if (stack == INDEX_NONE)
            fputc('-', out);
        else
            print_stack(out, profile, stack_at(stack));
        double cpu = column_get_number(&samples->cpu_delta, i);
        if (sample_table_has(&samples->weight))
            fprintf(out, " %gms%s", column_get_number(&samples->weight, i), cpu > 0 ? " cpu" : "");
        else
            fprintf(out, " cpu=%g", cpu);
        if (sample_table_has(&samples->event_delay))
            fprintf(out, " delay=%g", column_get_number(&samples->event_delay, i));
        fputc('\n', out);
    }
    fclose(out);
    free(times);
    return text;
}

void assert_rows(const struct profile *profile, size_t thread, const char *expected)
{
    assert_text(session_profile_rows(profile, thread), expected);
}

static void print_json(FILE *out, const struct profile *profile, const uint8_t *value)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_memory(&error);
    struct json_writer *writer = json_writer_open(sink, 0, &error);
    value_to_json(value, &profile->strings, writer);
    assert_int_equal(json_writer_close(writer), 0);
    struct slice json = byte_sink_memory_bytes(sink);
    fwrite(json.text, 1, json.length, out);
    byte_sink_close(sink, true, &error);
}

void assert_markers(const struct profile *profile, size_t thread, const char *expected)
{
    static const char *const phases[] = {"instant", "interval", "start", "end"};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(thread < profile->threads.count);
    const struct marker_table *markers = &profile->threads.items[thread].markers;
    for (size_t i = 0; i < marker_count(markers); i++) {
        struct raw_marker marker = marker_table_get(markers, marker_at(i));
        fprintf(out, "%s %s", profile_text(profile, marker.name).text, phases[marker.phase]);
        if (marker.start == marker.start)
            fprintf(out, " %g", marker.start);
        if (marker.end == marker.end)
            fprintf(out, " %g", marker.end);
        fprintf(out, " %s", profile_text(profile, profile->categories.rows.items[marker.category.i].name).text);
        if (marker.data) {
            fputc(' ', out);
            print_json(out, profile, marker.data);
        }
        if (stack_exists(marker.cause_stack)) {
            fputs(" by ", out);
            print_stack(out, profile, marker.cause_stack);
            fprintf(out, " at %g in %s", marker.cause_time, profile_text(profile, marker.cause_tid).text);
        }
        fputc('\n', out);
    }
    fclose(out);
    assert_text(text, expected);
}

void assert_meta(const struct profile *profile, const char *path, const char *json)
{
    const uint8_t *at = profile->meta.whole.bytes.items;
    for (const char *end; at && *path; path = *end ? end + 1 : end) {
        end = strchrnul(path, '/');
        at = value_find(at, string_table_find(&profile->strings, (struct slice){path, (size_t)(end - path)}));
    }
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (at)
        print_json(out, profile, at);
    fclose(out);
    assert_string_equal(text, json);
    free(text);
}
