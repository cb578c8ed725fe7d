#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/chunk_manager.h"
#include "support/session_draw.h"

enum { LIMIT = 20, READY = 4 };

struct fixture {
    char folder[64];
    struct chunk_manager *manager;
    struct error error;
};

static struct chunk_manager *create(struct fixture *fixture, uint64_t limit_chunks)
{
    struct chunk_manager_options options = {
        .folder = fixture->folder,
        .pid = 42,
        .limit_bytes = limit_chunks * CHUNK_BYTES,
        .start_monotonic_ns = 1,
        .start_realtime_ns = 2,
        .interval_ns = 3,
    };
    return chunk_manager_create(&options, &fixture->error);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    session_folder_make(fixture->folder);
    fixture->manager = create(fixture, LIMIT);
    assert_non_null(fixture->manager);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    chunk_manager_free(fixture->manager);
    session_folder_remove(fixture->folder);
    free(fixture);
    return 0;
}

static uint64_t sequence_of(const struct chunk *chunk)
{
    return atomic_load(&chunk->header.sequence);
}

static uint32_t chunk_count(struct chunk_manager *manager)
{
    return atomic_load(&chunk_manager_header(manager)->chunk_count);
}

static uint64_t recycled(struct chunk_manager *manager)
{
    return atomic_load(&chunk_manager_header(manager)->statistics[STATISTIC_CHUNKS_RECYCLED]);
}

/* Takes a chunk and gives it back, at this time. */
static struct chunk *use_one(struct chunk_manager *manager, enum chunk_kind kind, uint64_t now)
{
    struct chunk *chunk = chunk_manager_take(manager, kind, now);
    assert_non_null(chunk);
    chunk_manager_give_back(manager, chunk, now);
    return chunk;
}

static off_t disk_bytes(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return (off_t)status.st_blocks * 512;
}

static void a_new_file_says_what_it_is(void **state)
{
    struct fixture *fixture = *state;
    const struct session_file_header *header = chunk_manager_header(fixture->manager);
    assert_memory_equal(header->magic, SESSION_MAGIC, 8);
    assert_int_equal(header->version, SESSION_VERSION);
    assert_int_equal(header->pid, 42);
    assert_int_equal(header->start_monotonic_ns, 1);
    assert_int_equal(header->start_realtime_ns, 2);
    assert_int_equal(header->interval_ns, 3);
    assert_int_equal(atomic_load(&header->state), SESSION_RECORDING);
    struct stat status;
    assert_int_equal(stat(chunk_manager_path(fixture->manager), &status), 0);
    assert_int_equal(status.st_size, SESSION_HEADER_BYTES + (off_t)chunk_count(fixture->manager) * CHUNK_BYTES);
    /* Nobody else reads what a program did. */
    assert_int_equal(status.st_mode & 0777, 0600);
    /* The disk space is there before anybody writes. */
    assert_true(disk_bytes(chunk_manager_path(fixture->manager)) >= status.st_size);
}

static void two_images_with_one_pid_have_two_files(void **state)
{
    struct fixture *fixture = *state;
    struct chunk_manager *second = create(fixture, LIMIT);
    const char *first_name = strrchr(chunk_manager_path(fixture->manager), '/');
    const char *second_name = strrchr(chunk_manager_path(second), '/');
    assert_string_equal(first_name, "/42-0.sonde");
    assert_string_equal(second_name, "/42-1.sonde");
    chunk_manager_free(second);
}

static void a_chunk_is_empty_and_says_when_it_was_taken_and_given_back(void **state)
{
    struct fixture *fixture = *state;
    struct chunk *chunk = chunk_manager_take(fixture->manager, CHUNK_SAMPLES, 100);
    assert_int_equal(atomic_load(&chunk->header.used), 0);
    assert_int_equal(atomic_load(&chunk->header.kind), CHUNK_SAMPLES);
    assert_int_equal(atomic_load(&chunk->header.start_ns), 100);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 0);
    chunk_manager_give_back(fixture->manager, chunk, 200);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 200);
}

static void sequence_numbers_rise_over_all_kinds(void **state)
{
    struct fixture *fixture = *state;
    for (uint64_t i = 1; i <= 100; i++)
        assert_int_equal(sequence_of(use_one(fixture->manager, (enum chunk_kind)(CHUNK_SAMPLES + i % 2), i)), i);
}

static void a_chunk_of_samples_names_the_one_before(void **state)
{
    struct fixture *fixture = *state;
    struct chunk *first = use_one(fixture->manager, CHUNK_SAMPLES, 1);
    use_one(fixture->manager, CHUNK_MARKERS, 2);
    struct chunk *second = use_one(fixture->manager, CHUNK_SAMPLES, 3);
    assert_int_equal(atomic_load(&first->header.previous), 0);
    assert_int_equal(atomic_load(&second->header.previous), sequence_of(first));
}

static void below_the_limit_nothing_is_recycled(void **state)
{
    struct fixture *fixture = *state;
    for (uint64_t i = 1; i <= LIMIT; i++)
        use_one(fixture->manager, CHUNK_MARKERS, i);
    assert_int_equal(recycled(fixture->manager), 0);
    assert_int_equal(chunk_count(fixture->manager), LIMIT);
}

static void at_the_limit_the_chunk_done_first_is_recycled_first(void **state)
{
    struct fixture *fixture = *state;
    struct chunk *chunks[LIMIT];
    for (size_t i = 0; i < LIMIT; i++)
        chunks[i] = chunk_manager_take(fixture->manager, CHUNK_MARKERS, i);
    /* Given back in another order than taken, and not in the order of their times either. */
    static const size_t by_age[LIMIT] = {7, 3, 19, 0, 12, 5, 11, 1, 18, 2, 4, 6, 8, 9, 10, 13, 14, 15, 16, 17};
    uint64_t age[LIMIT];
    for (size_t i = 0; i < LIMIT; i++)
        age[by_age[i]] = i;
    for (size_t i = 0; i < LIMIT; i++)
        chunk_manager_give_back(fixture->manager, chunks[i], 1000 + age[i]);
    for (size_t i = 0; i < LIMIT; i++) {
        assert_ptr_equal(chunk_manager_take(fixture->manager, CHUNK_MARKERS, 2000), chunks[by_age[i]]);
        assert_int_equal(recycled(fixture->manager), i + 1);
    }
    assert_int_equal(chunk_count(fixture->manager), LIMIT);
}

static void a_hundred_chunks_given_back_in_any_order_are_recycled_by_age(void **state)
{
    struct fixture *fixture = *state;
    struct chunk_manager *manager = create(fixture, 100);
    struct chunk *chunks[100];
    for (size_t i = 0; i < 100; i++)
        chunks[i] = chunk_manager_take(manager, CHUNK_MARKERS, 1);
    for (size_t i = 0; i < 100; i++)
        chunk_manager_give_back(manager, chunks[i], 1 + i * 37 % 100);
    for (uint64_t time = 1; time <= 100; time++) {
        struct chunk *chunk = chunk_manager_take(manager, CHUNK_MARKERS, 200);
        size_t i = 0;
        while (1 + i * 37 % 100 != time)
            i++;
        assert_ptr_equal(chunk, chunks[i]);
    }
    chunk_manager_free(manager);
}

static void a_recycled_chunk_is_as_new(void **state)
{
    struct fixture *fixture = *state;
    for (uint64_t i = 1; i <= LIMIT; i++) {
        struct chunk *chunk = chunk_manager_take(fixture->manager, CHUNK_MARKERS, i);
        chunk_reserve(chunk, 10);
        chunk_commit(chunk, 10, 10);
        chunk_manager_give_back(fixture->manager, chunk, i);
    }
    struct chunk *chunk = chunk_manager_take(fixture->manager, CHUNK_SAMPLES, 99);
    assert_int_equal(recycled(fixture->manager), 1);
    assert_int_equal(atomic_load(&chunk->header.used), 0);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 0);
    assert_int_equal(atomic_load(&chunk->header.start_ns), 99);
    assert_int_equal(atomic_load(&chunk->header.kind), CHUNK_SAMPLES);
    assert_int_equal(sequence_of(chunk), LIMIT + 1);
}

static void kept_chunks_are_never_recycled(void **state)
{
    struct fixture *fixture = *state;
    struct chunk *kept[3];
    for (size_t i = 0; i < 3; i++)
        kept[i] = use_one(fixture->manager, CHUNK_KEPT, 1);
    for (uint64_t i = 2; i < 200; i++)
        use_one(fixture->manager, CHUNK_MARKERS, i);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sequence_of(kept[i]), i + 1);
    chunk_manager_shrink(fixture->manager, 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sequence_of(kept[i]), i + 1);
    assert_int_equal(chunk_count(fixture->manager), LIMIT);
}

static void chunks_in_use_are_never_taken_away_even_beyond_the_limit(void **state)
{
    struct fixture *fixture = *state;
    enum { WRITERS = 50 };
    struct chunk *chunks[WRITERS];
    for (size_t i = 0; i < WRITERS; i++) {
        chunks[i] = chunk_manager_take(fixture->manager, CHUNK_MARKERS, i);
        assert_non_null(chunks[i]);
    }
    for (size_t i = 0; i < WRITERS; i++)
        assert_int_equal(sequence_of(chunks[i]), i + 1);
    uint32_t count = chunk_count(fixture->manager);
    assert_in_range(count, WRITERS, WRITERS + READY);
    /* Once they are given back the file grows no more. */
    for (size_t i = 0; i < WRITERS; i++)
        chunk_manager_give_back(fixture->manager, chunks[i], 100);
    for (uint64_t i = 0; i < 200; i++)
        use_one(fixture->manager, CHUNK_MARKERS, 200 + i);
    assert_int_equal(chunk_count(fixture->manager), count);
}

static void write_bytes(struct chunk *chunk, size_t bytes)
{
    uint8_t *out = chunk_reserve(chunk, bytes);
    assert_non_null(out);
    memset(out, 7, bytes);
    chunk_commit(chunk, bytes, bytes);
}

static void a_chunk_that_was_passed_on_goes_to_another_writer_with_what_is_in_it(void **state)
{
    struct fixture *fixture = *state;
    assert_null(chunk_manager_take_begun(fixture->manager));
    struct chunk *chunk = chunk_manager_take(fixture->manager, CHUNK_MARKERS, 5);
    write_bytes(chunk, 100);
    uint64_t sequence = sequence_of(chunk);
    uint32_t used = atomic_load(&chunk->header.used);
    chunk_manager_pass_on(fixture->manager, chunk, 6);
    /* Still being written, as far as readers and recycling are concerned. */
    assert_int_equal(atomic_load(&chunk->header.done_ns), 0);
    for (uint64_t i = 0; i < LIMIT * 2; i++)
        use_one(fixture->manager, CHUNK_MARKERS, 10 + i);
    assert_ptr_equal(chunk_manager_take_begun(fixture->manager), chunk);
    assert_null(chunk_manager_take_begun(fixture->manager));
    assert_int_equal(sequence_of(chunk), sequence);
    assert_int_equal(atomic_load(&chunk->header.used), used);
}

static void a_chunk_with_little_room_is_done_when_it_is_passed_on(void **state)
{
    struct fixture *fixture = *state;
    struct chunk *chunk = chunk_manager_take(fixture->manager, CHUNK_MARKERS, 5);
    write_bytes(chunk, sizeof chunk->bytes * 4 / 5);
    chunk_manager_pass_on(fixture->manager, chunk, 6);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 6);
    assert_null(chunk_manager_take_begun(fixture->manager));
}

static void of_many_chunks_that_were_passed_on_few_wait_and_the_others_are_done(void **state)
{
    struct fixture *fixture = *state;
    enum { MANY = 50 };
    struct chunk *chunks[MANY];
    for (size_t i = 0; i < MANY; i++)
        chunks[i] = chunk_manager_take(fixture->manager, CHUNK_MARKERS, i);
    size_t done = 0, waiting = 0;
    for (size_t i = 0; i < MANY; i++) {
        chunk_manager_pass_on(fixture->manager, chunks[i], 100);
        done += atomic_load(&chunks[i]->header.done_ns) != 0;
    }
    while (chunk_manager_take_begun(fixture->manager))
        waiting++;
    assert_in_range(waiting, 1, LIMIT);
    assert_int_equal(waiting + done, MANY);
}

static void at_least_16_chunks_are_allowed(void **state)
{
    struct fixture *fixture = *state;
    struct chunk_manager *manager = create(fixture, 0);
    for (uint64_t i = 1; i <= 16; i++)
        use_one(manager, CHUNK_MARKERS, i);
    assert_int_equal(recycled(manager), 0);
    use_one(manager, CHUNK_MARKERS, 17);
    assert_int_equal(recycled(manager), 1);
    assert_int_equal(chunk_count(manager), 16);
    chunk_manager_free(manager);
}

static void ready_chunks_are_there_from_the_start_and_run_out(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < READY; i++)
        assert_non_null(chunk_manager_take_ready(fixture->manager, CHUNK_MARKERS, 1));
    assert_null(chunk_manager_take_ready(fixture->manager, CHUNK_MARKERS, 1));
    /* The other way still gives some. */
    assert_non_null(chunk_manager_take(fixture->manager, CHUNK_MARKERS, 1));
    assert_null(chunk_manager_take_ready(fixture->manager, CHUNK_MARKERS, 1));
}

static void preparing_fills_up_what_was_taken(void **state)
{
    struct fixture *fixture = *state;
    for (int round = 0; round < 100; round++) {
        struct chunk *taken[READY];
        for (int i = 0; i < READY; i++) {
            taken[i] = chunk_manager_take_ready(fixture->manager, CHUNK_MARKERS, 1);
            assert_non_null(taken[i]);
        }
        assert_null(chunk_manager_take_ready(fixture->manager, CHUNK_MARKERS, 1));
        for (int i = 0; i < READY; i++)
            chunk_manager_give_back(fixture->manager, taken[i], (uint64_t)round);
        chunk_manager_prepare(fixture->manager);
        chunk_manager_prepare(fixture->manager);
    }
    assert_int_equal(chunk_count(fixture->manager), LIMIT);
}

static void a_ready_chunk_is_nothing_to_a_reader(void **state)
{
    struct fixture *fixture = *state;
    struct chunk *chunks[LIMIT];
    for (uint64_t i = 0; i < LIMIT; i++)
        chunks[i] = use_one(fixture->manager, CHUNK_MARKERS, i + 1);
    chunk_manager_prepare(fixture->manager);
    assert_int_equal(recycled(fixture->manager), READY);
    for (uint64_t i = 0; i < LIMIT; i++)
        assert_int_equal(sequence_of(chunks[i]), i < READY ? 0 : i + 1);
    struct chunk_manager_usage usage;
    chunk_manager_usage(fixture->manager, &usage);
    assert_int_equal(usage.bytes_in_use, 0);
    assert_int_equal(usage.bytes_done, (LIMIT - READY) * CHUNK_BYTES);
}

static void a_chunk_of_samples_goes_only_after_the_sampler_knew(void **state)
{
    struct fixture *fixture = *state;
    struct chunk_manager *manager = fixture->manager;
    assert_int_equal(chunk_manager_next_victim(manager, CHUNK_SAMPLES), 0);
    struct chunk *samples = use_one(manager, CHUNK_SAMPLES, 1);
    uint64_t sequence = sequence_of(samples);
    for (uint64_t i = 2; i <= 100; i++)
        use_one(manager, CHUNK_MARKERS, i);
    /* The oldest of all, but spared: markers go first. */
    assert_int_equal(sequence_of(samples), sequence);
    assert_int_equal(chunk_manager_next_victim(manager, CHUNK_SAMPLES), sequence);
    use_one(manager, CHUNK_MARKERS, 101);
    assert_int_equal(sequence_of(samples), sequence);
    chunk_manager_prepare(manager);
    use_one(manager, CHUNK_MARKERS, 102);
    assert_int_not_equal(sequence_of(samples), sequence);
}

static void where_there_are_only_samples_the_limit_holds_all_the_same(void **state)
{
    struct fixture *fixture = *state;
    for (uint64_t i = 1; i <= 100; i++)
        use_one(fixture->manager, CHUNK_SAMPLES, i);
    assert_int_equal(chunk_count(fixture->manager), LIMIT);
    assert_int_equal(recycled(fixture->manager), 100 - LIMIT);
}

static void the_next_victim_is_the_chunk_of_its_kind_that_goes_next(void **state)
{
    struct fixture *fixture = *state;
    struct chunk_manager *manager = fixture->manager;
    struct chunk *chunks[LIMIT];
    for (uint64_t i = 0; i < LIMIT; i++)
        chunks[i] = use_one(manager, i % 2 ? CHUNK_MARKERS : CHUNK_SAMPLES, i + 1);
    assert_int_equal(chunk_manager_next_victim(manager, CHUNK_KEPT), 0);
    assert_int_equal(chunk_manager_next_victim(manager, CHUNK_MARKERS), 2);
    assert_int_equal(chunk_manager_next_victim(manager, CHUNK_SAMPLES), 1);
    /* Four are recycled now: the named chunk of samples, and then the oldest ones of markers. */
    chunk_manager_prepare(manager);
    for (uint64_t i = 0; i < LIMIT; i++)
        assert_int_equal(sequence_of(chunks[i]), i == 0 || i == 1 || i == 3 || i == 5 ? 0 : i + 1);
    assert_int_equal(chunk_manager_next_victim(manager, CHUNK_MARKERS), 8);
    assert_int_equal(chunk_manager_next_victim(manager, CHUNK_SAMPLES), 3);
}

static void shrinking_throws_away_the_oldest_and_gives_their_disk_space_back(void **state)
{
    struct fixture *fixture = *state;
    struct chunk_manager *manager = fixture->manager;
    struct chunk *chunks[LIMIT];
    for (uint64_t i = 0; i < LIMIT; i++)
        chunks[i] = use_one(manager, CHUNK_MARKERS, i + 1);
    off_t before = disk_bytes(chunk_manager_path(manager));
    chunk_manager_shrink(manager, 5 * CHUNK_BYTES);
    assert_true(disk_bytes(chunk_manager_path(manager)) <= before - 15 * CHUNK_BYTES);
    for (uint64_t i = 0; i < LIMIT; i++)
        assert_int_equal(sequence_of(chunks[i]), i < 15 ? 0 : i + 1);
    struct chunk_manager_usage usage;
    chunk_manager_usage(manager, &usage);
    assert_int_equal(usage.bytes_done, 5 * CHUNK_BYTES);
    assert_int_equal(usage.oldest_start_ns, 16);
    /* They are used again, with disk space again, before anything is recycled. */
    uint64_t gone = recycled(manager);
    for (uint64_t i = 0; i < 15; i++)
        assert_true(sequence_of(use_one(manager, CHUNK_MARKERS, 100 + i)) > LIMIT);
    assert_int_equal(recycled(manager), gone);
    assert_true(disk_bytes(chunk_manager_path(manager)) >= before);
    assert_int_equal(chunk_count(manager), LIMIT);
}

static void shrinking_leaves_what_is_in_use(void **state)
{
    struct fixture *fixture = *state;
    struct chunk *chunk = chunk_manager_take(fixture->manager, CHUNK_MARKERS, 1);
    chunk_manager_shrink(fixture->manager, 0);
    assert_int_equal(sequence_of(chunk), 1);
    chunk_reserve(chunk, 10);
    chunk_commit(chunk, 10, 10);
    assert_non_null(chunk_manager_take(fixture->manager, CHUNK_MARKERS, 1));
}

static void usage_counts_chunks_in_use_and_done(void **state)
{
    struct fixture *fixture = *state;
    struct chunk_manager_usage usage;
    chunk_manager_usage(fixture->manager, &usage);
    assert_int_equal(usage.bytes_in_use, 0);
    assert_int_equal(usage.bytes_done, 0);
    assert_int_equal(usage.bytes_limit, LIMIT * CHUNK_BYTES);
    assert_true(usage.oldest_start_ns == UINT64_MAX);
    use_one(fixture->manager, CHUNK_KEPT, 5);
    chunk_manager_take(fixture->manager, CHUNK_SAMPLES, 10);
    use_one(fixture->manager, CHUNK_MARKERS, 20);
    chunk_manager_usage(fixture->manager, &usage);
    assert_int_equal(usage.bytes_in_use, 2 * CHUNK_BYTES);
    assert_int_equal(usage.bytes_done, CHUNK_BYTES);
    assert_int_equal(usage.oldest_start_ns, 10);
}

static void the_file_stays_when_the_manager_is_gone_without_what_nobody_used(void **state)
{
    struct fixture *fixture = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/42-1.sonde", fixture->folder);
    struct chunk_manager *second = create(fixture, LIMIT);
    use_one(second, CHUNK_MARKERS, 1);
    chunk_manager_free(second);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, SESSION_HEADER_BYTES + 16 * CHUNK_BYTES);
    assert_in_range(disk_bytes(path), SESSION_HEADER_BYTES + CHUNK_BYTES, SESSION_HEADER_BYTES + 3 * CHUNK_BYTES);
}

/* Runs `body` in a child, which gets a minute; what it returns is its exit status. */
static int in_child(int (*body)(struct fixture *fixture), struct fixture *fixture)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        _exit(body(fixture));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int forget_and_write(struct fixture *fixture)
{
    chunk_manager_forget(fixture->manager);
    struct chunk_manager *own = create(fixture, LIMIT);
    return own && use_one(own, CHUNK_MARKERS, 1) ? 0 : 1;
}

static void a_forked_child_forgets_and_the_parents_file_is_untouched(void **state)
{
    struct fixture *fixture = *state;
    struct chunk *chunk = chunk_manager_take(fixture->manager, CHUNK_MARKERS, 1);
    chunk_reserve(chunk, 10);
    chunk_commit(chunk, 10, 10);
    assert_int_equal(in_child(forget_and_write, fixture), 0);
    assert_int_equal(atomic_load(&chunk->header.used), 12);
    assert_int_equal(sequence_of(chunk), 1);
    assert_non_null(chunk_manager_take(fixture->manager, CHUNK_MARKERS, 1));
}

/* What many programs do at their start. */
static int close_everything(struct fixture *fixture)
{
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
    for (uint64_t i = 1; i <= 2 * LIMIT; i++)
        if (!chunk_manager_take(fixture->manager, CHUNK_MARKERS, i))
            return 1;
    return chunk_count(fixture->manager) >= 2 * LIMIT ? 0 : 2;
}

static void a_program_that_closes_all_descriptors_loses_nothing(void **state)
{
    assert_int_equal(in_child(close_everything, *state), 0);
}

/* The program's own file gets the number that was ours. */
static int reuse_every_descriptor(struct fixture *fixture)
{
    char path[128];
    snprintf(path, sizeof path, "%s/own", fixture->folder);
    int own = open(path, O_RDWR | O_CREAT, 0600);
    if (own < 0 || write(own, "mine", 4) != 4)
        return 1;
    for (int fd = 3; fd < 2000; fd++)
        if (fd != own)
            dup2(own, fd);
    for (uint64_t i = 1; i <= 2 * LIMIT; i++)
        if (!chunk_manager_take(fixture->manager, CHUNK_MARKERS, i))
            return 2;
    struct stat status;
    return fstat(own, &status) == 0 && status.st_size == 4 ? 0 : 3;
}

static void a_file_of_the_program_under_our_number_is_not_touched(void **state)
{
    assert_int_equal(in_child(reuse_every_descriptor, *state), 0);
}

static int change_folder(struct fixture *fixture)
{
    if (chdir(fixture->folder) != 0)
        return 1;
    struct chunk_manager_options options = {.folder = ".", .pid = 7, .limit_bytes = LIMIT * CHUNK_BYTES};
    struct chunk_manager *manager = chunk_manager_create(&options, &fixture->error);
    if (!manager || chdir("/") != 0)
        return 2;
    return close_everything(&(struct fixture){.manager = manager});
}

static void a_program_may_change_its_working_folder(void **state)
{
    assert_int_equal(in_child(change_folder, *state), 0);
}

static int lowest_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY);
    assert_true(fd >= 0);
    close(fd);
    return fd;
}

static void low_descriptors_stay_free(void **state)
{
    struct fixture *fixture = *state;
    int before = lowest_descriptor();
    struct chunk_manager *second = create(fixture, LIMIT);
    assert_int_equal(lowest_descriptor(), before);
    chunk_manager_free(second);
}

static void errno_of_the_program_stays(void **state)
{
    struct fixture *fixture = *state;
    errno = 12345;
    for (uint64_t i = 1; i <= 2 * LIMIT; i++)
        assert_non_null(chunk_manager_take(fixture->manager, CHUNK_MARKERS, i));
    chunk_manager_prepare(fixture->manager);
    assert_int_equal(errno, 12345);
}

static void a_folder_that_is_not_there_is_an_error_that_names_it(void **state)
{
    (void)state;
    struct fixture none = {.folder = "/nowhere/at/all"};
    assert_null(create(&none, LIMIT));
    assert_int_equal(none.error.code, -ENOENT);
    assert_string_equal(none.error.message, "/nowhere/at/all/42-0.sonde: cannot be made: No such file or directory");
}

static void a_path_that_is_too_long_is_an_error(void **state)
{
    (void)state;
    static char folder[5000];
    memset(folder, 'x', sizeof folder - 1);
    folder[0] = '/';
    struct error error = {0};
    struct chunk_manager_options options = {.folder = folder, .pid = 1};
    assert_null(chunk_manager_create(&options, &error));
    assert_int_equal(error.code, -ENAMETOOLONG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_says_what_it_is),
        TEST(two_images_with_one_pid_have_two_files),
        TEST(a_chunk_is_empty_and_says_when_it_was_taken_and_given_back),
        TEST(sequence_numbers_rise_over_all_kinds),
        TEST(a_chunk_of_samples_names_the_one_before),
        TEST(below_the_limit_nothing_is_recycled),
        TEST(at_the_limit_the_chunk_done_first_is_recycled_first),
        TEST(a_hundred_chunks_given_back_in_any_order_are_recycled_by_age),
        TEST(a_recycled_chunk_is_as_new),
        TEST(kept_chunks_are_never_recycled),
        TEST(chunks_in_use_are_never_taken_away_even_beyond_the_limit),
        TEST(a_chunk_that_was_passed_on_goes_to_another_writer_with_what_is_in_it),
        TEST(a_chunk_with_little_room_is_done_when_it_is_passed_on),
        TEST(of_many_chunks_that_were_passed_on_few_wait_and_the_others_are_done),
        TEST(at_least_16_chunks_are_allowed),
        TEST(ready_chunks_are_there_from_the_start_and_run_out),
        TEST(preparing_fills_up_what_was_taken),
        TEST(a_ready_chunk_is_nothing_to_a_reader),
        TEST(a_chunk_of_samples_goes_only_after_the_sampler_knew),
        TEST(where_there_are_only_samples_the_limit_holds_all_the_same),
        TEST(the_next_victim_is_the_chunk_of_its_kind_that_goes_next),
        TEST(shrinking_throws_away_the_oldest_and_gives_their_disk_space_back),
        TEST(shrinking_leaves_what_is_in_use),
        TEST(usage_counts_chunks_in_use_and_done),
        TEST(the_file_stays_when_the_manager_is_gone_without_what_nobody_used),
        TEST(a_forked_child_forgets_and_the_parents_file_is_untouched),
        TEST(a_program_that_closes_all_descriptors_loses_nothing),
        TEST(a_file_of_the_program_under_our_number_is_not_touched),
        TEST(a_program_may_change_its_working_folder),
        TEST(low_descriptors_stay_free),
        TEST(errno_of_the_program_stays),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error_that_names_it),
        cmocka_unit_test(a_path_that_is_too_long_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
