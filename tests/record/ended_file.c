/* What a process left when it ended: thrown away piece by piece, and what is left can be understood. */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "import/importer.h"
#include "record/ended_file.h"
#include "session/format.h"
#include "support/session_draw.h"
#include "support/session_profile.h"

enum { PID = 4711 };
static const uint64_t now = UINT64_C(1000) * 1000000000;

struct left {
    char folder[64], path[PATH_MAX];
    int fd; /* of the folder */
};

static int begin(void **state)
{
    struct left *left = calloc(1, sizeof *left);
    session_folder_make(left->folder);
    left->fd = open(left->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(left->fd >= 0);
    *state = left;
    return 0;
}

static int end(void **state)
{
    struct left *left = *state;
    close(left->fd);
    session_folder_remove(left->folder);
    free(left);
    return 0;
}

static const char drawing[] = "process app\n"
                              "thread 1 Main tid=1 main sampled time=0\n"
                              "marker 1 one instant=1ms\n"
                              "sample 1 1ms 0x1000\n"
                              "chunk samples\n"
                              "chunk markers\n"
                              "marker 1 two instant=2ms\n"
                              "sample 1 2ms 0x1000 0x1010\n"
                              "chunk samples\n"
                              "chunk markers\n"
                              "marker 1 three instant=3ms\n"
                              "sample 1 3ms 0x1000 0x1020\n";

static char *rows_of_drawing(const struct left *left, size_t *markers)
{
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(left->path, NULL, &profile, &error), 0);
    assert_int_equal(profile.threads.count, 1);
    *markers = marker_count(&profile.threads.items[0].markers);
    char *rows = session_profile_rows(&profile, 0);
    profile_free(&profile);
    return rows;
}

static void markers_go_piece_by_piece_and_samples_with_the_file(void **state)
{
    struct left *left = *state;
    size_t markers;
    session_draw(left->folder, drawing, left->path);
    char *before = rows_of_drawing(left, &markers);
    assert_int_equal(markers, 3);
    struct ended_file *file = ended_file_open(left->fd, PID, 0, now);
    assert_non_null(file);
    struct budget_file *share = &file->share;
    assert_int_equal(share->pieces.count, 4);
    for (size_t left_over = 3; left_over > 0; left_over--) {
        char *rows = rows_of_drawing(left, &markers);
        assert_string_equal(rows, before);
        assert_int_equal(markers, left_over);
        free(rows);
        share->next++;
        ended_file_cut(left->fd, file);
    }
    char *rows = rows_of_drawing(left, &markers);
    assert_string_equal(rows, before);
    assert_int_equal(markers, 0);
    free(rows);
    share->next++;
    ended_file_cut(left->fd, file);
    assert_int_equal(access(left->path, F_OK), -1);
    ended_file_free(file);
    free(before);
}

static void the_rest_of_a_file_is_as_young_as_its_last_samples(void **state)
{
    struct left *left = *state;
    struct session_draw *draw = session_draw_open(left->folder);
    session_draw_text(draw, "process app\n");
    struct chunk_manager *manager = session_draw_manager(draw);
    struct chunk *markers = chunk_manager_take(manager, CHUNK_MARKERS, 1), *samples[2];
    for (int i = 0; i < 2; i++)
        samples[i] = chunk_manager_take(manager, CHUNK_SAMPLES, 1);
    chunk_manager_give_back(manager, samples[1], 500);
    chunk_manager_give_back(manager, markers, 200);
    chunk_manager_give_back(manager, samples[0], 100);
    uint64_t start = session_draw_header(draw)->start_monotonic_ns;
    session_draw_close(draw);
    struct ended_file *file = ended_file_open(left->fd, PID, 0, now);
    assert_non_null(file);
    assert_int_equal(file->share.pieces.count, 2);
    assert_int_equal(file->share.pieces.items[0].done_ns, start + 200);
    assert_int_equal(file->share.pieces.items[1].done_ns, start + 500);
    ended_file_free(file);
}

static void a_file_is_left_when_nobody_can_write_it_any_more(void **state)
{
    struct left *left = *state;
    struct session_draw *draw = session_draw_open(left->folder);
    session_draw_text(draw, "process app\n");
    assert_false(ended_file_is_left(left->fd, PID, 0));
    snprintf(left->path, sizeof left->path, "%s", session_draw_path(draw));
    session_draw_close(draw);
    assert_true(ended_file_is_left(left->fd, PID, 0));

    /* Whoever reads it changes nothing; a mapping is enough to write. */
    int reader = open(left->path, O_RDONLY | O_CLOEXEC), writer = open(left->path, O_RDWR | O_CLOEXEC);
    assert_false(ended_file_is_left(left->fd, PID, 0));
    void *mapped = mmap(NULL, SESSION_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, writer, 0);
    close(writer);
    assert_false(ended_file_is_left(left->fd, PID, 0));
    assert_true(ended_file_is_written(left->fd, PID, 0));
    munmap(mapped, SESSION_HEADER_BYTES);
    assert_true(ended_file_is_left(left->fd, PID, 0));
    close(reader);
    assert_false(ended_file_is_written(left->fd, PID, 0));
    /* There is none. */
    assert_false(ended_file_is_left(left->fd, PID, 1) || ended_file_is_written(left->fd, PID, 1));
}

static void a_file_without_a_header_is_one_piece(void **state)
{
    struct left *left = *state;
    for (uint32_t image = 0; image < 2; image++) {
        char name[ENDED_NAME_MAX];
        ended_file_name(name, PID, image);
        int fd = openat(left->fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        /* Killed before, and after it had its disk space. */
        assert_int_equal(image == 0 ? 0 : posix_fallocate(fd, 0, 20 << 10), 0);
        close(fd);
        assert_true(ended_file_is_left(left->fd, PID, image));
        struct ended_look look = {.is_complete = true};
        assert_true(ended_file_look(left->fd, PID, image, &look));
        assert_false(look.is_complete);
        struct ended_file *file = ended_file_open(left->fd, PID, image, now);
        assert_non_null(file);
        assert_int_equal(file->share.pieces.count, 1);
        assert_int_equal(file->share.pieces.items[0].bytes, ended_file_bytes(left->fd, PID, image));
        file->share.next++;
        ended_file_cut(left->fd, file);
        assert_int_equal(faccessat(left->fd, name, F_OK, 0), -1);
        ended_file_free(file);
    }
}

static void what_is_no_session_file_is_left_alone(void **state)
{
    struct left *left = *state;
    char name[ENDED_NAME_MAX];
    ended_file_name(name, PID, 0);
    int fd = openat(left->fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, "something else", 14) == 14);
    close(fd);
    assert_null(ended_file_open(left->fd, PID, 0, now));
    assert_false(ended_file_is_left(left->fd, PID, 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(markers_go_piece_by_piece_and_samples_with_the_file),
        TEST(the_rest_of_a_file_is_as_young_as_its_last_samples),
        TEST(a_file_is_left_when_nobody_can_write_it_any_more),
        TEST(a_file_without_a_header_is_one_piece),
        TEST(what_is_no_session_file_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
