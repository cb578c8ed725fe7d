/* Chunks for samples, supplied by somebody else than who writes them: within one process, and from another one. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "managed.h"
#include "session/entry.h"
#include "session/reader.h"
#include "session/supply.h"

enum { SHORT_BYTES = 16 << 10, SHORT_FILLS = 8 }; /* the first few chunks have so little disk space */

/* From outside, as the recorder does. */
static int open_again(struct managed *managed)
{
    int fd = open(chunk_manager_path(managed->manager), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void supply_from_outside(struct managed *managed, struct supply *supply)
{
    assert_int_equal(supply_open(supply, open_again(managed)), 0);
}

static size_t slots_filled(const struct session_file_header *header)
{
    size_t filled = 0;
    for (size_t i = 0; i < SUPPLIED; i++)
        filled += atomic_load(&header->supplied[i]) != 0;
    return filled;
}

/* As a thread in its handler does: a chunk is taken, written and given back. NULL: none is there. */
static struct chunk *write_one(struct managed *managed, uint64_t now)
{
    struct chunk *chunk = chunk_manager_take_supplied(managed->manager, NULL, now);
    uint8_t *out = chunk ? chunk_reserve(chunk, 32) : NULL;
    if (!out)
        return NULL;
    chunk_commit(chunk, 32, entry_write_time(out, 32, ENTRY_PAUSE, now));
    chunk_manager_give_supplied_back(chunk, now);
    return chunk;
}

static void write_many(struct managed *managed, struct supply *supply, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i <= last; i++) {
        supply_turn(supply);
        assert_non_null(write_one(managed, i));
    }
    supply_turn(supply);
}

static void nothing_is_there_before_somebody_supplies(void **state)
{
    struct managed *managed = *state;
    assert_null(chunk_manager_take_supplied(managed->manager, NULL, 1));
}

static void a_chunk_that_is_supplied_is_taken_once(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    supply_from_outside(managed, &supply);
    supply_turn(&supply);
    assert_int_equal(slots_filled(chunk_manager_header(managed->manager)), 1);
    supply_turn(&supply); /* nothing was taken: nothing is to be done */
    assert_int_equal(slots_filled(chunk_manager_header(managed->manager)), 1);
    struct chunk *chunk = chunk_manager_take_supplied(managed->manager, NULL, 7);
    assert_non_null(chunk);
    assert_int_equal(atomic_load(&chunk->header.kind), CHUNK_SAMPLES);
    assert_int_equal(atomic_load(&chunk->header.start_ns), 7);
    assert_int_equal(atomic_load(&chunk->header.used), 0);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 0);
    assert_int_equal(atomic_load(&chunk->header.supplied), 1);
    assert_int_not_equal(sequence_of(chunk), 0);
    assert_null(chunk_manager_take_supplied(managed->manager, NULL, 8));
    supply_turn(&supply);
    assert_ptr_not_equal(chunk_manager_take_supplied(managed->manager, NULL, 9), chunk);
    supply_end(&supply);
}

static void who_needs_more_has_more_slots_filled_and_longer_chunks(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    supply_from_outside(managed, &supply);
    supply_turn(&supply);
    struct chunk *first = chunk_manager_take_supplied(managed->manager, NULL, 1);
    assert_int_equal(chunk_room(first), SHORT_BYTES - CHUNK_HEADER_BYTES);
    write_many(managed, &supply, 1, (uint64_t)SHORT_FILLS * SUPPLIED);
    assert_int_equal(slots_filled(chunk_manager_header(managed->manager)), SUPPLIED);
    struct chunk *later = chunk_manager_take_supplied(managed->manager, NULL, 100);
    assert_int_equal(chunk_room(later), sizeof later->bytes);
    supply_end(&supply);
}

static void below_the_limit_nothing_is_recycled(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    supply_from_outside(managed, &supply);
    write_many(managed, &supply, 1, 30);
    assert_int_equal(recycled(managed->manager), 0);
    assert_int_equal(supply.wanted, 0);
    assert_in_range(supply.done_bytes, 1, supply.held);
    assert_int_equal(supply.oldest_ns, 1);
    supply_end(&supply);
}

static void at_the_limit_the_one_done_first_is_recycled_first(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    supply_from_outside(managed, &supply);
    supply.limit = 20 * CHUNK_BYTES;
    write_many(managed, &supply, 1, 500);
    assert_true(supply.held <= supply.limit);
    assert_true(supply.wanted > 0);
    uint64_t gone = recycled(managed->manager);
    assert_in_range(gone, 500 - 40, 500 - 16);
    /* What is left is the newest, without a hole. */
    const struct chunk *chunks = supply.view.chunks;
    uint64_t oldest = UINT64_MAX, newest = 0, left = 0;
    for (uint32_t i = 0; i < chunk_count(managed->manager); i++) {
        uint64_t done = atomic_load(&chunks[i].header.done_ns);
        if (done == 0)
            continue;
        left++;
        oldest = done < oldest ? done : oldest;
        newest = done > newest ? done : newest;
    }
    assert_int_equal(newest, 500);
    assert_int_equal(newest - oldest + 1, left);
    assert_int_equal(oldest, gone + 1);
    assert_int_equal(supply.oldest_ns, oldest);
    supply_end(&supply);
}

static void a_recycled_chunk_is_as_new(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    supply_from_outside(managed, &supply);
    supply.limit = CHUNK_BYTES;
    supply_turn(&supply);
    struct chunk *first = write_one(managed, 1), *again;
    uint64_t sequence = sequence_of(first);
    uint64_t now = 1;
    do {
        supply_turn(&supply);
        again = chunk_manager_take_supplied(managed->manager, NULL, ++now);
        assert_non_null(again);
        assert_true(now < 100);
        if (again != first)
            chunk_manager_give_supplied_back(again, now);
    } while (again != first);
    assert_true(sequence_of(again) > sequence);
    assert_int_equal(atomic_load(&again->header.used), 0);
    assert_int_equal(atomic_load(&again->header.done_ns), 0);
    assert_int_equal(atomic_load(&again->header.start_ns), now);
    supply_end(&supply);
}

/* The limit gives way, as it does for each thread that writes. */
static void what_is_being_written_is_never_taken_away(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    enum { WRITERS = 30 };
    struct chunk *chunks[WRITERS];
    supply_from_outside(managed, &supply);
    supply.limit = CHUNK_BYTES;
    for (size_t i = 0; i < WRITERS; i++) {
        supply_turn(&supply);
        chunks[i] = chunk_manager_take_supplied(managed->manager, NULL, i + 1);
        assert_non_null(chunks[i]);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(chunks[i], chunks[j]);
    }
    for (size_t i = 0; i < WRITERS; i++)
        assert_int_not_equal(sequence_of(chunks[i]), 0);
    assert_int_equal(recycled(managed->manager), 0);
    supply_end(&supply);
}

static void a_lower_limit_gives_disk_space_back_and_a_higher_one_uses_the_same_chunks_again(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    supply_from_outside(managed, &supply);
    write_many(managed, &supply, 1, 60);
    off_t before = disk_bytes(chunk_manager_path(managed->manager));
    uint64_t held = supply.held;
    uint32_t count = chunk_count(managed->manager);
    supply.limit = (SUPPLIED + 2) * CHUNK_BYTES;
    for (int i = 0; i < 100 && supply.held > supply.limit; i++)
        supply_turn(&supply);
    assert_true(supply.held <= supply.limit);
    off_t after = disk_bytes(chunk_manager_path(managed->manager));
    /* A file system may need a block for the list of pieces. */
    assert_in_range(before - after, held - supply.held - 8192, held - supply.held);
    supply.limit = UINT64_MAX;
    write_many(managed, &supply, 100, 140);
    assert_int_equal(chunk_count(managed->manager), count);
    assert_true(supply.held > supply.done_bytes);
    supply_end(&supply);
}

static void chunks_that_the_process_supplied_itself_are_adopted(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    uint64_t held = held_chunks(managed->manager);
    chunk_manager_supply_one(managed->manager, 1);
    chunk_manager_supply_one(managed->manager, 1); /* there is one: nothing is done */
    assert_int_equal(slots_filled(chunk_manager_header(managed->manager)), 1);
    assert_int_equal(held_chunks(managed->manager), held); /* it is the supplier's business */
    struct chunk *own = write_one(managed, 1);
    assert_non_null(own);
    chunk_manager_supply_one(managed->manager, 1);
    supply_from_outside(managed, &supply);
    supply_turn(&supply);
    assert_int_equal(slots_filled(chunk_manager_header(managed->manager)), 1);
    assert_int_equal(supply.held, 2 * SHORT_BYTES);
    assert_int_equal(supply.done_bytes, SHORT_BYTES);
    /* From now on it is like the others, and the first to go. */
    uint64_t sequence = sequence_of(own);
    supply.limit = SHORT_BYTES;
    write_many(managed, &supply, 2, 10);
    assert_int_not_equal(sequence_of(own), sequence);
    supply_end(&supply);
}

static void chunks_of_the_process_are_left_alone(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    struct chunk *kept = use_one(managed->manager, CHUNK_KEPT, 1), *markers = use_one(managed->manager, CHUNK_MARKERS, 2);
    chunk_manager_prepare(managed->manager);
    uint64_t sequences[] = {sequence_of(kept), sequence_of(markers)};
    supply_from_outside(managed, &supply);
    supply.limit = SHORT_BYTES;
    write_many(managed, &supply, 3, 200);
    assert_int_equal(sequence_of(kept), sequences[0]);
    assert_int_equal(sequence_of(markers), sequences[1]);
    struct chunk *ready = chunk_manager_take_ready(managed->manager, CHUNK_MARKERS, 300);
    assert_non_null(ready);
    write_many(managed, &supply, 300, 310);
    assert_int_equal(atomic_load(&ready->header.kind), CHUNK_MARKERS);
    supply_end(&supply);
}

static void a_second_supplier_goes_on_where_the_first_one_ended(void **state)
{
    struct managed *managed = *state;
    struct supply first, second;
    supply_from_outside(managed, &first);
    write_many(managed, &first, 1, 20);
    uint64_t held = first.held, done = first.done_bytes;
    supply_end(&first);
    supply_from_outside(managed, &second);
    supply_turn(&second);
    assert_int_equal(second.held, held);
    assert_int_equal(second.done_bytes, done);
    write_many(managed, &second, 21, 40);
    supply_end(&second);
}

static void a_chunk_that_was_passed_on_goes_to_whoever_wants_it(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    supply_from_outside(managed, &supply);
    supply_turn(&supply);
    struct chunk *chunk = chunk_manager_take_supplied(managed->manager, NULL, 1);
    chunk_manager_pass_supplied_on(managed->manager, chunk, 2);
    assert_int_equal(atomic_load(&chunk->header.done_ns), 0);
    assert_ptr_equal(chunk_manager_take_supplied(managed->manager, NULL, 3), chunk);
    /* Two threads write at the same time; from then on each goes on in its own. */
    supply_turn(&supply);
    struct chunk *other = chunk_manager_take_supplied(managed->manager, chunk, 4);
    assert_non_null(other);
    assert_ptr_not_equal(other, chunk);
    chunk_manager_pass_supplied_on(managed->manager, other, 5);
    chunk_manager_pass_supplied_on(managed->manager, chunk, 5);
    assert_ptr_equal(chunk_manager_take_supplied(managed->manager, chunk, 6), chunk);
    assert_ptr_equal(chunk_manager_take_supplied(managed->manager, chunk, 6), other);
    supply_end(&supply);
}

static void where_samples_were_lost_all_slots_are_filled(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    struct session_file_header *header = chunk_manager_header(managed->manager);
    supply_from_outside(managed, &supply);
    supply_turn(&supply);
    assert_non_null(chunk_manager_take_supplied(managed->manager, NULL, 1));
    assert_null(chunk_manager_take_supplied(managed->manager, NULL, 1));
    atomic_fetch_add(&header->statistics[STATISTIC_SAMPLES_LOST], 1);
    supply_turn(&supply);
    for (unsigned i = 0; i < SUPPLIED; i++)
        assert_non_null(chunk_manager_take_supplied(managed->manager, NULL, 2));
    supply_end(&supply);
}

/* All chunks that are mapped are in use: there is none to be had, and nobody is hurt. */
static void there_are_no_more_chunks_than_are_mapped(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    supply_from_outside(managed, &supply);
    uint32_t most = chunk_manager_header(managed->manager)->chunks_most, taken = 0;
    for (uint32_t i = 0; i < 2 * most; i++) {
        supply_turn(&supply);
        taken += chunk_manager_take_supplied(managed->manager, NULL, i + 1) != NULL;
    }
    assert_int_equal(taken, most - 1); /* the first one is the process's own */
    assert_int_equal(chunk_count(managed->manager), most);
    assert_non_null(chunk_manager_take(managed->manager, CHUNK_MARKERS, 1));
    assert_null(chunk_manager_take(managed->manager, CHUNK_MARKERS, 1));
    supply_end(&supply);
}

/* --- what the process says is not trusted ---------------------------------------------------------------------------- */

static void what_is_no_session_is_not_supplied(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    struct session_file_header *header = chunk_manager_header(managed->manager);
    assert_int_equal(supply_open(&supply, memfd_create("empty", MFD_CLOEXEC)), -EINVAL);
    uint32_t most = header->chunks_most;
    header->chunks_most = 0;
    assert_int_equal(supply_open(&supply, open_again(managed)), -EINVAL);
    header->chunks_most = most + 1; /* the file is not so long */
    assert_int_equal(supply_open(&supply, open_again(managed)), -EINVAL);
    header->chunks_most = UINT32_MAX;
    assert_int_equal(supply_open(&supply, open_again(managed)), -EINVAL);
    header->chunks_most = most;
    header->version++;
    assert_int_equal(supply_open(&supply, open_again(managed)), -EINVAL);
    header->version--;
    header->magic[0] ^= 1;
    assert_int_equal(supply_open(&supply, open_again(managed)), -EINVAL);
    header->magic[0] ^= 1;
    supply_from_outside(managed, &supply);
    supply_end(&supply);
}

static void a_file_that_claims_to_be_huge_is_not_supplied(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    int fd = open_again(managed);
    uint32_t most = 1 << 26;
    if (ftruncate(fd, SESSION_HEADER_BYTES + (off_t)most * CHUNK_BYTES) != 0)
        skip(); /* files cannot be so long here */
    chunk_manager_header(managed->manager)->chunks_most = most;
    assert_int_equal(supply_open(&supply, fd), -EINVAL);
}

static void numbers_that_are_out_of_range_are_not_used(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    struct session_file_header *header = chunk_manager_header(managed->manager);
    supply_from_outside(managed, &supply);
    static const uint32_t wrong[SUPPLIED] = {UINT32_MAX, 1 << 30, UINT32_MAX - 1, 0};
    for (size_t i = 0; i < SUPPLIED; i++)
        atomic_store(&header->supplied[i], wrong[i]);
    atomic_store(&header->chunk_count, UINT32_MAX);
    for (int i = 0; i < 10; i++)
        supply_turn(&supply);
    /* Nobody gets a chunk that is not there. */
    for (int i = 0; i < 10; i++) {
        struct chunk *chunk = chunk_manager_take_supplied(managed->manager, NULL, 1);
        assert_true(!chunk || (size_t)(chunk - chunk_manager_supply_view(managed->manager).chunks) < header->chunks_most);
    }
    supply_end(&supply);
}

/* Chunks that are known already come again. */
static void a_count_that_goes_back_gives_no_chunk_twice(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    struct session_file_header *header = chunk_manager_header(managed->manager);
    supply_from_outside(managed, &supply);
    alarm(60);
    for (uint64_t i = 1; i <= 300; i++) {
        supply_turn(&supply);
        (void)(i % 3 ? write_one(managed, i) : chunk_manager_take_supplied(managed->manager, NULL, i));
        if (i % 7 == 0)
            atomic_store(&header->chunk_count, (uint32_t)i % 5);
        if (i % 31 == 0)
            supply.limit = i % 2 ? UINT64_MAX : CHUNK_BYTES;
    }
    alarm(0);
    assert_true(supply.done_bytes <= supply.held);
    assert_true(supply.held <= (uint64_t)header->chunks_most * CHUNK_BYTES);
    supply_end(&supply);
}

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

static void headers_may_say_anything(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    struct session_file_header *header = chunk_manager_header(managed->manager);
    supply_from_outside(managed, &supply);
    uint32_t random = 1;
    alarm(120);
    for (int i = 0; i < 20000; i++) {
        /* Those that the process can write: the others have no disk space. */
        uint32_t count = supply.first_unknown, number = next_random(&random) % (count > 0 ? count : 1);
        struct chunk_header *chunk = &supply.view.chunks[number].header;
        switch (next_random(&random) % 8) {
        case 0:
            atomic_store(&header->supplied[next_random(&random) % SUPPLIED], next_random(&random) % 64);
            break;
        case 1:
            atomic_store(&header->chunk_count, next_random(&random) % 2 ? next_random(&random) % 64 : UINT32_MAX);
            break;
        case 2:
            atomic_store(&chunk->done_ns, next_random(&random) % 3);
            break;
        case 3:
            atomic_store(&chunk->missing, next_random(&random) << 8);
            break;
        case 4:
            atomic_store(&chunk->supplied, next_random(&random) % 2);
            break;
        case 5:
            atomic_store(&chunk->kind, next_random(&random) % 8);
            break;
        case 6:
            supply.limit = next_random(&random) % 2 ? UINT64_MAX : next_random(&random) % (64 * CHUNK_BYTES);
            break;
        default:
            (void)write_one(managed, (uint64_t)i + 1);
        }
        supply_turn(&supply);
        assert_true(supply.done_bytes <= supply.held);
    }
    alarm(0);
    supply_end(&supply);
}

/* --- at the same time ------------------------------------------------------------------------------------------------ */

enum { TAKERS = 4, CHUNKS_EACH = 2000 };

/* ThreadSanitizer knows nothing of what two threads agree on through a third one in another process. */
#ifdef __SANITIZE_THREAD__
enum { TAKERS_OF_OTHER = 1 };
#else
enum { TAKERS_OF_OTHER = TAKERS };
#endif

struct taker {
    struct managed *managed;
    uint32_t number;
};

/* Writes into each chunk who it is and how often; nobody else may do so at the same time. */
static void take_and_write(struct managed *managed, uint32_t number, uint64_t chunks)
{
    for (uint64_t i = 1; i <= chunks; i++) {
        struct chunk *chunk;
        while (!(chunk = chunk_manager_take_supplied(managed->manager, NULL, i)))
            sched_yield();
        for (uint64_t j = 0; j < 4; j++) {
            uint8_t *out = chunk_reserve(chunk, 64);
            if (!out)
                abort(); /* it was not empty */
            struct sample_entry sample = {.thread = number, .time = i << 8 | j};
            chunk_commit(chunk, 64, entry_write_sample(out, 64, &sample));
        }
        if (i == chunks)
            continue; /* still being written in the end */
        chunk_manager_give_supplied_back(chunk, i);
    }
}

static void *take_in_thread(void *data)
{
    struct taker *taker = data;
    take_and_write(taker->managed, taker->number, CHUNKS_EACH);
    return NULL;
}

/* What is left in the file: of each chunk four samples, in a row, of one thread. */
struct found {
    uint64_t chunks, last[TAKERS + 1];
    uint32_t thread;
    uint64_t next;
};

static void count_chunk(void *data)
{
    struct found *found = data;
    found->chunks++;
    found->thread = 0;
    found->next = 0;
}

static int check_sample(void *data, const struct any_entry *entry, struct error *error)
{
    struct found *found = data;
    const struct sample_entry *sample = &entry->sample;
    bool is_first = found->thread == 0;
    if (entry->kind != ENTRY_SAMPLE || sample->thread == 0 || sample->thread > TAKERS || (sample->time & 0xff) > 3)
        return error_set(error, -EINVAL, "not a sample of ours");
    if (is_first ? (sample->time & 0xff) != 0 : sample->thread != found->thread || sample->time != found->next)
        return error_set(error, -EINVAL, "two wrote one chunk");
    found->thread = sample->thread;
    found->next = sample->time + 1;
    uint64_t count = sample->time >> 8;
    if (count > found->last[sample->thread])
        found->last[sample->thread] = count;
    return 0;
}

static void check_file(struct managed *managed, uint32_t takers)
{
    struct session_visitor visitor = {.entry = check_sample, .chunk_changed = count_chunk};
    struct session_reading reading = {0};
    struct found found = {0};
    struct session_file *file = session_file_open(chunk_manager_path(managed->manager), &managed->error);
    assert_non_null(file);
    if (session_file_visit(file, &visitor, &found, &reading, &managed->error) != 0)
        fail_msg("%s", managed->error.message);
    session_file_close(file);
    assert_int_equal(reading.bad_entries, 0);
    /* What is not there was recycled. */
    assert_int_equal(found.chunks + recycled(managed->manager), (uint64_t)takers * CHUNKS_EACH);
    for (uint32_t i = 1; i <= takers; i++)
        assert_int_equal(found.last[i], CHUNKS_EACH);
}

static void threads_take_while_another_supplies(void **state)
{
    struct managed *managed = *state;
    struct supply supply;
    pthread_t threads[TAKERS];
    struct taker takers[TAKERS];
    struct supply_view view = chunk_manager_supply_view(managed->manager);
    assert_int_equal(supply_begin(&supply, &view), 0);
    supply.limit = 10 * CHUNK_BYTES;
    for (uint32_t i = 0; i < TAKERS; i++) {
        takers[i] = (struct taker){.managed = managed, .number = i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, take_in_thread, &takers[i]), 0);
    }
    /* The process supplies some itself now and then. */
    for (size_t joined = 0; joined < TAKERS;) {
        supply_turn(&supply);
        chunk_manager_supply_one(managed->manager, 1);
        if (pthread_tryjoin_np(threads[joined], NULL) == 0)
            joined++;
        else
            sched_yield();
    }
    check_file(managed, TAKERS);
    supply_end(&supply);
}

/* The supplier is another process, as the recorder is: it has the file, and nothing else. */
static void a_process_takes_while_another_supplies(void **state)
{
    struct managed *managed = *state;
    int done[2];
    assert_int_equal(pipe2(done, O_CLOEXEC | O_NONBLOCK), 0);
    char path[256];
    strcpy(path, chunk_manager_path(managed->manager));
    pid_t supplier = fork();
    assert_true(supplier >= 0);
    if (supplier == 0) {
        alarm(200);
        close(done[1]);
        chunk_manager_forget(managed->manager);
        static struct supply supply;
        if (supply_open(&supply, open(path, O_RDWR | O_CLOEXEC)) != 0)
            _exit(2);
        supply.limit = 10 * CHUNK_BYTES;
        char byte;
        while (read(done[0], &byte, 1) != 0) { /* until the other end is closed */
            supply_turn(&supply);
            sched_yield();
        }
        _exit(supply.held <= supply.limit + (TAKERS + SUPPLIED) * CHUNK_BYTES ? 0 : 3);
    }
    close(done[0]);
    pthread_t threads[TAKERS_OF_OTHER];
    struct taker takers[TAKERS_OF_OTHER];
    for (uint32_t i = 0; i < TAKERS_OF_OTHER; i++) {
        takers[i] = (struct taker){.managed = managed, .number = i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, take_in_thread, &takers[i]), 0);
    }
    for (size_t i = 0; i < TAKERS_OF_OTHER; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    close(done[1]);
    int status;
    assert_int_equal(waitpid(supplier, &status, 0), supplier);
    assert_int_equal(status, 0);
    check_file(managed, TAKERS_OF_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_there_before_somebody_supplies),
        TEST(a_chunk_that_is_supplied_is_taken_once),
        TEST(who_needs_more_has_more_slots_filled_and_longer_chunks),
        TEST(below_the_limit_nothing_is_recycled),
        TEST(at_the_limit_the_one_done_first_is_recycled_first),
        TEST(a_recycled_chunk_is_as_new),
        TEST(what_is_being_written_is_never_taken_away),
        TEST(a_lower_limit_gives_disk_space_back_and_a_higher_one_uses_the_same_chunks_again),
        TEST(chunks_that_the_process_supplied_itself_are_adopted),
        TEST(chunks_of_the_process_are_left_alone),
        TEST(a_second_supplier_goes_on_where_the_first_one_ended),
        TEST(a_chunk_that_was_passed_on_goes_to_whoever_wants_it),
        TEST(where_samples_were_lost_all_slots_are_filled),
        TEST(there_are_no_more_chunks_than_are_mapped),
        TEST(what_is_no_session_is_not_supplied),
        TEST(a_file_that_claims_to_be_huge_is_not_supplied),
        TEST(numbers_that_are_out_of_range_are_not_used),
        TEST(a_count_that_goes_back_gives_no_chunk_twice),
        TEST(headers_may_say_anything),
        TEST(threads_take_while_another_supplies),
        TEST(a_process_takes_while_another_supplies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
