/* Runs a target plainly and recorded, and holds the results against each other:
 *
 *     targets ENDING PROGRAM CHECKED_PROGRAM [ARGUMENT]
 *
 * ENDING is how it has to end: "exit status 0". CHECKED_PROGRAM is the same target built with AddressSanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "left_behind.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* But for those that switch something off. */
#define ALL_FEATURES "default,js,unregisteredthreads,processcpu,power,cpufreq,bandwidth,memory,flows"

static const char *ending, *plain_program, *checked_program, *argument;

static void run(const char *program, const char *const *settings, struct ended *ended)
{
    const char *words[] = {program, argument, NULL};
    program_run(&(struct program){.words = words, .settings = settings}, ended);
}

/* What a target says for people: lines that begin with "note:". Anything else on standard error is a complaint. */
static void assert_no_complaint(char *errors)
{
    for (char *line = errors, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (strncmp(line, "note:", 5) != 0)
            fail_msg("on standard error: %s", line);
        print_message("%.*s", (int)(next - line), line);
    }
}

static void the_program_works_by_itself(void **state)
{
    (void)state;
    struct ended ended;
    run(plain_program, NULL, &ended);
    fputs(ended.output, stdout); /* print_message() cuts long texts */
    assert_string_equal(status_text(ended.status), ending);
    assert_no_complaint(ended.errors);
    ended_free(&ended);
}

static void assert_same(const struct ended *plain, const struct ended *recorded)
{
    if (recorded->status != plain->status || strcmp(recorded->output, plain->output) != 0) {
        printf("plain (%s):\n%s%s", status_text(plain->status), plain->output, plain->errors);
        printf("recorded (%s):\n%s%s", status_text(recorded->status), recorded->output, recorded->errors);
        fail_msg("being recorded changed what the program does");
    }
}

static void print_figures(const struct left_behind *left)
{
    const uint64_t *figures = left->statistics;
    print_message(
        "note: %lu files, %lu threads, samples: %lu by events, %lu by ticks, %lu lost; %lu looks, %lu stacks truncated\n",
        left->files, left->threads, figures[STATISTIC_SAMPLES_EVENT], figures[STATISTIC_SAMPLES_TICK],
        figures[STATISTIC_SAMPLES_LOST], figures[STATISTIC_LOOKS], figures[STATISTIC_STACKS_TRUNCATED]);
}

static void assert_same_when_recorded(const char *program, const char *interval, const char *features, bool checked)
{
    char folder[200], session[300], every[100], what[200];
    folder_make(folder, sizeof folder);
    snprintf(session, sizeof session, "SONDE_SESSION=%s", folder);
    snprintf(every, sizeof every, "SONDE_STARTUP_INTERVAL=%s", interval);
    snprintf(what, sizeof what, "SONDE_STARTUP_FEATURES=%s", features);
    /* Leaks are not the question, and looking for them stops threads in ways of its own. */
    static const char sanitizer[] = "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0";
    const char *settings[] = {"LD_PRELOAD=" PRELOAD, "SONDE_STARTUP=1", session, every, what, sanitizer, NULL};
    struct ended plain, recorded;
    run(program, settings + 5, &plain);
    run(program, settings, &recorded);
    assert_same(&plain, &recorded);
    if (!checked)
        assert_no_complaint(recorded.errors);
    struct left_behind left;
    left_behind_read(folder, &left);
    print_figures(&left);
    assert_true(left.threads > 0);
    /* What is counted is there; one that was just written when the program ended may not be counted. */
    const uint64_t *figures = left.statistics;
    uint64_t counted = figures[STATISTIC_SAMPLES_EVENT] + figures[STATISTIC_SAMPLES_TICK];
    if (figures[STATISTIC_CHUNKS_RECYCLED] == 0)
        assert_in_range(left.samples, counted, counted + left.threads);
    folder_remove(folder);
    ended_free(&plain);
    ended_free(&recorded);
}

/* A process that records itself opens files in /proc, to look at its threads: for a moment they have the lowest number. */
static void skip_if_it_counts_on_descriptors(void)
{
    if (strstr(plain_program, "chaos_descriptors"))
        skip();
}

static void the_result_is_the_same_at_1_kHz(void **state)
{
    (void)state;
    skip_if_it_counts_on_descriptors();
    assert_same_when_recorded(plain_program, "1", "default", false);
}

static void the_result_is_the_same_at_10_kHz_with_all_features(void **state)
{
    (void)state;
    skip_if_it_counts_on_descriptors();
    assert_same_when_recorded(plain_program, "0.1", ALL_FEATURES, false);
}

static void the_result_is_the_same_with_checked_memory(void **state)
{
    (void)state;
    skip_if_it_counts_on_descriptors();
    assert_same_when_recorded(checked_program, "1", "default", true);
}

/* `option` of sonde record; NULL = none. */
static void assert_same_under_sonde_record(const char *program, const char *option)
{
    char folder[200], profile[300];
    folder_make(folder, sizeof folder);
    snprintf(profile, sizeof profile, "%s/profile.json.gz", folder);
    struct ended plain, recorded, info;
    run(program, NULL, &plain);
    const char *words[] = {SONDE, "record", "--save-only", "-o", profile, option ? option : "--no-symbols",
                           "--",  program,  argument,      NULL};
    program_run(&(struct program){.words = words}, &recorded);
    assert_same(&plain, &recorded);
    const char *look[] = {SONDE, "info", profile, NULL};
    program_run(&(struct program){.words = look}, &info);
    if (info.status != 0)
        fail_msg("sonde info cannot read the profile: %s", info.errors);
    folder_remove(folder);
    ended_free(&plain);
    ended_free(&recorded);
    ended_free(&info);
}

static void the_result_is_the_same_under_sonde_record(void **state)
{
    (void)state;
    assert_same_under_sonde_record(plain_program, NULL);
}

static void the_result_is_the_same_with_sampled_allocations(void **state)
{
    (void)state;
    assert_same_under_sonde_record(plain_program, "--allocations");
}

static void the_result_is_the_same_with_all_allocations(void **state)
{
    (void)state;
    assert_same_under_sonde_record(plain_program, "--allocations=all");
}

static void the_result_is_the_same_with_many_sampled_allocations_and_mappings(void **state)
{
    (void)state;
    assert_same_under_sonde_record(plain_program, "--allocations=64,maps");
}

/* Which finds out by itself what AddressSanitizer has to be told. */
static void the_result_is_the_same_with_checked_memory_under_sonde_record(void **state)
{
    (void)state;
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    assert_same_under_sonde_record(checked_program, NULL);
}

/* Which keeps its own allocator. */
static void the_result_is_the_same_with_checked_memory_and_allocations(void **state)
{
    (void)state;
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    assert_same_under_sonde_record(checked_program, "--allocations");
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: targets ENDING PROGRAM CHECKED_PROGRAM [ARGUMENT]\n", stderr);
        return 2;
    }
    ending = argv[1];
    plain_program = argv[2];
    checked_program = argv[3];
    argument = argv[4];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_works_by_itself),
        cmocka_unit_test(the_result_is_the_same_at_1_kHz),
        cmocka_unit_test(the_result_is_the_same_at_10_kHz_with_all_features),
        cmocka_unit_test(the_result_is_the_same_with_checked_memory),
        cmocka_unit_test(the_result_is_the_same_under_sonde_record),
        cmocka_unit_test(the_result_is_the_same_with_sampled_allocations),
        cmocka_unit_test(the_result_is_the_same_with_many_sampled_allocations_and_mappings),
        cmocka_unit_test(the_result_is_the_same_with_all_allocations),
        cmocka_unit_test(the_result_is_the_same_with_checked_memory_under_sonde_record),
        cmocka_unit_test(the_result_is_the_same_with_checked_memory_and_allocations),
    };
    return cmocka_run_group_tests_name(plain_program, tests, NULL, NULL);
}
