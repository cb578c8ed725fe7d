/* What a file has that nobody needs goes back to the system, and what it holds can be read as before. */
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

#include "session/format.h"
#include "session/reader.h"
#include "session/trim.h"
#include "support/session_draw.h"
#include "support/session_profile.h"

struct trimming {
    char folder[64], path[PATH_MAX];
    int fd;
};

/* As if the process had been killed: it did not give anything back itself. Behind the chunks that were ever taken there is no
 * disk space. */
static int copy_whole(const char *from, const char *to, uint32_t chunks)
{
    static char bytes[CHUNK_BYTES];
    struct stat status;
    int source = open(from, O_RDONLY | O_CLOEXEC), fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(source >= 0 && fd >= 0);
    assert_int_equal(read(source, bytes, SESSION_HEADER_BYTES), SESSION_HEADER_BYTES);
    assert_int_equal(write(fd, bytes, SESSION_HEADER_BYTES), SESSION_HEADER_BYTES);
    for (uint32_t i = 0; i < chunks; i++) {
        assert_int_equal(read(source, bytes, sizeof bytes), sizeof bytes);
        assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    }
    assert_int_equal(fstat(source, &status), 0);
    assert_int_equal(ftruncate(fd, status.st_size), 0);
    close(source);
    return fd;
}

/* 40 chunks of markers, of which the first ones are full, and some that were never used. */
static int begin(void **state)
{
    struct trimming *trimming = calloc(1, sizeof *trimming);
    session_folder_make(trimming->folder);
    struct session_draw *draw = session_draw_open(trimming->folder);
    session_draw_text(draw, "process app\nthread 1 Main tid=1 main sampled time=0\n");
    struct chunk_manager *manager = session_draw_manager(draw);
    for (uint64_t i = 1; i <= 40; i++) {
        struct chunk *chunk = chunk_manager_take(manager, CHUNK_MARKERS, i);
        assert_non_null(chunk);
        for (uint8_t *room; (i <= 20 || chunk->header.used < 100) && (room = chunk_reserve(chunk, 16));)
            chunk_commit(chunk, 16, entry_write_time(room, 16, ENTRY_PAUSE, i));
        chunk_manager_give_back(manager, chunk, i);
    }
    chunk_manager_prepare(manager);
    snprintf(trimming->path, sizeof trimming->path, "%s/4711-1.sonde", trimming->folder);
    trimming->fd = copy_whole(session_draw_path(draw), trimming->path, chunk_manager_header(manager)->chunk_count);
    session_draw_close(draw);
    *state = trimming;
    return 0;
}

static int end(void **state)
{
    struct trimming *trimming = *state;
    close(trimming->fd);
    session_folder_remove(trimming->folder);
    free(trimming);
    return 0;
}

struct seen {
    uint64_t entries, chunks, bytes;
    uint32_t number[100];
    uint64_t done[100];
};

static int count_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    ((struct seen *)data)->entries += entry->kind == ENTRY_PAUSE;
    return 0;
}

static uint64_t count_entries(const char *path)
{
    struct seen seen = {0};
    struct session_reading reading;
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    assert_non_null(file);
    assert_int_equal(session_file_visit(file, &(struct session_visitor){.entry = count_entry}, &seen, &reading, &error), 0);
    assert_int_equal(reading.bad_entries, 0);
    session_file_close(file);
    return seen.entries;
}

static void see_chunk(void *data, const struct trimmed_chunk *chunk)
{
    struct seen *seen = data;
    seen->bytes += chunk->bytes;
    assert_true(seen->chunks < 100);
    seen->number[seen->chunks] = chunk->number;
    seen->done[seen->chunks++] = chunk->done_ns;
}

static void what_is_not_used_goes_and_what_is_stays(void **state)
{
    struct trimming *trimming = *state;
    uint64_t before = (uint64_t)disk_bytes(trimming->path), entries = count_entries(trimming->path);
    struct seen seen = {0};
    assert_int_equal(session_trim(trimming->fd, see_chunk, &seen), 0);
    assert_true((uint64_t)disk_bytes(trimming->path) < before);
    /* A file system may need a block for the list of pieces. */
    assert_in_range((uint64_t)disk_bytes(trimming->path), SESSION_HEADER_BYTES + seen.bytes,
                    SESSION_HEADER_BYTES + seen.bytes + 8192);
    assert_int_equal(count_entries(trimming->path), entries);
    /* Those of markers, and what the text above is in. */
    assert_true(seen.chunks >= 41);
}

static void a_second_time_there_is_nothing_to_do(void **state)
{
    struct trimming *trimming = *state;
    struct seen first = {0}, second = {0};
    assert_int_equal(session_trim(trimming->fd, see_chunk, &first), 0);
    uint64_t bytes = (uint64_t)disk_bytes(trimming->path);
    assert_int_equal(session_trim(trimming->fd, see_chunk, &second), 0);
    assert_int_equal((uint64_t)disk_bytes(trimming->path), bytes);
    assert_memory_equal(&first, &second, sizeof first);
}

static void a_chunk_can_be_thrown_away_by_itself(void **state)
{
    struct trimming *trimming = *state;
    struct seen seen = {0}, later = {0};
    assert_int_equal(session_trim(trimming->fd, see_chunk, &seen), 0);
    uint64_t bytes = (uint64_t)disk_bytes(trimming->path), entries = count_entries(trimming->path);
    uint64_t chunk = 0;
    while (seen.done[chunk] == 0)
        chunk++;
    session_trim_chunk(trimming->fd, seen.number[chunk]);
    assert_true((uint64_t)disk_bytes(trimming->path) < bytes);
    assert_true(count_entries(trimming->path) < entries);
    assert_int_equal(session_trim(trimming->fd, see_chunk, &later), 0);
    assert_int_equal(later.chunks, seen.chunks - 1);
}

static void what_is_no_session_file_stays_as_it_is(void **state)
{
    (void)state;
    char path[] = "/tmp/sonde-trim-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(session_trim(fd, NULL, NULL), -EINVAL);
    assert_int_equal(ftruncate(fd, 1 << 20), 0);
    assert_int_equal(session_trim(fd, NULL, NULL), -EINVAL);
    close(fd);
    unlink(path);
}

static void a_file_that_claims_to_be_huge_takes_no_time(void **state)
{
    struct trimming *trimming = *state;
    struct seen seen = {0}, before = {0};
    assert_int_equal(session_trim(trimming->fd, see_chunk, &before), 0);
    uint32_t count = 1 << 24; /* a TiB */
    assert_int_equal(ftruncate(trimming->fd, SESSION_HEADER_BYTES + (off_t)count * CHUNK_BYTES), 0);
    assert_int_equal(pwrite(trimming->fd, &count, sizeof count, offsetof(struct session_file_header, chunk_count)),
                     sizeof count);
    alarm(30);
    assert_int_equal(session_trim(trimming->fd, see_chunk, &seen), 0);
    alarm(0);
    assert_int_equal(seen.chunks, before.chunks);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(what_is_not_used_goes_and_what_is_stays),     TEST(a_second_time_there_is_nothing_to_do),
        TEST(a_chunk_can_be_thrown_away_by_itself),        TEST(what_is_no_session_file_stays_as_it_is),
        TEST(a_file_that_claims_to_be_huge_takes_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
