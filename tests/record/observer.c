/* The recorder's eye on a process: chunks for its samples, looks at its threads, and its end. The process is a child that makes
 * a session file, registers its threads there, and waits. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "ipc/link.h"
#include "record/observer.h"
#include "session/chunk_manager.h"
#include "session/entry.h"
#include "session/reader.h"
#include "support/session_draw.h"

enum { DEADLINE_SECONDS = 100, LIMIT = 16 << 20 };

struct scene {
    char folder[64];
    int folder_fd;
    struct budget budget;
    struct observer *observer;
    bool tells_cpu; /* processes say what they had used when they were loaded */
    struct error error;
};

static uint64_t cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int begin(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    session_folder_make(scene->folder);
    scene->folder_fd = open(scene->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    budget_init(&scene->budget, LIMIT, NULL);
    struct observer_options options = {.folder = scene->folder,
                                       .folder_fd = scene->folder_fd,
                                       .budget = &scene->budget,
                                       .looks_bytes = 1 << 20,
                                       .interval_ns = 1000000,
                                       .counts_cpu = true};
    scene->observer = observer_create(&options, &scene->error);
    assert_non_null(scene->observer);
    alarm(DEADLINE_SECONDS);
    *state = scene;
    return 0;
}

static int end(void **state)
{
    struct scene *scene = *state;
    observer_free(scene->observer);
    budget_free(&scene->budget);
    close(scene->folder_fd);
    session_folder_remove(scene->folder);
    free(scene);
    alarm(0);
    return 0;
}

/* --- the process that is observed ------------------------------------------------------------------------------------- */

struct child {
    pid_t pid;
    int to, from; /* a byte there: the next step; a byte back: it is done */
};

struct steps {
    int in, out;
};

static void tell_thread(struct chunk_manager *manager, struct chunk *kept, uint32_t number, int32_t tid)
{
    struct thread_entry thread = {
        .thread = number, .tid = tid, .main = number == 1, .sampled = true, .name = SLICE("a thread of the child")};
    uint8_t *out = chunk_reserve(kept, 2 * ENTRY_NUMBERS_MAX);
    if (!out)
        _exit(3);
    chunk_commit(kept, 2 * ENTRY_NUMBERS_MAX, entry_write_thread(out, 2 * ENTRY_NUMBERS_MAX, &thread));
    atomic_fetch_add(&chunk_manager_header(manager)->threads_changed, 1);
}

/* Waits for the next step, having said that the last one is done, or could not be. */
static char next_step(const struct steps *steps, bool done)
{
    char byte = done ? 'x' : 'n';
    if (write(steps->out, &byte, 1) != 1 || read(steps->in, &byte, 1) != 1)
        _exit(0);
    return byte;
}

static _Atomic int32_t second_tid;

static void *wait_for_ever(void *data)
{
    atomic_store(&second_tid, gettid());
    for (;;)
        pause();
    return data;
}

/* Runs for longer than a thread needs to register itself, and then waits: `data` is its name. */
static void *run_unregistered(void *data)
{
    struct timespec used;
    prctl(PR_SET_NAME, data);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    while (used.tv_nsec < 20000000);
    return wait_for_ever(data);
}

static bool start_unregistered(const char *name)
{
    pthread_t thread;
    atomic_store(&second_tid, 0);
    if (pthread_create(&thread, NULL, run_unregistered, (void *)name) != 0)
        return false;
    while (atomic_load(&second_tid) == 0)
        usleep(1000);
    return true;
}

/* Writes a chunk of samples, as a handler would. */
static bool write_samples(struct chunk_manager *manager)
{
    struct chunk *chunk = chunk_manager_take_supplied(manager, NULL, 1);
    if (!chunk)
        return false;
    for (uint8_t *out; (out = chunk_reserve(chunk, ENTRY_NUMBERS_MAX));) {
        struct sample_entry sample = {.thread = 1, .time = 1};
        chunk_commit(chunk, ENTRY_NUMBERS_MAX, entry_write_sample(out, ENTRY_NUMBERS_MAX, &sample));
    }
    chunk_manager_give_supplied_back(chunk, 2);
    return true;
}

static void play_process(const struct scene *scene, const struct steps *steps)
{
    struct error error = {0};
    struct chunk_manager_options options = {
        .folder = scene->folder, .pid = getpid(), .limit_bytes = LIMIT, .start_monotonic_ns = now_ns()};
    if (scene->tells_cpu)
        options.begin_cpu_ns = cpu_ns();
    struct chunk_manager *manager = chunk_manager_create(&options, &error);
    struct chunk *kept = manager ? chunk_manager_take(manager, CHUNK_KEPT, 1) : NULL;
    if (!kept)
        _exit(2);
    (void)prctl(PR_SET_PTRACER, getppid(), 0, 0, 0);
    tell_thread(manager, kept, 1, getpid());
    for (bool done = true;;)
        switch (next_step(steps, done)) {
        case 's':
            done = write_samples(manager);
            break;
        case 't': {
            pthread_t thread;
            if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
                _exit(5);
            while (atomic_load(&second_tid) == 0)
                usleep(1000);
            tell_thread(manager, kept, 2, atomic_load(&second_tid));
            break;
        }
        case 'o': /* one of the library's own */
            done = start_unregistered(LINK_OWN_THREADS "-control");
            break;
        case 'u': /* … or not: it runs for 20 ms */
            done = start_unregistered("stranger");
            break;
        case 'e': /* its recording is over; the process is not */
            atomic_store(&chunk_manager_header(manager)->end_ns, 5);
            break;
        case 'c': /* it had not been so */
            atomic_store(&chunk_manager_header(manager)->end_ns, 0);
            break;
        }
}

static bool wait_for_step(const struct child *child)
{
    char byte;
    assert_int_equal(read(child->from, &byte, 1), 1);
    return byte == 'x';
}

static bool step(const struct child *child, char what)
{
    assert_int_equal(write(child->to, &what, 1), 1);
    return wait_for_step(child);
}

static struct child start(const struct scene *scene)
{
    int to[2], from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(DEADLINE_SECONDS);
        close(to[1]);
        close(from[0]);
        play_process(scene, &(struct steps){to[0], from[1]});
    }
    close(to[0]);
    close(from[1]);
    struct child child = {pid, to[1], from[0]};
    assert_true(wait_for_step(&child));
    return child;
}

static void finish(const struct child *child)
{
    kill(child->pid, SIGKILL);
    assert_int_equal(waitpid(child->pid, NULL, 0), child->pid);
    close(child->to);
    close(child->from);
}

/* --- what was written ------------------------------------------------------------------------------------------------- */

struct seen {
    int32_t tid; /* that is asked for */
    uint64_t looks, waits, stacks, others, modules, pauses, resumes, counters;
    struct counter_sample_entry first_count, last_count;
};

static int see(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    struct seen *seen = data;
    switch (entry->kind) {
    case ENTRY_LOOK:
        seen->others += entry->look.tid != seen->tid;
        if (entry->look.tid != seen->tid)
            break;
        seen->looks++;
        seen->waits += entry->look.state == LOOK_WAITING;
        seen->stacks += entry->look.stack.frames.count > 0;
        break;
    case ENTRY_MODULE:
        seen->modules++;
        break;
    case ENTRY_PAUSE:
        seen->pauses++;
        break;
    case ENTRY_RESUME:
        seen->resumes++;
        break;
    case ENTRY_COUNTER_SAMPLE:
        if (seen->counters++ == 0)
            seen->first_count = entry->counter_sample;
        seen->last_count = entry->counter_sample;
        break;
    default:
        break;
    }
    return 0;
}

static struct seen read_looks(struct scene *scene, pid_t owner, int32_t tid)
{
    char path[128];
    struct seen seen = {.tid = tid};
    struct session_reading reading = {0};
    snprintf(path, sizeof path, "%s/" LOOKS_NAME, scene->folder);
    struct session_file *file = session_file_open(path, &scene->error);
    assert_non_null(file);
    assert_int_equal(session_file_visit_owner(file, session_owner(owner, 0), &(struct session_visitor){.entry = see}, &seen,
                                              &reading, &scene->error),
                     0);
    session_file_close(file);
    assert_int_equal(reading.bad_entries, 0);
    return seen;
}

static struct session_file_header header_of(struct scene *scene, pid_t pid)
{
    char path[128];
    struct session_file_header header;
    snprintf(path, sizeof path, "%s/%d-0.sonde", scene->folder, pid);
    struct session_file *file = session_file_open(path, &scene->error);
    assert_non_null(file);
    session_file_header(file, &header);
    session_file_close(file);
    return header;
}

/* Turns as they are due. */
static void turn(struct scene *scene)
{
    uint64_t due = observer_turn(scene->observer, now_ns()), now = now_ns();
    if (due > now)
        usleep((useconds_t)((due - now) / 1000) + 1);
}

static void add(struct scene *scene, const struct child *child)
{
    observer_add(scene->observer, child->pid, 0, child->pid, now_ns());
}

/* --- tests ------------------------------------------------------------------------------------------------------------ */

static void a_process_has_a_chunk_for_its_samples_at_once_and_another_when_it_is_full(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene);
    add(scene, &child);
    assert_int_equal(observer_count(scene->observer), 1);
    assert_int_equal(scene->budget.processes.count, 1);
    assert_true(step(&child, 's'));
    for (int written = 1; written < 20; written += step(&child, 's'))
        turn(scene);
    while (scene->budget.processes.items[0]->done == 0)
        turn(scene);
    /* They count in the memory of the session. */
    const struct budget_process *share = scene->budget.processes.items[0];
    assert_true(share->done > 0);
    assert_true(share->used > 0);
    assert_true(observer_held(scene->observer) >= share->used + share->done);
    finish(&child);
}

static void a_thread_that_waits_is_seen_where_it_waits(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene);
    add(scene, &child);
    while (read_looks(scene, child.pid, child.pid).waits == 0)
        turn(scene);
    struct seen seen = read_looks(scene, child.pid, child.pid);
    assert_int_equal(seen.others, 0); /* nobody else is registered */
    struct session_file_header header = header_of(scene, child.pid);
    if (header.statistics[STATISTIC_LOOKS_REFUSED] == 0) {
        assert_true(seen.stacks > 0);
        assert_true(seen.modules > 0);
    }
    assert_int_equal(header.statistics[STATISTIC_LOOKS] + header.statistics[STATISTIC_LOOKS_REFUSED], seen.looks);
    /* About another process there is nothing. */
    assert_int_equal(read_looks(scene, child.pid + 1, child.pid).looks, 0);
    finish(&child);
}

static void a_thread_that_registers_later_is_found(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene);
    add(scene, &child);
    turn(scene);
    assert_int_equal(read_looks(scene, child.pid, child.pid).others, 0);
    step(&child, 't');
    while (read_looks(scene, child.pid, child.pid).others == 0)
        turn(scene);
    finish(&child);
}

static void threads_that_are_not_registered_are_counted_but_not_those_of_the_library(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene);
    add(scene, &child);
    assert_true(step(&child, 'o'));
    assert_true(step(&child, 'u'));
    while (header_of(scene, child.pid).statistics[STATISTIC_THREADS_UNREGISTERED] == 0)
        turn(scene);
    struct session_file_header header = header_of(scene, child.pid);
    assert_int_equal(header.statistics[STATISTIC_THREADS_UNREGISTERED], 1);
    assert_string_equal(header.unregistered_names, "stranger");
    while (header_of(scene, child.pid).unregistered_ns < 20000000)
        turn(scene);
    finish(&child);
}

static void a_process_that_has_ended_is_let_go(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene), other = start(scene);
    add(scene, &child);
    add(scene, &other);
    turn(scene);
    assert_int_equal(observer_count(scene->observer), 2);
    finish(&child);
    while (observer_count(scene->observer) == 2)
        turn(scene);
    assert_int_equal(observer_count(scene->observer), 1);
    assert_int_equal(scene->budget.processes.count, 1);
    finish(&other);
    while (observer_count(scene->observer) > 0)
        turn(scene);
    assert_int_equal(scene->budget.processes.count, 0);
}

static void one_that_says_it_is_over_is_let_go_when_it_has_left(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene);
    add(scene, &child);
    step(&child, 'e');
    turn(scene);
    assert_int_equal(observer_count(scene->observer), 1); /* it may have wanted to become another program, and failed */
    step(&child, 'c');
    observer_left(scene->observer, child.pid, 1, child.pid); /* another file of it */
    observer_left(scene->observer, child.pid, 0, child.pid);
    turn(scene);
    assert_int_equal(observer_count(scene->observer), 1); /* it only closed what it did not know, and goes on */
    step(&child, 'e');
    while (observer_count(scene->observer) > 0)
        turn(scene);
    finish(&child);
}

static void who_joins_twice_is_observed_once_and_a_new_program_takes_the_place_of_the_old_one(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene);
    add(scene, &child);
    add(scene, &child);
    assert_int_equal(observer_count(scene->observer), 1);
    struct chunk_manager_options options = {.folder = scene->folder, .pid = child.pid, .limit_bytes = 1 << 20};
    struct chunk_manager *manager = chunk_manager_create(&options, &scene->error);
    assert_non_null(manager);
    assert_int_equal(chunk_manager_image(manager), 1);
    observer_add(scene->observer, child.pid, 1, child.pid, now_ns());
    assert_int_equal(observer_count(scene->observer), 1);
    assert_int_equal(scene->budget.processes.count, 1);
    assert_non_null(chunk_manager_take_supplied(manager, NULL, 1)); /* that one is observed now */
    chunk_manager_free(manager);
    finish(&child);
}

static void who_has_no_file_or_none_of_ours_is_not_observed(void **state)
{
    struct scene *scene = *state;
    observer_add(scene->observer, getpid(), 0, getpid(), now_ns());
    assert_int_equal(observer_count(scene->observer), 0);
    char path[128];
    snprintf(path, sizeof path, "%s/%d-0.sonde", scene->folder, getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "no session", 10), 10);
    close(fd);
    observer_add(scene->observer, getpid(), 0, getpid(), now_ns());
    assert_int_equal(observer_count(scene->observer), 0);
    unlink(path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    observer_add(scene->observer, getpid(), 0, getpid(), now_ns());
    assert_int_equal(observer_count(scene->observer), 0);
    assert_int_equal(scene->budget.processes.count, 0);
    observer_turn(scene->observer, now_ns());
}

static void a_pause_is_told_and_nobody_is_looked_at_meanwhile(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene);
    add(scene, &child);
    turn(scene);
    observer_pause(scene->observer, true, now_ns());
    observer_pause(scene->observer, true, now_ns()); /* it does already */
    assert_int_equal(header_of(scene, child.pid).state, SESSION_PAUSED);
    struct seen before = read_looks(scene, child.pid, child.pid);
    assert_int_equal(before.pauses, 1);
    for (int i = 0; i < 5; i++)
        turn(scene);
    struct seen paused = read_looks(scene, child.pid, child.pid);
    assert_int_equal(paused.looks, before.looks);
    assert_int_equal(paused.counters, before.counters);
    observer_pause(scene->observer, false, now_ns());
    assert_int_equal(header_of(scene, child.pid).state, SESSION_RECORDING);
    struct seen after = read_looks(scene, child.pid, child.pid);
    assert_int_equal(after.resumes, 1);
    assert_int_equal(after.looks, before.looks + 1); /* where it is after the pause */
    finish(&child);
}

static void the_cpu_time_of_a_process_counts_from_when_it_was_loaded_or_seen(void **state)
{
    struct scene *scene = *state;
    for (int tells = 0; tells < 2; tells++) {
        scene->tells_cpu = tells;
        struct child child = start(scene);
        add(scene, &child);
        struct seen seen = {0};
        do {
            assert_true(step(&child, 'u'));
            turn(scene);
            seen = read_looks(scene, child.pid, child.pid);
        } while (seen.counters < 3);
        /* So that nothing is a rate of a time that nobody knows. */
        assert_int_equal(seen.first_count.count, 0);
        assert_int_equal(seen.first_count.time == 0, tells);
        assert_true(seen.last_count.count > 0 && seen.last_count.time > seen.first_count.time);
        finish(&child);
    }
}

static void a_stop_is_written_into_the_files_of_those_that_run(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene), over = start(scene);
    add(scene, &child);
    add(scene, &over);
    step(&over, 'e');
    struct seen before = read_looks(scene, child.pid, child.pid);
    observer_stop(scene->observer, now_ns());
    struct session_file_header header = header_of(scene, child.pid);
    assert_int_equal(header.state, SESSION_STOPPED);
    assert_int_not_equal(header.end_ns, 0);
    assert_int_equal(read_looks(scene, child.pid, child.pid).looks, before.looks + 1);
    /* What it said itself stays. */
    header = header_of(scene, over.pid);
    assert_int_equal(header.state, SESSION_RECORDING);
    assert_int_equal(header.end_ns, 5);
    /* Nobody is looked after any more, and nothing is held for them. */
    assert_int_equal(observer_count(scene->observer), 0);
    assert_int_equal(scene->budget.processes.count, 0);
    finish(&child);
    finish(&over);
}

static void an_empty_heap_costs_a_process_and_no_more(void **state)
{
    struct scene *scene = *state;
    struct child child = start(scene);
    bool observed = false;
    for (unsigned long n = 1; n < 100 && !observed; n++) {
        memory_fail_after(n);
        add(scene, &child);
        memory_fail_after(0);
        observed = observer_count(scene->observer) == 1;
        assert_int_equal(scene->budget.processes.count, observed);
    }
    assert_true(observed);
    turn(scene);
    finish(&child);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_process_has_a_chunk_for_its_samples_at_once_and_another_when_it_is_full),
        TEST(a_thread_that_waits_is_seen_where_it_waits),
        TEST(a_thread_that_registers_later_is_found),
        TEST(threads_that_are_not_registered_are_counted_but_not_those_of_the_library),
        TEST(a_process_that_has_ended_is_let_go),
        TEST(one_that_says_it_is_over_is_let_go_when_it_has_left),
        TEST(who_joins_twice_is_observed_once_and_a_new_program_takes_the_place_of_the_old_one),
        TEST(who_has_no_file_or_none_of_ours_is_not_observed),
        TEST(a_pause_is_told_and_nobody_is_looked_at_meanwhile),
        TEST(the_cpu_time_of_a_process_counts_from_when_it_was_loaded_or_seen),
        TEST(a_stop_is_written_into_the_files_of_those_that_run),
        TEST(an_empty_heap_costs_a_process_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
