#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/chunk.h"
#include "session/reader.h"
#include "support/session_draw.h"
#include "support/session_dump.h"

struct fixture {
    char folder[64];
    char path[PATH_MAX];
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    session_folder_make(fixture->folder);
    snprintf(fixture->path, sizeof fixture->path, "%s/4711-0.sonde", fixture->folder);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    session_folder_remove(fixture->folder);
    free(fixture);
    return 0;
}

static void write_at(const char *path, uint64_t offset, const void *bytes, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, length, (off_t)offset), length);
    close(fd);
}

static void expect_refused(const char *path, int code, const char *message)
{
    struct error error = {0};
    assert_null(session_file_open(path, &error));
    assert_int_equal(error.code, code);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, message));
}

struct seen {
    unsigned entries, pauses, last_pause, stop_after;
    unsigned chunks; /* of samples */
    double progress;
};

static int see_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    struct seen *seen = data;
    seen->entries++;
    if (entry->kind == ENTRY_PAUSE) {
        seen->pauses++;
        seen->last_pause = (unsigned)entry->time;
    }
    return seen->entries == seen->stop_after ? 5 : 0;
}

static void see_chunk(void *data)
{
    struct seen *seen = data;
    seen->chunks++;
}

static void see_progress(void *data, double share)
{
    struct seen *seen = data;
    assert_true(share > seen->progress && share <= 1);
    seen->progress = share;
}

static const struct session_visitor visitor = {.entry = see_entry, .chunk_changed = see_chunk, .progress = see_progress};

static int visit(const char *path, struct seen *seen, struct session_reading *reading)
{
    struct error error = {0};
    *seen = (struct seen){.stop_after = seen->stop_after};
    struct session_file *file = session_file_open(path, &error);
    if (!file)
        fail_msg("%s", error.message);
    int result = session_file_visit(file, &visitor, seen, reading, &error);
    session_file_close(file);
    return result;
}

/* --- what is no session file --------------------------------------------------------------------------------------- */

static void what_is_no_session_file_is_refused(void **state)
{
    struct fixture *fixture = *state;
    static const char garbage[5000] = "sonde\r\n, but not quite";
    expect_refused(fixture->path, -ENOENT, "No such file");
    write_at(fixture->path, 0, garbage, sizeof garbage);
    expect_refused(fixture->path, -EINVAL, "not a session file");
    expect_refused(fixture->folder, -EINVAL, "not a session file");
    unlink(fixture->path);
    /* Opening a pipe that nobody writes to would wait forever. */
    assert_int_equal(mkfifo(fixture->path, 0600), 0);
    expect_refused(fixture->path, -EINVAL, "not a session file");
}

static void a_header_cut_anywhere_is_refused(void **state)
{
    struct fixture *fixture = *state;
    session_draw(fixture->folder, "pause 1\n", NULL);
    for (off_t length = (off_t)sizeof(struct session_file_header) - 1; length > 0; length -= 7) {
        assert_int_equal(truncate(fixture->path, length), 0);
        expect_refused(fixture->path, -EINVAL, "not a session file");
    }
}

static void another_version_is_refused_by_its_number(void **state)
{
    struct fixture *fixture = *state;
    session_draw(fixture->folder, "pause 1\n", NULL);
    write_at(fixture->path, offsetof(struct session_file_header, version), &(uint32_t){99}, 4);
    expect_refused(fixture->path, -EINVAL, "version 99");
}

/* --- what is in a file --------------------------------------------------------------------------------------------- */

static void kept_entries_come_first_then_samples_then_markers_each_in_order(void **state)
{
    struct fixture *fixture = *state;
    session_draw(fixture->folder,
                 "marker 1 a instant=1ms\n"
                 "pause 2ms\n"
                 "thread 1 Main\n"
                 "chunk markers\n"
                 "marker 1 b instant=3ms\n"
                 "chunk kept\n"
                 "thread 2 Other\n"
                 "chunk samples\n"
                 "pause 4ms\n",
                 NULL);
    char *text = session_dump(fixture->path, NULL);
    assert_string_equal(text, "thread 1 Main\n"
                              "thread 2 Other\n"
                              "pause 2ms\n"
                              "chunk samples\n"
                              "pause 4ms\n"
                              "marker 1 a instant=1ms\n"
                              "marker 1 b instant=3ms\n");
    free(text);
}

static void the_header_is_read_as_it_is_now(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    struct session_draw *draw = session_draw_open(fixture->folder);
    struct session_file *file = session_file_open(session_draw_path(draw), &error);
    struct session_file_header header;
    session_file_header(file, &header);
    assert_int_equal(header.state, SESSION_RECORDING);
    assert_int_equal(header.pid, 4711);
    session_draw_header(draw)->state = SESSION_PAUSED;
    session_draw_header(draw)->statistics[STATISTIC_LOOKS] = 12;
    session_file_header(file, &header);
    assert_int_equal(header.state, SESSION_PAUSED);
    assert_int_equal(header.statistics[STATISTIC_LOOKS], 12);
    session_draw_close(draw);
    /* What is cut off is as it was when the file was opened. */
    assert_int_equal(truncate(fixture->path, 10), 0);
    session_file_header(file, &header);
    assert_int_equal(header.pid, 4711);
    session_file_close(file);
}

static void the_reading_is_counted(void **state)
{
    struct fixture *fixture = *state;
    session_draw(fixture->folder, "thread 1 Main\npause 7ms\nchunk samples\npause 8ms\nmarker 1 a instant=9ms\n", NULL);
    struct seen seen = {0};
    struct session_reading reading;
    assert_int_equal(visit(fixture->path, &seen, &reading), 0);
    assert_int_equal(seen.entries, 4);
    assert_int_equal(reading.chunks_read, 4);
    assert_int_equal(reading.chunks_missed, 0);
    assert_int_equal(reading.bad_entries, 0);
    /* Chunks are taken at the time of what was drawn before. */
    assert_int_equal(reading.oldest_ns, 7000000);
    assert_true(seen.progress > 0.999);
}

static void an_empty_session_has_nothing(void **state)
{
    struct fixture *fixture = *state;
    session_draw(fixture->folder, "", NULL);
    struct seen seen = {0};
    struct session_reading reading;
    assert_int_equal(visit(fixture->path, &seen, &reading), 0);
    assert_int_equal(seen.entries, 0);
    assert_true(reading.oldest_ns == UINT64_MAX);
}

static void a_visitor_ends_the_reading(void **state)
{
    struct fixture *fixture = *state;
    session_draw(fixture->folder, "pause 1\npause 2\npause 3\n", NULL);
    struct seen seen = {.stop_after = 2};
    struct session_reading reading;
    assert_int_equal(visit(fixture->path, &seen, &reading), 5);
    assert_int_equal(seen.entries, 2);
}

/* --- damage -------------------------------------------------------------------------------------------------------- */

/* Where the chunk with this sequence number stands. */
static uint64_t chunk_of(const char *path, uint64_t sequence)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t found = 0, offset = SESSION_HEADER_BYTES;
    while (found != sequence) {
        assert_int_equal(pread(fd, &found, sizeof found, (off_t)offset), sizeof found);
        offset += CHUNK_BYTES;
    }
    close(fd);
    return offset - CHUNK_BYTES;
}

/* Three chunks of samples with ten entries each (sequence numbers 1 to 3), then one of markers. */
static void draw_pauses(const char *folder)
{
    struct session_draw *draw = session_draw_open(folder);
    for (unsigned i = 1; i <= 30; i++) {
        char line[64];
        snprintf(line, sizeof line, "%spause %u\n", i == 11 || i == 21 ? "chunk samples\n" : "", i);
        session_draw_text(draw, line);
    }
    session_draw_text(draw, "marker 1 a instant=40\n");
    session_draw_close(draw);
}

static void a_bad_entry_costs_the_rest_of_its_chunk(void **state)
{
    struct fixture *fixture = *state;
    draw_pauses(fixture->folder);
    /* An entry takes three bytes here: size, kind, time. The fifth of the second chunk gets kind 0. */
    write_at(fixture->path, chunk_of(fixture->path, 2) + CHUNK_HEADER_BYTES + 4 * 3 + 1, "", 1);
    struct seen seen = {0};
    struct session_reading reading;
    assert_int_equal(visit(fixture->path, &seen, &reading), 0);
    assert_int_equal(seen.pauses, 24);
    assert_int_equal(seen.last_pause, 30);
    assert_int_equal(seen.entries, 25);
    assert_int_equal(reading.bad_entries, 1);
}

static void a_chunk_that_says_it_holds_more_than_it_can_is_read_as_far_as_it_goes(void **state)
{
    struct fixture *fixture = *state;
    draw_pauses(fixture->folder);
    write_at(fixture->path, chunk_of(fixture->path, 1) + offsetof(struct chunk_header, used), &(uint32_t){UINT32_MAX}, 4);
    struct seen seen = {0};
    struct session_reading reading;
    assert_int_equal(visit(fixture->path, &seen, &reading), 0);
    assert_int_equal(seen.pauses, 30);
    assert_int_equal(reading.bad_entries, 1);
}

static void a_chunk_of_an_unknown_kind_is_left_out(void **state)
{
    struct fixture *fixture = *state;
    draw_pauses(fixture->folder);
    write_at(fixture->path, chunk_of(fixture->path, 2) + offsetof(struct chunk_header, kind), &(uint32_t){99}, 4);
    struct seen seen = {0};
    struct session_reading reading;
    assert_int_equal(visit(fixture->path, &seen, &reading), 0);
    assert_int_equal(seen.pauses, 20);
    assert_int_equal(seen.chunks, 2);
    assert_int_equal(reading.bad_chunks, 1);
}

static void a_file_cut_anywhere_gives_what_is_there(void **state)
{
    struct fixture *fixture = *state;
    draw_pauses(fixture->folder);
    unsigned before = 31;
    struct seen seen = {0};
    struct session_reading reading;
    for (uint64_t length = chunk_of(fixture->path, 4) + CHUNK_HEADER_BYTES + 20; length >= SESSION_HEADER_BYTES;) {
        assert_int_equal(truncate(fixture->path, (off_t)length), 0);
        assert_int_equal(visit(fixture->path, &seen, &reading), 0);
        assert_true(seen.entries <= before);
        before = seen.entries;
        /* Byte by byte where something stands, in steps where nothing does. */
        uint64_t in_chunk = (length - SESSION_HEADER_BYTES) % CHUNK_BYTES;
        length -= in_chunk > 200 ? 60 : 1;
    }
    assert_int_equal(before, 0);
}

static void a_file_that_says_it_has_more_chunks_than_there_are_is_read(void **state)
{
    struct fixture *fixture = *state;
    draw_pauses(fixture->folder);
    write_at(fixture->path, offsetof(struct session_file_header, chunk_count), &(uint32_t){UINT32_MAX}, 4);
    struct seen seen = {0};
    struct session_reading reading;
    assert_int_equal(visit(fixture->path, &seen, &reading), 0);
    assert_int_equal(seen.entries, 31);
}

static void a_huge_hole_is_skipped_at_once(void **state)
{
    struct fixture *fixture = *state;
    draw_pauses(fixture->folder);
    write_at(fixture->path, offsetof(struct session_file_header, chunk_count), &(uint32_t){UINT32_MAX}, 4);
    /* As large as the file system allows. */
    off_t size = (off_t)1 << 47;
    while (truncate(fixture->path, size) != 0)
        size /= 2;
    struct seen seen = {0};
    struct session_reading reading;
    alarm(60);
    assert_int_equal(visit(fixture->path, &seen, &reading), 0);
    alarm(0);
    assert_int_equal(seen.entries, 31);
}

static void a_file_damaged_anywhere_is_read_without_harm(void **state)
{
    struct fixture *fixture = *state;
    session_draw(
        fixture->folder,
        "thread 1 Main\ntype 1 T\nfield a input=text\nmarker 1 b instant=1 type=1 a=b stack=0x1,label:x\n"
        "pause 1\nsample 1 2 0x1 label:\"a b\"@1 js:f@f.js:1:1@2\nlook 5 3 waiting cpu=5 0x2\nchunk samples\npause 2\n",
        NULL);
    int fd = open(fixture->path, O_RDWR | O_CLOEXEC);
    srand(1);
    for (int round = 0; round < 3000; round++) {
        /* Somewhere in the file's header, or in the first bytes of one of the first chunks. */
        uint64_t offset = rand() % 4 == 0 ? (uint64_t)(rand() % (int)sizeof(struct session_file_header))
                                          : chunk_of(fixture->path, 1 + (unsigned)rand() % 4) + (unsigned)rand() % 160;
        uint8_t was, now = (uint8_t)rand();
        assert_int_equal(pread(fd, &was, 1, (off_t)offset), 1);
        assert_int_equal(pwrite(fd, &now, 1, (off_t)offset), 1);
        struct error error = {0};
        struct session_file *file = session_file_open(fixture->path, &error);
        assert_true(file || error.code != 0);
        if (file) {
            struct seen seen = {0};
            struct session_reading reading;
            assert_int_equal(session_file_visit(file, &visitor, &seen, &reading, &error), 0);
            session_file_close(file);
        }
        assert_int_equal(pwrite(fd, &was, 1, (off_t)offset), 1);
    }
    close(fd);
}

/* --- while it is written ------------------------------------------------------------------------------------------- */

struct meddler {
    struct seen seen;
    struct chunk_manager *manager;
    const char *path;
};

static int recycle_at_first(void *data, const struct any_entry *entry, struct error *error)
{
    struct meddler *meddler = data;
    if (meddler->seen.entries == 0)
        for (uint64_t i = 0; i < 40; i++) {
            struct chunk *chunk = chunk_manager_take(meddler->manager, CHUNK_SAMPLES, 1000);
            chunk_manager_give_back(meddler->manager, chunk, 1000);
        }
    return see_entry(&meddler->seen, entry, error);
}

static void chunks_recycled_under_the_readers_hands_are_left_out_and_counted(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    struct session_draw *draw = session_draw_open_with(
        &(struct chunk_manager_options){.folder = fixture->folder, .pid = 4711, .limit_bytes = 16 * CHUNK_BYTES});
    session_draw_text(draw, "thread 1 Main\n");
    for (int i = 1; i <= 10; i++) {
        char line[64];
        snprintf(line, sizeof line, "chunk samples\npause %d\n", i);
        session_draw_text(draw, line);
    }
    struct meddler meddler = {.manager = session_draw_manager(draw)};
    struct session_file *file = session_file_open(fixture->path, &error);
    struct session_reading reading;
    struct session_visitor meddling = {.entry = recycle_at_first, .chunk_changed = see_chunk};
    assert_int_equal(session_file_visit(file, &meddling, &meddler, &reading, &error), 0);
    /* The chunk that was being written is still there. */
    assert_int_equal(meddler.seen.pauses, 1);
    assert_int_equal(meddler.seen.last_pause, 10);
    assert_int_equal(meddler.seen.chunks, 1);
    assert_int_equal(reading.chunks_missed, 9);
    session_file_close(file);
    session_draw_close(draw);
}

static int cut_at_first(void *data, const struct any_entry *entry, struct error *error)
{
    struct meddler *meddler = data;
    if (meddler->seen.entries == 0)
        assert_int_equal(truncate(meddler->path, (off_t)chunk_of(meddler->path, 1) + CHUNK_BYTES + 4), 0);
    return see_entry(&meddler->seen, entry, error);
}

static void a_file_cut_short_while_it_is_read_does_no_harm(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    draw_pauses(fixture->folder);
    struct meddler meddler = {.path = fixture->path};
    struct session_file *file = session_file_open(fixture->path, &error);
    struct session_reading reading;
    struct session_visitor meddling = {.entry = cut_at_first};
    assert_int_equal(session_file_visit(file, &meddling, &meddler, &reading, &error), 0);
    assert_int_equal(meddler.seen.pauses, 10);
    assert_int_equal(reading.chunks_missed, 3);
    session_file_close(file);
}

/* --- folders ------------------------------------------------------------------------------------------------------- */

struct names {
    char text[300];
    unsigned count, stop_after;
};

static int add_name(void *data, const char *path, struct error *error)
{
    (void)error;
    struct names *names = data;
    strcat(names->text, strrchr(path, '/') + 1);
    strcat(names->text, " ");
    return ++names->count == names->stop_after ? 3 : 0;
}

static int add_look(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    struct names *names = data;
    char text[32] = "module ";
    if (entry->kind == ENTRY_LOOK)
        snprintf(text, sizeof text, "look%d ", entry->look.tid);
    strcat(names->text, text);
    return 0;
}

static void make_file(const char *folder, int pid, uint64_t start)
{
    struct error error = {0};
    chunk_manager_free(chunk_manager_create(
        &(struct chunk_manager_options){.folder = folder, .pid = pid, .start_monotonic_ns = start}, &error));
    assert_int_equal(error.code, 0);
}

static void the_files_of_a_folder_come_by_their_start(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t ms = 1000000;
    make_file(fixture->folder, 10, 500 * ms);
    make_file(fixture->folder, 9, 900 * ms);
    /* The programs that 11 became, one after the other: it was started by 10, in the same hundredth of a second. */
    for (int i = 0; i < 11; i++)
        make_file(fixture->folder, 11, 500 * ms - (uint64_t)i);
    make_file(fixture->folder, 12, 100 * ms);
    /* A later process with the same number as one that is gone. */
    make_file(fixture->folder, 12, 9000 * ms);
    static const char *others[] = {"12-0.sonde.bak", "x-0.sonde", "12-.sonde", "profile.json", "7-0.sonde"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(fixture->path, sizeof fixture->path, "%s/%s", fixture->folder, others[i]);
        write_at(fixture->path, 0, "?", 1);
    }
    struct names names = {0};
    struct error error = {0};
    assert_int_equal(session_folder_visit(fixture->folder, add_name, &names, &error), 0);
    /* What cannot be read comes last: whoever opens it will say why. */
    assert_string_equal(names.text, "12-0.sonde 10-0.sonde 11-0.sonde 11-1.sonde 11-2.sonde 11-3.sonde 11-4.sonde 11-5.sonde "
                                    "11-6.sonde 11-7.sonde 11-8.sonde 11-9.sonde 11-10.sonde 9-0.sonde 12-1.sonde 7-0.sonde ");
    names = (struct names){.stop_after = 2};
    assert_int_equal(session_folder_visit(fixture->folder, add_name, &names, &error), 3);
    assert_string_equal(names.text, "12-0.sonde 10-0.sonde ");
}

static char *dump_owner(struct session_file *file, uint64_t owner)
{
    struct names names = {0};
    struct session_reading reading;
    struct error error = {0};
    const struct session_visitor looks = {.entry = add_look};
    assert_int_equal(session_file_visit_owner(file, owner, &looks, &names, &reading, &error), 0);
    assert_int_equal(reading.bad_entries + reading.bad_chunks + reading.chunks_missed, 0);
    return strdup(names.text);
}

static void the_looks_are_no_process_and_are_read_for_one_at_a_time(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    make_file(fixture->folder, 10, 5);
    session_draw_looks(fixture->folder, "owner 10-0\nlook 1 1ms running\nmodule 1 /lib/a 0x1000-0x2000\n"
                                        "owner 10-1\nlook 2 2ms waiting 0x1\n"
                                        "owner 10-0\nlook 3 3ms running\n");
    struct names names = {0};
    assert_int_equal(session_folder_visit(fixture->folder, add_name, &names, &error), 0);
    assert_string_equal(names.text, "10-0.sonde ");

    char path[PATH_MAX], looks[PATH_MAX];
    uint64_t owner;
    snprintf(path, sizeof path, "%s/10-1.sonde", fixture->folder);
    assert_true(session_looks_path(path, looks, &owner));
    assert_true(owner == session_owner(10, 1));
    assert_false(session_looks_path("/somewhere/else", looks, &owner));
    assert_true(session_looks_path("10-1.sonde", looks, &owner));
    assert_string_equal(looks, "looks");
    assert_true(session_looks_path(path, looks, &owner));

    struct session_file *file = session_file_open(looks, &error);
    assert_non_null(file);
    static const struct {
        uint64_t owner;
        const char *text;
    } expected[] = {
        {(uint64_t)10 << 32, "module look1 look3 "},
        {(uint64_t)10 << 32 | 1, "look2 "},
        {(uint64_t)10 << 32 | 2, ""},
        {0, ""},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char *text = dump_owner(file, expected[i].owner);
        assert_string_equal(text, expected[i].text);
        free(text);
    }
    session_file_close(file);
}

static void a_folder_that_is_none_is_an_error(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    assert_int_equal(session_folder_visit("/proc/nowhere", add_name, NULL, &error), -ENOENT);
    assert_string_equal(error.message, "/proc/nowhere: No such file or directory");
    write_at(fixture->path, 0, "?", 1);
    error = (struct error){0};
    assert_int_equal(session_folder_visit(fixture->path, add_name, NULL, &error), -ENOTDIR);
}

static void a_file_whose_process_was_killed_before_it_wrote_the_header_is_left_out(void **state)
{
    struct fixture *fixture = *state;
    static const char zeros[SESSION_HEADER_BYTES];
    for (size_t length = 0; length <= sizeof zeros; length += sizeof zeros) {
        write_at(fixture->path, 0, zeros, length);
        expect_refused(fixture->path, -ENODATA, "nothing was recorded");
        struct error error = {0};
        assert_int_equal(session_folder_visit(fixture->folder, add_name, NULL, &error), 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_no_session_file_is_refused),
        TEST(a_header_cut_anywhere_is_refused),
        TEST(another_version_is_refused_by_its_number),
        TEST(kept_entries_come_first_then_samples_then_markers_each_in_order),
        TEST(the_header_is_read_as_it_is_now),
        TEST(the_reading_is_counted),
        TEST(an_empty_session_has_nothing),
        TEST(a_visitor_ends_the_reading),
        TEST(a_bad_entry_costs_the_rest_of_its_chunk),
        TEST(a_chunk_that_says_it_holds_more_than_it_can_is_read_as_far_as_it_goes),
        TEST(a_chunk_of_an_unknown_kind_is_left_out),
        TEST(a_file_cut_anywhere_gives_what_is_there),
        TEST(a_file_that_says_it_has_more_chunks_than_there_are_is_read),
        TEST(a_huge_hole_is_skipped_at_once),
        TEST(a_file_damaged_anywhere_is_read_without_harm),
        TEST(chunks_recycled_under_the_readers_hands_are_left_out_and_counted),
        TEST(a_file_cut_short_while_it_is_read_does_no_harm),
        TEST(the_files_of_a_folder_come_by_their_start),
        TEST(the_looks_are_no_process_and_are_read_for_one_at_a_time),
        TEST(a_folder_that_is_none_is_an_error),
        TEST(a_file_whose_process_was_killed_before_it_wrote_the_header_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
