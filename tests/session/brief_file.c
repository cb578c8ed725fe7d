/* Files that say only who a process is, and when it ended; and what a chunk manager makes of them. */
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
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "managed.h"
#include "session/brief_file.h"
#include "session/reader.h"
#include "support/session_dump.h"

enum { PID = 7, TAKEN = 8192, MS = 1000000 };

static struct chunk_manager_options options_in(const struct managed *managed)
{
    return (struct chunk_manager_options){
        .folder = managed->folder,
        .pid = PID,
        .limit_bytes = (uint64_t)LIMIT * CHUNK_BYTES,
        .start_monotonic_ns = 1,
        .start_realtime_ns = 2,
        .interval_ns = 3,
    };
}

static void put_pause(struct chunk *chunk, uint64_t ms)
{
    uint8_t *room = chunk_reserve(chunk, 16);
    assert_non_null(room);
    chunk_commit(chunk, 16, entry_write_time(room, 16, ENTRY_PAUSE, ms * MS));
}

static struct chunk *make_chunk(void)
{
    static struct chunk chunk;
    memset(&chunk, 0, sizeof chunk);
    brief_file_limit(&chunk);
    put_pause(&chunk, 1);
    put_pause(&chunk, 2);
    return &chunk;
}

/* With two entries in it. */
static struct brief_file make(struct managed *managed)
{
    struct brief_file brief = {0};
    struct chunk_manager_options options = options_in(managed);
    if (brief_file_create(&brief, &options, make_chunk(), TAKEN, &managed->error) != 0)
        fail_msg("%s", managed->error.message);
    assert_true(brief.is_there);
    return brief;
}

static struct session_file_header header_of(const char *path)
{
    struct error error = {0};
    struct session_file_header header;
    struct session_file *file = session_file_open(path, &error);
    if (!file)
        fail_msg("%s", error.message);
    session_file_header(file, &header);
    session_file_close(file);
    return header;
}

static void assert_entries(const char *path, const char *expected)
{
    struct session_reading reading = {0};
    char *text = session_dump(path, &reading);
    assert_string_equal(text, expected);
    assert_int_equal(reading.bad_entries, 0);
    assert_int_equal(reading.bad_chunks, 0);
    free(text);
}

static void a_reader_finds_what_was_put(void **state)
{
    struct brief_file brief = make(*state);
    struct session_file_header header = header_of(brief.file.path);
    assert_int_equal(header.version, SESSION_VERSION);
    assert_int_equal(header.pid, PID);
    assert_int_equal(header.start_monotonic_ns, 1);
    assert_int_equal(header.start_realtime_ns, 2);
    assert_int_equal(header.interval_ns, 3);
    assert_int_equal(header.chunk_count, 1);
    assert_int_equal(header.state, SESSION_RECORDING);
    assert_int_equal(header.end_ns, 0);
    assert_int_equal(header.room_taken, TAKEN);
    assert_entries(brief.file.path, "pause 1ms\npause 2ms\n");
}

static void it_has_no_more_disk_space_than_it_says(void **state)
{
    struct brief_file brief = make(*state);
    uint64_t bytes = brief_file_bytes(make_chunk());
    assert_in_range(bytes, SESSION_HEADER_BYTES + 1, 16 << 10);
    assert_in_range(disk_bytes(brief.file.path), 0, bytes);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct chunk *chunk = make_chunk();
    while (chunk_reserve(chunk, 16))
        put_pause(chunk, 3);
    assert_in_range(brief_file_bytes(chunk), SESSION_HEADER_BYTES + 1, CHUNK_BYTES / 2);
}

static void assert_said(struct brief_file *brief, enum session_state said, uint64_t end_ns)
{
    brief_file_say(brief, said, end_ns);
    struct session_file_header header = header_of(brief->file.path);
    assert_int_equal(header.state, said);
    assert_int_equal(header.end_ns, end_ns);
    assert_int_equal(header.chunk_count, 1);
    assert_int_equal(header.interval_ns, 3);
    assert_int_equal(header.room_taken, TAKEN);
    assert_int_equal(header.statistics[STATISTIC_TICKS], 0);
    assert_entries(brief->file.path, "pause 1ms\npause 2ms\n");
}

static void it_says_how_the_process_ended_or_that_it_did_not(void **state)
{
    struct brief_file brief = make(*state);
    assert_said(&brief, SESSION_REPLACED, 4 * MS);
    assert_said(&brief, SESSION_RECORDING, 0);
    assert_said(&brief, SESSION_ENDED, 5 * MS);
}

static void it_is_open_only_while_it_is_written(void **state)
{
    struct brief_file brief = make(*state);
    assert_int_equal(brief.file.fd, -1);
    assert_said(&brief, SESSION_ENDED, 5 * MS);
    assert_int_equal(brief.file.fd, -1);
}

static struct chunk_manager *take_over(struct managed *managed, struct brief_file *brief)
{
    struct chunk_manager_options options = options_in(managed);
    options.brief = brief;
    struct chunk_manager *manager = chunk_manager_create(&options, &managed->error);
    if (!manager)
        fail_msg("%s", managed->error.message);
    assert_false(brief->is_there);
    return manager;
}

static void a_chunk_manager_goes_on_with_it(void **state)
{
    struct managed *managed = *state;
    struct brief_file brief = make(managed);
    char path[PATH_MAX];
    strcpy(path, brief.file.path);
    unsigned image = brief.file.image;
    struct chunk_manager *manager = take_over(managed, &brief);
    assert_string_equal(chunk_manager_path(manager), path);
    assert_int_equal(chunk_manager_image(manager), image);
    struct session_file_header header = header_of(path);
    assert_int_equal(header.room_taken, TAKEN);
    assert_int_equal(header.pid, PID);
    assert_int_equal(header.state, SESSION_RECORDING);
    struct chunk_manager_usage usage;
    chunk_manager_usage(manager, &usage);
    assert_int_equal(usage.bytes_taken, TAKEN);
    assert_true(usage.bytes_in_use > 0);
    assert_entries(path, "pause 1ms\npause 2ms\n");
    chunk_manager_free(manager);
}

static void what_comes_then_stands_behind_it(void **state)
{
    struct managed *managed = *state;
    struct brief_file brief = make(managed);
    struct chunk_manager *manager = take_over(managed, &brief);
    struct chunk *begun = chunk_manager_begun(manager);
    assert_non_null(begun);
    assert_int_equal(begun->header.kind, CHUNK_KEPT);
    put_pause(begun, 3);
    struct chunk *kept = chunk_manager_take(manager, CHUNK_KEPT, 4 * MS);
    struct chunk *samples = chunk_manager_take(manager, CHUNK_SAMPLES, 5 * MS);
    assert_true(kept && samples && kept != begun && samples != begun && samples != kept);
    assert_true(sequence_of(begun) < sequence_of(kept) && sequence_of(kept) < sequence_of(samples));
    assert_int_equal(kept->header.previous, sequence_of(begun));
    put_pause(samples, 6);
    put_pause(kept, 5);
    put_pause(begun, 4);
    assert_entries(chunk_manager_path(manager), "pause 1ms\npause 2ms\npause 3ms\npause 4ms\npause 5ms\npause 6ms\n");
    chunk_manager_give_back(manager, begun, 7 * MS);
    chunk_manager_free(manager);
}

static void the_chunk_that_was_begun_gets_its_whole_length(void **state)
{
    struct managed *managed = *state;
    struct brief_file brief = make(managed);
    struct chunk_manager *manager = take_over(managed, &brief);
    struct chunk *begun = chunk_manager_begun(manager);
    assert_true(chunk_manager_extend(manager, begun));
    assert_int_equal(chunk_room(begun), sizeof begun->bytes);
    while (chunk_reserve(begun, 16))
        put_pause(begun, 3);
    assert_int_equal(begun->header.used / 1024, sizeof begun->bytes / 1024);
    /* It is never recycled. */
    for (uint64_t i = 0; i < 2 * LIMIT; i++)
        use_one(manager, CHUNK_MARKERS, i + 1);
    assert_int_equal(sequence_of(begun), 1);
    assert_true(recycled(manager) > 0);
    chunk_manager_free(manager);
}

static void a_new_file_has_no_chunk_that_was_begun(void **state)
{
    struct managed *managed = *state;
    assert_null(chunk_manager_begun(managed->manager));
}

/* In a child, of which a signal would be the end. */
static int create_below(struct managed *managed, rlim_t bytes)
{
    struct brief_file brief = {0};
    struct chunk_manager_options options = options_in(managed);
    struct rlimit limit = {bytes, bytes};
    char path[PATH_MAX];
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    if (brief_file_create(&brief, &options, make_chunk(), TAKEN, &managed->error) != -EFBIG)
        return 2;
    if (brief.is_there || managed->error.code != -EFBIG || !strstr(managed->error.message, "7-0.sonde"))
        return 3;
    snprintf(path, sizeof path, "%s/7-0.sonde", managed->folder);
    return access(path, F_OK) == 0 ? 4 : 0;
}

static void where_files_may_not_be_so_long_there_is_none(void **state)
{
    static const rlim_t limits[] = {0, 100, SESSION_HEADER_BYTES, SESSION_HEADER_BYTES + CHUNK_BYTES - 1};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(create_below(*state, limits[i]));
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void a_folder_that_is_gone_is_an_error(void **state)
{
    struct managed *managed = *state;
    struct brief_file brief = {0};
    struct chunk_manager_options options = options_in(managed);
    options.folder = "/no/such/folder";
    assert_int_equal(brief_file_create(&brief, &options, make_chunk(), TAKEN, &managed->error), -ENOENT);
    assert_false(brief.is_there);
}

static void its_image_is_the_next_that_is_free(void **state)
{
    struct brief_file first = make(*state), second = make(*state);
    assert_int_equal(first.file.image, 0);
    assert_int_equal(second.file.image, 1);
    assert_non_null(strstr(first.file.path, "/7-0.sonde"));
    assert_non_null(strstr(second.file.path, "/7-1.sonde"));
}

int main(void)
{
    alarm(100);
    const struct CMUnitTest tests[] = {
        TEST(a_reader_finds_what_was_put),
        TEST(it_has_no_more_disk_space_than_it_says),
        TEST(what_does_not_fit_is_refused),
        TEST(it_says_how_the_process_ended_or_that_it_did_not),
        TEST(it_is_open_only_while_it_is_written),
        TEST(a_chunk_manager_goes_on_with_it),
        TEST(what_comes_then_stands_behind_it),
        TEST(the_chunk_that_was_begun_gets_its_whole_length),
        TEST(a_new_file_has_no_chunk_that_was_begun),
        TEST(where_files_may_not_be_so_long_there_is_none),
        TEST(a_folder_that_is_gone_is_an_error),
        TEST(its_image_is_the_next_that_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
