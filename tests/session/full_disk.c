/* Disks without room, without leave to write, and file systems that cannot reserve. The small ones are mounted in a namespace
 * of the child's own; where that is not allowed the test is skipped. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/chunk_manager.h"
#include "session/reader.h"
#include "session/supply.h"
#include "support/session_draw.h"

enum { SKIP = 77, FIRST_CHUNKS = 16 };

struct place {
    const char *folder;
    struct error error;
};

/* Runs `body` in a child with a deadline. A signal of any kind would be the end of the program that is recorded. */
static void in_child(int (*body)(struct place *place))
{
    char folder[64];
    session_folder_make(folder);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        struct place place = {.folder = folder};
        int result = body(&place);
        if (result != 0 && result != SKIP)
            fprintf(stderr, "step %d failed: %s\n", result, place.error.message);
        _exit(result);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    session_folder_remove(folder);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIP) {
        print_message("no leave to mount a file system here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return written;
}

static bool mount_here(const char *folder, const char *type, unsigned long flags, const char *options)
{
    unsigned user = getuid(), group = getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    char map[64];
    snprintf(map, sizeof map, "0 %u 1", user);
    write_file("/proc/self/setgroups", "deny");
    if (!write_file("/proc/self/uid_map", map))
        return false;
    snprintf(map, sizeof map, "0 %u 1", group);
    return write_file("/proc/self/gid_map", map) && mount("sonde", folder, type, flags, options) == 0;
}

static struct chunk_manager *create(struct place *place)
{
    return chunk_manager_create(&(struct chunk_manager_options){.folder = place->folder, .pid = 1, .limit_bytes = 64 << 20},
                                &place->error);
}

static void fill(struct chunk *chunk, unsigned number)
{
    for (uint8_t *room; (room = chunk_reserve(chunk, 16));)
        chunk_commit(chunk, 16, entry_write_time(room, 16, ENTRY_PAUSE, number));
}

/* Writes chunks, each full of small entries, until there are no more; how many. */
static unsigned fill_chunks(struct chunk_manager *manager)
{
    unsigned count = 0;
    for (struct chunk *chunk; (chunk = chunk_manager_take(manager, CHUNK_MARKERS, count + 1)); count++) {
        fill(chunk, count);
        chunk_manager_give_back(manager, chunk, count + 1);
        chunk_manager_prepare(manager);
    }
    return count;
}

static int count_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    unsigned *chunks = data;
    chunks[0] += entry->kind != ENTRY_PAUSE;
    chunks[1] = chunks[1] > entry->time + 1 ? chunks[1] : (unsigned)entry->time + 1;
    return 0;
}

/* Every entry of so many chunks is in the file. */
static bool all_there(const char *path, unsigned chunks, struct error *error)
{
    unsigned found[2] = {0};
    struct session_reading reading = {0};
    struct session_file *file = session_file_open(path, error);
    if (!file || session_file_visit(file, &(struct session_visitor){.entry = count_entry}, found, &reading, error) != 0)
        return false;
    session_file_close(file);
    return found[0] == 0 && found[1] == chunks && reading.chunks_read == chunks && reading.bad_entries == 0;
}

static uint32_t state_of(struct chunk_manager *manager)
{
    return atomic_load(&chunk_manager_header(manager)->state);
}

/* From the first chunk that cannot be had on, none can, and what was written stays. */
static int record_until_full(struct place *place, unsigned least, unsigned most)
{
    struct chunk_manager *manager = create(place);
    if (!manager)
        return 10;
    if (state_of(manager) != SESSION_RECORDING)
        return 11;
    unsigned count = fill_chunks(manager);
    if (state_of(manager) != SESSION_DISK_FULL)
        return 12;
    if (count < least || count > most)
        return 13;
    chunk_manager_prepare(manager);
    if (chunk_manager_take(manager, CHUNK_KEPT, 1) || chunk_manager_take_ready(manager, CHUNK_KEPT, 1))
        return 14;
    if (!all_there(chunk_manager_path(manager), count, &place->error))
        return 15;
    chunk_manager_free(manager);
    return 0;
}

static bool limit_files(uint64_t bytes)
{
    return setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes}) == 0;
}

/* The file is made as long as it may be, and its chunks are used again and again. */
static int under_a_limit(struct place *place)
{
    enum { ALLOWED = FIRST_CHUNKS + 20, WRITTEN = 4 * ALLOWED };
    if (!limit_files(SESSION_HEADER_BYTES + ALLOWED * CHUNK_BYTES))
        return 1;
    struct chunk_manager *manager = create(place);
    if (!manager)
        return 2;
    uint32_t most = chunk_manager_header(manager)->chunks_most;
    if (most < FIRST_CHUNKS || most > ALLOWED)
        return 3;
    for (unsigned i = 0; i < WRITTEN; i++) {
        struct chunk *chunk = chunk_manager_take(manager, CHUNK_MARKERS, i + 1);
        if (!chunk)
            return 4;
        fill(chunk, i);
        chunk_manager_give_back(manager, chunk, i + 1);
        chunk_manager_prepare(manager);
    }
    if (state_of(manager) != SESSION_RECORDING)
        return 5;
    unsigned found[2] = {0};
    struct session_reading reading = {0};
    struct session_file *file = session_file_open(chunk_manager_path(manager), &place->error);
    if (!file || session_file_visit(file, &(struct session_visitor){.entry = count_entry}, found, &reading, &place->error) != 0)
        return 6;
    session_file_close(file);
    /* The newest are there; some are ready for use. */
    return found[1] == WRITTEN && reading.chunks_read >= most / 2 && reading.chunks_read <= most ? 0 : 7;
}

static void the_limit_of_file_sizes_limits_the_recording_and_not_the_program(void **state)
{
    (void)state;
    in_child(under_a_limit);
}

static int under_a_tiny_limit(struct place *place)
{
    if (!limit_files(10000) || create(place))
        return 1;
    if (place->error.code != -EFBIG || !strstr(place->error.message, "/1-0.sonde: no room for a recording: File too large"))
        return 2;
    /* Nothing is left behind. */
    return rmdir(place->folder) == 0 && mkdir(place->folder, 0700) == 0 ? 0 : 3;
}

static void no_room_at_all_is_an_error_that_says_so(void **state)
{
    (void)state;
    in_child(under_a_tiny_limit);
}

static int on_a_small_disk(struct place *place)
{
    if (!mount_here(place->folder, "tmpfs", 0, "size=3m"))
        return SKIP;
    return record_until_full(place, FIRST_CHUNKS - 4, 4 * 16);
}

static void a_full_disk_stops_the_recording_and_not_the_program(void **state)
{
    (void)state;
    in_child(on_a_small_disk);
}

static void take_all_room(const struct place *place)
{
    char path[128];
    snprintf(path, sizeof path, "%s/other", place->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    static char bytes[4096];
    memset(bytes, 1, sizeof bytes);
    while (write(fd, bytes, sizeof bytes) > 0)
        continue;
    close(fd);
}

/* Another program takes what room there is, after our chunks were reserved and before they are written. */
static int room_taken_meanwhile(struct place *place)
{
    if (!mount_here(place->folder, "tmpfs", 0, "size=2m"))
        return SKIP;
    struct chunk_manager *manager = create(place);
    if (!manager)
        return 1;
    enum { WRITERS = 4 };
    struct chunk *chunks[WRITERS];
    for (unsigned i = 0; i < WRITERS; i++) {
        chunks[i] = chunk_manager_take(manager, CHUNK_MARKERS, i + 1);
        if (!chunks[i] || !chunk_manager_extend(manager, chunks[i]))
            return 4;
    }
    take_all_room(place);
    for (unsigned i = 0; i < WRITERS; i++)
        fill(chunks[i], i);
    if (chunk_manager_take(manager, CHUNK_MARKERS, 1) || state_of(manager) != SESSION_DISK_FULL)
        return 2;
    unsigned count = WRITERS;
    return all_there(chunk_manager_path(manager), count, &place->error) ? 0 : 3;
}

static void what_is_reserved_can_be_written_when_the_disk_is_full(void **state)
{
    (void)state;
    in_child(room_taken_meanwhile);
}

/* The chunks go back to the system but for one, and then something else takes all of the disk. */
static void give_back_and_take_room(struct chunk_manager *manager, struct place *place)
{
    struct chunk *chunks[FIRST_CHUNKS];
    for (int i = 0; i < FIRST_CHUNKS; i++) {
        chunks[i] = chunk_manager_take(manager, CHUNK_MARKERS, 1);
        chunk_manager_extend(manager, chunks[i]);
    }
    for (int i = 1; i < FIRST_CHUNKS; i++)
        chunk_manager_give_back(manager, chunks[i], 1);
    chunk_manager_set_limit(manager, 0);
    while (!chunk_manager_obey(manager))
        continue;
    take_all_room(place);
}

/* What was given back to the system may be gone when it is needed again. */
static int room_given_back_and_taken(struct place *place)
{
    if (!mount_here(place->folder, "tmpfs", 0, "size=2m"))
        return SKIP;
    struct chunk_manager *manager = create(place);
    if (!manager)
        return 1;
    give_back_and_take_room(manager, place);
    struct chunk_manager_usage usage;
    chunk_manager_usage(manager, &usage);
    if (chunk_manager_take(manager, CHUNK_MARKERS, 1))
        return 2;
    return state_of(manager) == SESSION_DISK_FULL ? 0 : 3;
}

static void room_given_back_by_shrinking_is_reserved_again_before_it_is_used(void **state)
{
    (void)state;
    in_child(room_given_back_and_taken);
}

static int supply_from_outside(struct chunk_manager *manager, struct supply *supply)
{
    return supply_open(supply, open(chunk_manager_path(manager), O_RDWR | O_CLOEXEC));
}

/* Chunks are supplied until there is no disk space for another; then those that are done are recycled. */
static int supplied_until_full(struct place *place)
{
    static struct supply supply;
    if (!mount_here(place->folder, "tmpfs", 0, "size=3m"))
        return SKIP;
    struct chunk_manager *manager = create(place);
    if (!manager || supply_from_outside(manager, &supply) != 0)
        return 1;
    for (unsigned i = 0; i < 500; i++) {
        supply_turn(&supply);
        struct chunk *chunk = chunk_manager_take_supplied(manager, NULL, i + 1);
        if (!chunk)
            return 2;
        fill(chunk, i);
        chunk_manager_give_supplied_back(chunk, i + 1);
    }
    return supply.is_full && supply.held < 3 << 20 ? 0 : 3;
}

static void on_a_full_disk_supplied_chunks_are_recycled(void **state)
{
    (void)state;
    in_child(supplied_until_full);
}

/* A chunk that the process has taken from the count has no disk space, because there was none, or because it has been given
 * back: to look at it would be the end of whoever supplies. */
static int looked_at_when_full(struct place *place)
{
    static struct supply supply;
    if (!mount_here(place->folder, "tmpfs", 0, "size=2m"))
        return SKIP;
    struct chunk_manager *manager = create(place);
    if (!manager)
        return 1;
    give_back_and_take_room(manager, place);
    if (chunk_manager_take(manager, CHUNK_MARKERS, 1) || state_of(manager) != SESSION_DISK_FULL)
        return 2;
    if (supply_from_outside(manager, &supply) != 0)
        return 3;
    for (int i = 0; i < 10; i++)
        supply_turn(&supply);
    return chunk_manager_take_supplied(manager, NULL, 1) ? 4 : 0;
}

static void whoever_supplies_survives_a_full_disk(void **state)
{
    (void)state;
    in_child(looked_at_when_full);
}

/* ramfs cannot reserve, nor give room back. */
static int without_reserving(struct place *place)
{
    if (!mount_here(place->folder, "ramfs", 0, NULL))
        return SKIP;
    int fd = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = openat(fd, "try", O_RDWR | O_CREAT, 0600);
    if (fallocate(file, 0, 0, 4096) == 0 || errno != EOPNOTSUPP)
        return SKIP;
    struct chunk_manager *manager = create(place);
    if (!manager)
        return 1;
    struct stat status;
    if (stat(chunk_manager_path(manager), &status) != 0 || status.st_blocks * 512 < 2 * SESSION_HEADER_BYTES)
        return 2;
    for (uint64_t i = 1; i <= FIRST_CHUNKS; i++) {
        struct chunk *chunk = chunk_manager_take(manager, CHUNK_MARKERS, i);
        fill(chunk, (unsigned)i - 1);
        chunk_manager_give_back(manager, chunk, i);
    }
    if (!all_there(chunk_manager_path(manager), FIRST_CHUNKS, &place->error))
        return 3;
    chunk_manager_set_limit(manager, 0);
    while (!chunk_manager_obey(manager))
        continue;
    struct chunk *again = chunk_manager_take(manager, CHUNK_MARKERS, 100);
    if (!again || atomic_load(&again->header.used) != 0)
        return 4;
    return 0;
}

static void where_nothing_can_be_reserved_zeros_are_written(void **state)
{
    (void)state;
    in_child(without_reserving);
}

static int without_leave(struct place *place)
{
    if (!mount_here(place->folder, "tmpfs", MS_RDONLY, "size=1m"))
        return SKIP;
    if (create(place))
        return 1;
    return place->error.code == -EROFS && strstr(place->error.message, "/1-0.sonde: cannot be made: Read-only file system") ? 0
                                                                                                                            : 2;
}

static void a_read_only_folder_is_an_error_that_says_so(void **state)
{
    (void)state;
    in_child(without_leave);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_of_file_sizes_limits_the_recording_and_not_the_program),
        cmocka_unit_test(no_room_at_all_is_an_error_that_says_so),
        cmocka_unit_test(a_full_disk_stops_the_recording_and_not_the_program),
        cmocka_unit_test(what_is_reserved_can_be_written_when_the_disk_is_full),
        cmocka_unit_test(room_given_back_by_shrinking_is_reserved_again_before_it_is_used),
        cmocka_unit_test(on_a_full_disk_supplied_chunks_are_recycled),
        cmocka_unit_test(whoever_supplies_survives_a_full_disk),
        cmocka_unit_test(where_nothing_can_be_reserved_zeros_are_written),
        cmocka_unit_test(a_read_only_folder_is_an_error_that_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
