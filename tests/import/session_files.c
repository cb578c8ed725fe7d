/* Folders and files of sessions, with the processes that they tell of. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "drawn.h"
#include "import/importer.h"
#include "import/session.h"
#include "support/session_draw.h"
#include "support/session_profile.h"

static void draw_image(const char *folder, const char *text, enum session_state state, uint64_t end_ns)
{
    struct chunk_manager_options options = {
        .folder = folder, .pid = 10, .limit_bytes = 1 << 20, .start_monotonic_ns = 1000000000, .interval_ns = 1000000};
    struct session_draw *draw = session_draw_open_with(&options);
    session_draw_text(draw, text);
    session_draw_header(draw)->state = state;
    session_draw_header(draw)->end_ns = end_ns;
    session_draw_close(draw);
}

static void a_process_that_becomes_another_program_ends_and_begins_there(void **state)
{
    (void)state;
    char folder[64];
    struct profile profile;
    struct error error = {0};
    session_folder_make(folder);
    draw_image(folder, "process one\n" MAIN "sample 1 1ms label:a\n", SESSION_REPLACED, 4000000);
    draw_image(folder, "process two\nthread 1 Main tid=10 main sampled time=5ms\nsample 1 6ms label:a\n", SESSION_REPLACED,
               9000000);
    profile_init(&profile);
    assert_int_equal(session_import(folder, NULL, &profile, &error), 0);
    assert_int_equal(profile.threads.count, 2);
    assert_true(profile.threads.items[0].process_startup_time == 0);
    assert_true(profile.threads.items[0].process_shutdown_time == 4);
    assert_true(profile.threads.items[1].process_startup_time == 5);
    assert_true(profile.threads.items[1].process_shutdown_time == 9);
    /* The first was followed by a file of the same process, the second was not. */
    assert_meta(&profile, "sonde/quality/notes", "[\"1 program became another one (exec) that could not be recorded\"]");
    profile_free(&profile);
    session_folder_remove(folder);
}

static void a_process_without_an_entry_of_its_end_ended_when_its_file_says(void **state)
{
    (void)state;
    char folder[64];
    struct profile profile;
    struct error error = {0};
    session_folder_make(folder);
    draw_image(folder, "process one\n" MAIN "thread 2 other tid=11 sampled time=1ms\nmarker 2 m instant=2ms\n", SESSION_ENDED,
               4000000);
    profile_init(&profile);
    assert_int_equal(session_import(folder, NULL, &profile, &error), 0);
    assert_int_equal(profile.threads.count, 2);
    assert_true(profile.threads.items[0].unregister_time == 4);
    assert_true(profile.threads.items[0].process_shutdown_time == 4);
    assert_true(isnan(profile.threads.items[1].unregister_time));
    assert_true(profile.threads.items[1].process_shutdown_time == 4);
    assert_meta(&profile, "sonde/quality/notes", "[]");
    profile_free(&profile);
    session_folder_remove(folder);
}

static void an_entry_of_the_end_says_more_than_the_file(void **state)
{
    (void)state;
    char folder[64];
    struct profile profile;
    struct error error = {0};
    session_folder_make(folder);
    draw_image(folder, "process one\n" MAIN "thread-end 1 time=3ms\n", SESSION_ENDED, 4000000);
    profile_init(&profile);
    assert_int_equal(session_import(folder, NULL, &profile, &error), 0);
    assert_true(profile.threads.items[0].unregister_time == 3);
    assert_true(profile.threads.items[0].process_shutdown_time == 3);
    profile_free(&profile);
    session_folder_remove(folder);
}

static void a_process_that_became_a_brief_one_ends_with_that(void **state)
{
    (void)state;
    char folder[64];
    struct profile profile;
    struct error error = {0};
    session_folder_make(folder);
    draw_image(folder, "process one\n" MAIN, SESSION_REPLACED, 4000000);
    draw_image(folder, "process two\nthread 1 Main tid=10 main sampled time=5ms\n", SESSION_ENDED, 9000000);
    profile_init(&profile);
    assert_int_equal(session_import(folder, NULL, &profile, &error), 0);
    assert_int_equal(profile.threads.count, 2);
    assert_true(isnan(profile.threads.items[0].unregister_time));
    assert_true(profile.threads.items[0].process_shutdown_time == 4);
    assert_true(profile.threads.items[1].process_startup_time == 5);
    assert_true(profile.threads.items[1].unregister_time == 9);
    assert_true(profile.threads.items[1].process_shutdown_time == 9);
    profile_free(&profile);
    session_folder_remove(folder);
}

static void the_processes_of_a_folder_share_one_clock(void **state)
{
    (void)state;
    char folder[64];
    session_folder_make(folder);
    struct chunk_manager_options options = {
        .folder = folder,
        .pid = 10,
        .limit_bytes = 1 << 20,
        .start_monotonic_ns = 1000000000,
        .start_realtime_ns = UINT64_C(1700000000000000000),
        .interval_ns = 1000000,
    };
    struct session_draw *draw = session_draw_open_with(&options);
    session_draw_text(draw, "process one\n" MAIN "sample 1 1ms label:a\n");
    session_draw_close(draw);
    options.pid = 11;
    options.start_monotonic_ns += 5000000;
    draw = session_draw_open_with(&options);
    session_draw_text(draw, "process two\n" MAIN "sample 1 1ms label:a\nmarker 1 m instant=2ms\n");
    session_draw_close(draw);

    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(folder, NULL, &profile, &error), 0);
    assert_int_equal(profile.threads.count, 2);
    assert_rows(&profile, 0, "1 a 1ms cpu\n");
    assert_rows(&profile, 1, "6 a 1ms cpu\n");
    assert_markers(&profile, 1, "m instant 7 Other\n");
    assert_string_equal(text_of(&profile, profile.threads.items[1].process_name), "two");
    assert_true(profile.threads.items[1].process_startup_time == 5);
    profile_free(&profile);
    session_folder_remove(folder);
}

static void draw_process(const char *folder, int32_t pid, const char *text)
{
    struct chunk_manager_options options = {
        .folder = folder, .pid = pid, .limit_bytes = 1 << 20, .start_monotonic_ns = 1000000000, .interval_ns = 1000000};
    struct session_draw *draw = session_draw_open_with(&options);
    session_draw_text(draw, text);
    session_draw_header(draw)->end_ns = 9000000000;
    session_draw_close(draw);
}

static void a_pause_of_several_processes_is_one_of_the_session(void **state)
{
    (void)state;
    char folder[64];
    struct profile profile;
    struct error error = {0};
    session_folder_make(folder);
    draw_process(folder, 10, "process one\n" MAIN "sample 1 1ms label:a\npause 1s\nresume 2s\n");
    draw_process(folder, 11, "process two\n" MAIN "sample 1 1ms label:a\npause 1s\nresume 2s\npause 4s\nresume 6s\n");
    draw_process(folder, 12, "process three\n" MAIN "sample 1 1ms label:a\npause 4s\nresume 6s\n");
    profile_init(&profile);
    assert_int_equal(session_import(folder, NULL, &profile, &error), 0);
    assert_meta(&profile, "sonde/quality/notes", "[\"paused 2 times, 3.0 s in all\"]");
    profile_free(&profile);
    session_folder_remove(folder);
}

static void processes_are_called_by_their_arguments_where_there_are_several(void **state)
{
    (void)state;
    char folder[64];
    session_folder_make(folder);
    struct chunk_manager_options options = {.folder = folder, .pid = 10, .limit_bytes = 1 << 20, .start_monotonic_ns = 1};
    struct session_draw *draw = session_draw_open_with(&options);
    struct any_entry entry = {
        .kind = ENTRY_PROCESS,
        .process = {SLICE("gcc-cc1"), SLICE("/usr/lib/gcc-cc1"), SLICE("/usr/lib/cc1\0-quiet\0a\tb.c\0")},
    };
    session_draw_entry(draw, &entry);
    session_draw_text(draw, MAIN);
    session_draw_close(draw);

    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(folder, NULL, &profile, &error), 0);
    assert_string_equal(text_of(&profile, profile.threads.items[0].process_name), "cc1");
    profile_free(&profile);

    options.pid = 11;
    draw = session_draw_open_with(&options);
    session_draw_text(draw, "process sleep\n" MAIN);
    session_draw_close(draw);
    profile_init(&profile);
    assert_int_equal(import_file(folder, NULL, &profile, &error), 0);
    assert_string_equal(text_of(&profile, profile.threads.items[0].process_name), "cc1 -quiet a b.c");
    assert_string_equal(text_of(&profile, profile.threads.items[1].process_name), "sleep");
    assert_string_equal(text_of(&profile, profile.meta.product), "cc1");
    profile_free(&profile);
    session_folder_remove(folder);
}

static void a_process_with_the_number_of_one_that_is_gone_is_another(void **state)
{
    (void)state;
    char folder[64];
    session_folder_make(folder);
    struct chunk_manager_options options = {.folder = folder, .pid = 10, .limit_bytes = 1 << 20, .start_monotonic_ns = 1};
    struct session_draw *draw = session_draw_open_with(&options);
    session_draw_text(draw, "process one\n" MAIN);
    session_draw_close(draw);
    options.start_monotonic_ns += 60000000000;
    draw = session_draw_open_with(&options);
    session_draw_text(draw, "process two\n" MAIN);
    session_draw_header(draw)->end_ns = 1;
    session_draw_close(draw);

    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(folder, NULL, &profile, &error), 0);
    assert_string_equal(text_of(&profile, profile.threads.items[1].pid), "10.1");
    assert_true(profile.threads.items[1].process_startup_time == 60000);
    assert_meta(&profile, "sonde/quality/notes",
                "[\"1 of 2 recordings have no end: their processes were killed, or still run\"]");
    profile_free(&profile);
    session_folder_remove(folder);
}

static void processes_that_were_never_looked_at_are_said(void **state)
{
    (void)state;
    char folder[64];
    session_folder_make(folder);
    for (int i = 0; i < 3; i++) {
        struct chunk_manager_options options = {
            .folder = folder, .pid = 10 + i, .limit_bytes = 1 << 20, .start_monotonic_ns = 1};
        struct session_draw *draw = session_draw_open_with(&options);
        session_draw_text(draw, "process one\n" MAIN);
        if (i == 1)
            session_draw_text(draw, "look 101 1ms waiting label:a\n");
        session_draw_header(draw)->end_ns = 1;
        session_draw_close(draw);
    }
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(folder, NULL, &profile, &error), 0);
    assert_meta(&profile, "sonde/quality/notes", "[\"2 of 3 programs ended before their first sample\"]");
    profile_free(&profile);
    session_folder_remove(folder);
}

static void processes_share_frames_and_stacks(void **state)
{
    (void)state;
    char folder[64];
    session_folder_make(folder);
    static const char *const places[] = {"0x1000-0x5000", "0x7000-0xb000"};
    static const char *const stacks[] = {"0x1100 0x1200 label:a", "0x7100 0x7200 label:a"};
    for (int i = 0; i < 2; i++) {
        char text[500];
        struct chunk_manager_options options = {.folder = folder, .pid = 10 + i, .limit_bytes = 1 << 20};
        struct session_draw *draw = session_draw_open_with(&options);
        snprintf(text, sizeof text, "module 1 /bin/app %s build-id=c0ffee\n" MAIN "sample 1 1ms %s\n", places[i], stacks[i]);
        session_draw_text(draw, text);
        session_draw_close(draw);
    }
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(folder, NULL, &profile, &error), 0);
    assert_int_equal(profile.libs.rows.count, 1);
    assert_int_equal(frame_count(&profile.frames), 3);
    assert_int_equal(stack_count(&profile.stacks), 3);
    profile_free(&profile);
    session_folder_remove(folder);
}

static void a_process_that_became_another_program_is_two_with_one_end(void **state)
{
    (void)state;
    char folder[64];
    session_folder_make(folder);
    struct chunk_manager_options options = {.folder = folder, .pid = 10, .limit_bytes = 1 << 20, .start_monotonic_ns = 1};
    struct session_draw *draw = session_draw_open_with(&options);
    session_draw_text(draw, "process one\nthread 1 Main tid=10 main sampled\n");
    session_draw_close(draw);
    options.start_monotonic_ns++;
    draw = session_draw_open_with(&options);
    session_draw_text(draw, "process two\nthread 1 Main tid=10 main sampled\n");
    session_draw_header(draw)->end_ns = 1;
    session_draw_close(draw);

    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(folder, NULL, &profile, &error), 0);
    assert_string_equal(text_of(&profile, profile.threads.items[0].pid), "10");
    assert_string_equal(text_of(&profile, profile.threads.items[1].pid), "10.1");
    assert_string_equal(text_of(&profile, profile.threads.items[1].tid), "10.1");
    assert_meta(&profile, "sonde/quality/notes", "[]");
    profile_free(&profile);
    session_folder_remove(folder);
}

static void a_session_is_recognised_in_a_stream_of_bytes(void **state)
{
    (void)state;
    char folder[64], path[PATH_MAX];
    session_draw(session_folder_make(folder), MAIN "sample 1 1ms label:a\n", path);
    struct profile profile;
    struct error error = {0};
    struct byte_source *source = byte_source_open(path, NULL, &error);
    profile_init(&profile);
    assert_int_equal(import_profile(source, &profile, &error), 0);
    byte_source_close(source);
    assert_rows(&profile, 0, "1 a 1ms cpu\n");
    profile_free(&profile);
    session_folder_remove(folder);
}

static void a_folder_without_a_session_is_an_error(void **state)
{
    (void)state;
    char folder[64];
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(session_folder_make(folder), NULL, &profile, &error), -ENOENT);
    assert_string_equal(error.message, "there is no session in this folder");
    profile_free(&profile);
    session_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_becomes_another_program_ends_and_begins_there),
        cmocka_unit_test(a_process_without_an_entry_of_its_end_ended_when_its_file_says),
        cmocka_unit_test(an_entry_of_the_end_says_more_than_the_file),
        cmocka_unit_test(a_process_that_became_a_brief_one_ends_with_that),
        cmocka_unit_test(the_processes_of_a_folder_share_one_clock),
        cmocka_unit_test(a_pause_of_several_processes_is_one_of_the_session),
        cmocka_unit_test(processes_are_called_by_their_arguments_where_there_are_several),
        cmocka_unit_test(a_process_with_the_number_of_one_that_is_gone_is_another),
        cmocka_unit_test(processes_that_were_never_looked_at_are_said),
        cmocka_unit_test(processes_share_frames_and_stacks),
        cmocka_unit_test(a_process_that_became_another_program_is_two_with_one_end),
        cmocka_unit_test(a_session_is_recognised_in_a_stream_of_bytes),
        cmocka_unit_test(a_folder_without_a_session_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
