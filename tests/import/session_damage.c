/* Sessions of which a part is damaged: that part is missing, and said to be. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "drawn.h"
#include "import/session.h"
#include "session/format.h"
#include "support/failing_alloc.h"
#include "support/session_draw.h"
#include "support/session_profile.h"

struct fixture {
    char folder[64], path[PATH_MAX];
};

/* A folder with a process that has a chunk of what others refer to, two of samples and one of markers. */
static int setup(void **state)
{
    static struct fixture fixture;
    session_draw(session_folder_make(fixture.folder),
                 MAIN "sample 1 1ms label:a\n"
                      "chunk samples\nsample 1 2ms label:b\nsample 1 3ms label:b\n"
                      "marker 1 m instant=1ms\nmarker 1 n instant=2ms\n",
                 fixture.path);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    session_folder_remove(fixture->folder);
    return 0;
}

/* A file beside it. */
static const char *put_beside(struct fixture *fixture, const char *name, const void *bytes, size_t length)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", fixture->folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
    close(fd);
    return path;
}

/* Which chunk has which sequence number, as setup() draws them; they are in the file one behind the other. */
enum { KEPT = 1, SAMPLES, MORE_SAMPLES, MARKERS };

static off_t chunk_of(const struct fixture *fixture, uint64_t sequence)
{
    int fd = open(fixture->path, O_RDONLY | O_CLOEXEC);
    off_t offset = SESSION_HEADER_BYTES;
    uint64_t found;
    while (pread(fd, &found, sizeof found, offset) == sizeof found && found != sequence)
        offset += CHUNK_BYTES;
    close(fd);
    assert_int_equal(found, sequence);
    return offset;
}

static void overwrite(const struct fixture *fixture, off_t offset, const void *bytes, size_t length)
{
    int fd = open(fixture->path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0 && pwrite(fd, bytes, length, offset) == (ssize_t)length);
    close(fd);
}

static void read_folder(const struct fixture *fixture, struct profile *profile)
{
    struct error error = {0};
    profile_init(profile);
    if (session_import(fixture->folder, NULL, profile, &error) != 0)
        fail_msg("%s", error.message);
}

#define NO_END "\"the recording has no end: the program was killed, or still runs\""
#define ALL_ROWS "1 a 1ms cpu\n2 b 1ms cpu\n3 b 1ms cpu\n"
#define ALL_MARKERS "m instant 1 Other\nn instant 2 Other\n"

static void expect(const struct fixture *fixture, const char *rows, const char *markers, const char *notes)
{
    struct profile profile;
    read_folder(fixture, &profile);
    assert_int_equal(profile.threads.count, 1);
    assert_rows(&profile, 0, rows);
    assert_markers(&profile, 0, markers);
    assert_meta(&profile, "sonde/quality/notes", notes);
    profile_free(&profile);
}

static void an_entry_that_was_being_written_is_not_there_and_nothing_is_lost(void **state)
{
    const struct fixture *fixture = *state;
    static const unsigned char half[] = {0x30, ENTRY_MARKER, 1, 2, 3};
    uint32_t used;
    off_t header = chunk_of(fixture, MARKERS) + (off_t)offsetof(struct chunk_header, used);
    int fd = open(fixture->path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(pread(fd, &used, sizeof used, header), sizeof used);
    close(fd);
    overwrite(fixture, chunk_of(fixture, MARKERS) + CHUNK_HEADER_BYTES + used, half, sizeof half);
    expect(fixture, ALL_ROWS, ALL_MARKERS, "[" NO_END "]");
    /* One that was published all the same costs itself. */
    overwrite(fixture, header, &(uint32_t){used + sizeof half}, sizeof used);
    expect(fixture, ALL_ROWS, ALL_MARKERS, "[" NO_END ",\"4711-0.sonde is damaged in 1 place\"]");
}

static void a_torn_chunk_header_costs_the_chunk(void **state)
{
    const struct fixture *fixture = *state;
    overwrite(fixture, chunk_of(fixture, MORE_SAMPLES) + (off_t)offsetof(struct chunk_header, kind), &(uint32_t){0xffff}, 4);
    expect(fixture, "1 a 1ms cpu\n", ALL_MARKERS, "[" NO_END ",\"4711-0.sonde is damaged in 1 place\"]");
}

static void a_chunk_that_says_it_is_longer_than_chunks_are_has_its_entries(void **state)
{
    const struct fixture *fixture = *state;
    overwrite(fixture, chunk_of(fixture, MARKERS) + (off_t)offsetof(struct chunk_header, used), &(uint32_t){UINT32_MAX}, 4);
    expect(fixture, ALL_ROWS, ALL_MARKERS, "[" NO_END ",\"4711-0.sonde is damaged in 1 place\"]");
}

static void a_chunk_whose_header_was_not_written_is_not_there(void **state)
{
    const struct fixture *fixture = *state;
    static const char zeros[CHUNK_HEADER_BYTES];
    overwrite(fixture, chunk_of(fixture, MARKERS), zeros, sizeof zeros);
    expect(fixture, ALL_ROWS, "", "[" NO_END "]");
}

static void a_file_that_was_cut_off_has_the_chunks_before(void **state)
{
    const struct fixture *fixture = *state;
    off_t markers = chunk_of(fixture, MARKERS), samples = chunk_of(fixture, MORE_SAMPLES);
    assert_int_equal(truncate(fixture->path, markers), 0);
    expect(fixture, ALL_ROWS, "", "[" NO_END ",\"4711-0.sonde is damaged in 1 place\"]");
    /* In the middle of an entry. */
    assert_int_equal(truncate(fixture->path, samples + CHUNK_HEADER_BYTES + 1), 0);
    expect(fixture, "1 a 1ms cpu\n", "", "[" NO_END ",\"4711-0.sonde is damaged in 2 places\"]");
}

static void a_file_without_a_header_is_a_process_that_had_not_begun(void **state)
{
    struct fixture *fixture = *state;
    static const char zeros[SESSION_HEADER_BYTES];
    put_beside(fixture, "12-0.sonde", "", 0);
    expect(fixture, ALL_ROWS, ALL_MARKERS,
           "[" NO_END ",\"1 process was killed before anything was recorded, or just started\"]");
    put_beside(fixture, "13-0.sonde", zeros, sizeof zeros);
    expect(fixture, ALL_ROWS, ALL_MARKERS,
           "[" NO_END ",\"2 processes were killed before anything was recorded, or just started\"]");
}

static void a_file_of_garbage_costs_itself(void **state)
{
    struct fixture *fixture = *state;
    char garbage[10000];
    for (size_t i = 0; i < sizeof garbage; i++)
        garbage[i] = (char)(i * 7 + 1);
    put_beside(fixture, "12-0.sonde", garbage, sizeof garbage);
    put_beside(fixture, "13-0.sonde", garbage, 3);
    expect(fixture, ALL_ROWS, ALL_MARKERS,
           "[" NO_END ",\"12-0.sonde: not a session file\",\"13-0.sonde: not a session file\"]");
}

static void a_file_of_another_version_costs_itself(void **state)
{
    struct fixture *fixture = *state;
    struct session_file_header header = {.version = 99};
    memcpy(header.magic, SESSION_MAGIC, sizeof header.magic);
    put_beside(fixture, "12-0.sonde", &header, sizeof header);
    struct profile profile;
    read_folder(fixture, &profile);
    assert_int_equal(profile.threads.count, 1);
    profile_free(&profile);
}

static void a_folder_or_pipe_in_the_place_of_a_file_costs_nothing_else(void **state)
{
    struct fixture *fixture = *state;
    char folder[PATH_MAX], pipe[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/12-0.sonde", fixture->folder);
    snprintf(pipe, sizeof pipe, "%s/13-0.sonde", fixture->folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    expect(fixture, ALL_ROWS, ALL_MARKERS,
           "[" NO_END ",\"12-0.sonde: not a session file\",\"13-0.sonde: not a session file\"]");
    assert_int_equal(rmdir(folder), 0);
}

static void many_damaged_files_are_named_up_to_a_number(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d-0.sonde", 100 + i);
        put_beside(fixture, name, "garbage", 7);
    }
    struct profile profile;
    read_folder(fixture, &profile);
    assert_int_equal(profile.threads.count, 1);
    char notes[4000] = "[" NO_END;
    for (int i = 0; i < 20; i++)
        snprintf(notes + strlen(notes), sizeof notes - strlen(notes), ",\"%d-0.sonde: not a session file\"", 100 + i);
    strcat(notes, ",\"80 more files are damaged\"]");
    assert_meta(&profile, "sonde/quality/notes", notes);
    profile_free(&profile);
}

static void a_folder_with_nothing_that_can_be_read_says_why(void **state)
{
    struct fixture *fixture = *state;
    struct profile profile;
    struct error error = {0};
    assert_int_equal(truncate(fixture->path, 0), 0);
    profile_init(&profile);
    assert_int_equal(session_import(fixture->folder, NULL, &profile, &error), -ENODATA);
    assert_string_equal(error.message, "nothing was recorded: the program was killed before, or has just started");
    profile_free(&profile);
    overwrite(fixture, 0, "garbage", 7);
    profile_init(&profile);
    error = (struct error){0};
    assert_int_equal(session_import(fixture->folder, NULL, &profile, &error), -EINVAL);
    assert_string_equal(error.message, "4711-0.sonde: not a session file");
    profile_free(&profile);
}

static int import_damaged(void *data, struct error *error)
{
    struct fixture *fixture = data;
    struct profile profile;
    profile_init(&profile);
    int failed = session_import(fixture->folder, NULL, &profile, error);
    profile_free(&profile);
    return failed;
}

static void no_memory_for_the_notes_is_a_clean_error(void **state)
{
    struct fixture *fixture = *state;
    put_beside(fixture, "12-0.sonde", "garbage", 7);
    overwrite(fixture, chunk_of(fixture, MORE_SAMPLES) + (off_t)offsetof(struct chunk_header, kind), &(uint32_t){0xffff}, 4);
    assert_true(assert_survives_failing_allocations(import_damaged, fixture) > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_entry_that_was_being_written_is_not_there_and_nothing_is_lost),
        TEST(a_torn_chunk_header_costs_the_chunk),
        TEST(a_chunk_that_says_it_is_longer_than_chunks_are_has_its_entries),
        TEST(a_chunk_whose_header_was_not_written_is_not_there),
        TEST(a_file_that_was_cut_off_has_the_chunks_before),
        TEST(a_file_without_a_header_is_a_process_that_had_not_begun),
        TEST(a_file_of_garbage_costs_itself),
        TEST(a_file_of_another_version_costs_itself),
        TEST(a_folder_or_pipe_in_the_place_of_a_file_costs_nothing_else),
        TEST(many_damaged_files_are_named_up_to_a_number),
        TEST(a_folder_with_nothing_that_can_be_read_says_why),
        TEST(no_memory_for_the_notes_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
