#include "symbols/dwarf/lookup.h"

#include "symbols/dwarf/owners.h"
#include "symbols/dwarf/reader.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 8, THREAD_WORTH = 1 << 20 };

struct lookup {
    struct dwarf_file file, alternate;
    const struct dwarf_files *files;
    const uint64_t *addresses;
    size_t count;
    struct dwarf_owners owners;
    struct dwarf_answer *answers; /* by address; each is written by the one thread that has its unit */
    uint64_t *sorted;             /* addresses by unit */
    size_t *indexes;              /* which address each of these is */
    VEC(struct dwarf_job) jobs;
    struct dwarf_reader *readers; /* one a thread */
    size_t reader_count;
    pthread_mutex_t split_lock;
    /* Shared by the threads. Only counters: all else is either not written or not shared, and joining a thread orders it. */
    atomic_size_t next_job;
    atomic_uint_least64_t work;
    atomic_bool failed;
};

/* --- jobs --- */

static uint64_t bytes_of(const struct dwarf_sections *sections)
{
    return (uint64_t)sections->info.length + sections->abbrev.length + sections->line.length + sections->ranges.length +
           sections->rnglists.length + sections->aranges.length;
}

/* Addresses sorted by unit, those of a unit ascending as before. */
static int make_jobs(struct lookup *lookup)
{
    size_t unit_count = lookup->file.units.count;
    size_t *ends = memory_zeroed(unit_count + 1, sizeof *ends);
    int result = -ENOMEM;
    lookup->sorted = memory_array(lookup->count, sizeof *lookup->sorted);
    lookup->indexes = memory_array(lookup->count, sizeof *lookup->indexes);
    if (!ends || !lookup->sorted || !lookup->indexes)
        goto done;
    for (size_t i = 0; i < lookup->count; i++)
        if (lookup->owners.units[i] != DWARF_NO_UNIT)
            ends[lookup->owners.units[i] + 1]++;
    for (size_t unit = 0; unit < unit_count; unit++) {
        struct dwarf_job job = {(uint32_t)unit, lookup->sorted + ends[unit], lookup->indexes + ends[unit], ends[unit + 1]};
        if (job.count > 0 && !vec_push(&lookup->jobs, job))
            goto done;
        ends[unit + 1] += ends[unit];
    }
    for (size_t i = 0; i < lookup->count; i++) {
        if (lookup->owners.units[i] == DWARF_NO_UNIT)
            continue;
        size_t place = ends[lookup->owners.units[i]]++;
        lookup->sorted[place] = lookup->addresses[i];
        lookup->indexes[place] = i;
    }
    result = 0;
done:
    memory_release(ends);
    return result;
}

/* --- threads --- */

/* What may still be read is shared by the threads: each takes its part of it for a unit, and gives back what is left. */
static void run_job(struct lookup *lookup, struct dwarf_reader *reader, const struct dwarf_job *job)
{
    uint64_t all = atomic_load_explicit(&lookup->work, memory_order_relaxed), part;
    do {
        part = all / lookup->reader_count;
    } while (
        !atomic_compare_exchange_weak_explicit(&lookup->work, &all, all - part, memory_order_relaxed, memory_order_relaxed));
    reader->work.left = part;
    if (dwarf_reader_run(reader, job, lookup->answers) != 0)
        atomic_store_explicit(&lookup->failed, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&lookup->work, reader->work.left, memory_order_relaxed);
}

struct thread {
    struct lookup *lookup;
    struct dwarf_reader *reader;
    pthread_t id;
    bool started;
};

static void *run(void *data)
{
    struct thread *thread = data;
    struct lookup *lookup = thread->lookup;
    for (;;) {
        size_t next = atomic_fetch_add_explicit(&lookup->next_job, 1, memory_order_relaxed);
        if (next >= lookup->jobs.count || atomic_load_explicit(&lookup->failed, memory_order_relaxed))
            return NULL;
        run_job(lookup, thread->reader, &lookup->jobs.items[next]);
    }
}

/* One thread for each processor, if there is enough to read for them. */
static size_t thread_count(const struct lookup *lookup)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < lookup->jobs.count; i++) {
        const struct dwarf_unit_head *head = &lookup->file.units.items[lookup->jobs.items[i].unit];
        bytes += head->end - head->offset;
        if (head->type == UT_skeleton)
            bytes += THREAD_WORTH / 4; /* most of it is in another file */
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = online < 1 ? 1 : online > MOST_THREADS ? MOST_THREADS : (size_t)online;
    size_t worth = (size_t)(bytes / THREAD_WORTH) + 1;
    count = count < worth ? count : worth;
    return count < lookup->jobs.count ? count : lookup->jobs.count;
}

static int run_jobs(struct lookup *lookup)
{
    struct thread threads[MOST_THREADS] = {0};
    size_t count = thread_count(lookup);
    count = count > 0 ? count : 1;
    lookup->readers = memory_zeroed(count, sizeof *lookup->readers);
    if (!lookup->readers)
        return -ENOMEM;
    lookup->reader_count = count;
    /* Signals are for the threads that know what to do with them. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (size_t i = 0; i < count; i++) {
        lookup->readers[i].file = &lookup->file;
        lookup->readers[i].files = lookup->files;
        lookup->readers[i].split_lock = &lookup->split_lock;
        threads[i] = (struct thread){.lookup = lookup, .reader = &lookup->readers[i]};
        /* The first one is the caller's. Where others cannot be had, it does their work as well. */
        threads[i].started = i > 0 && pthread_create(&threads[i].id, NULL, run, &threads[i]) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    run(&threads[0]);
    for (size_t i = 1; i < count; i++)
        if (threads[i].started)
            pthread_join(threads[i].id, NULL);
    return lookup->failed ? -ENOMEM : 0;
}

/* Units that do not say which addresses are theirs are asked for all that nobody knows anything about. */
static int ask_unclaimed(struct lookup *lookup)
{
    size_t left = 0;
    for (size_t i = 0; i < lookup->owners.unclaimed.count && !lookup->failed; i++) {
        left = 0;
        for (size_t k = 0; k < lookup->count; k++)
            if (lookup->owners.units[k] == DWARF_NO_UNIT && lookup->answers[k].count == 0) {
                lookup->sorted[left] = lookup->addresses[k];
                lookup->indexes[left++] = k;
            }
        struct dwarf_job job = {lookup->owners.unclaimed.items[i], lookup->sorted, lookup->indexes, left};
        if (left == 0)
            break;
        run_job(lookup, &lookup->readers[0], &job);
    }
    return lookup->failed ? -ENOMEM : 0;
}

/* --- all of it --- */

static int search(struct lookup *lookup)
{
    if (dwarf_file_read(&lookup->file) != 0 || dwarf_file_read(&lookup->alternate) != 0)
        return -ENOMEM;
    uint64_t bytes = bytes_of(&lookup->file.sections) + bytes_of(&lookup->alternate.sections);
    struct dwarf_work work = {DWARF_WORK_MINIMUM + bytes * DWARF_WORK_FACTOR};
    int result = dwarf_owners_find(&lookup->owners, &lookup->file, lookup->addresses, lookup->count, &work);
    if (result != 0)
        return result;
    lookup->work = work.left;
    lookup->answers = memory_zeroed(lookup->count, sizeof *lookup->answers);
    result = lookup->answers ? make_jobs(lookup) : -ENOMEM;
    if (result == 0)
        result = run_jobs(lookup);
    return result == 0 ? ask_unclaimed(lookup) : result;
}

static size_t count_damaged(const struct lookup *lookup)
{
    size_t damaged = lookup->file.damaged + lookup->owners.damaged;
    for (size_t i = 0; i < lookup->reader_count; i++)
        damaged += lookup->readers[i].damaged;
    return damaged;
}

static void free_lookup(struct lookup *lookup)
{
    pthread_mutex_destroy(&lookup->split_lock);
    for (size_t i = 0; i < lookup->reader_count; i++)
        dwarf_reader_free(&lookup->readers[i]);
    memory_release(lookup->readers);
    vec_free(&lookup->jobs);
    memory_release(lookup->indexes);
    memory_release(lookup->sorted);
    memory_release(lookup->answers);
    dwarf_owners_free(&lookup->owners);
    dwarf_file_free(&lookup->file);
    dwarf_file_free(&lookup->alternate);
}

int dwarf_lookup(const struct dwarf_sections *sections, const struct dwarf_files *files, const uint64_t *addresses,
                 size_t count, dwarf_found *found, void *data, size_t *damaged, struct error *error)
{
    struct lookup lookup = {.files = files, .addresses = addresses, .count = count};
    pthread_mutex_init(&lookup.split_lock, NULL);
    lookup.file.sections = *sections;
    if (files && files->alternate) {
        lookup.alternate.sections = *files->alternate;
        lookup.file.alternate = &lookup.alternate;
    }
    *damaged = 0;
    int result = count > 0 ? search(&lookup) : 0;
    *damaged = count_damaged(&lookup);
    for (size_t i = 0; i < count && result == 0; i++)
        if (lookup.answers[i].count > 0 && !found(data, i, lookup.answers[i].calls, lookup.answers[i].count))
            result = error_set(error, -ECANCELED, "the search for functions was cancelled");
    if (result == -ENOMEM)
        error_out_of_memory(error);
    free_lookup(&lookup);
    return result;
}
