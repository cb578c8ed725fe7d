#include <alloca.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "looker/waiter.h"

/* Not static, so that the dynamic linker knows their names. */
void with_room(struct waiter *child, size_t more, bool waits);
void left_behind(struct waiter *child, size_t more);
void left_by_many(struct waiter *child, size_t more);

static struct waiter waiter;

static void show(const struct look *look)
{
    for (size_t i = 0; i < look->count; i++)
        print_message("  %2zu %s\n", i, look_name(look, i));
    print_message("  truncated %d refused %d\n", look->truncated, look->refused);
}

/* --- waits of all kinds -------------------------------------------------------------------------------------------------- */

static void check_wait(void (*play)(struct waiter *), const char *wait)
{
    struct look look;
    waiter_start(&waiter, play);
    waiter_look(&waiter, &waiter.thread, &look);
    if (look.truncated || !look_has(&look, wait) || !look_has(&look, "outer"))
        show(&look);
    assert_false(look.truncated);
    assert_true(look_has(&look, wait));
    assert_true(look_has(&look, "outer"));
    assert_true(look_has(&look, "main"));
    assert_true(look.runs > 0 && look.cpu_ns > 0);
    waiter_end(&waiter);
}

#define WAIT_TEST(kind)                                                                                                        \
    static void play_##kind(struct waiter *child)                                                                              \
    {                                                                                                                          \
        outer(child, wait_in_##kind);                                                                                          \
    }                                                                                                                          \
    static void a_wait_in_##kind##_has_its_whole_stack(void **state)                                                           \
    {                                                                                                                          \
        (void)state;                                                                                                           \
        check_wait(play_##kind, "wait_in_" #kind);                                                                             \
    }

WAIT_TEST(read)
WAIT_TEST(nanosleep)
WAIT_TEST(futex)
WAIT_TEST(poll)
WAIT_TEST(epoll)
WAIT_TEST(condition)
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
WAIT_TEST(vfork)
#endif

static long (*syscall_of_preload)(long number, ...);

/* Not static: known by name. */
void wait_in_syscall_of_preload(struct waiter *child);
__attribute__((noinline)) void wait_in_syscall_of_preload(struct waiter *child)
{
    uint32_t steps = atomic_load(&child->facts->steps);
    syscall_of_preload(SYS_futex, &child->facts->steps, 0 /* FUTEX_WAIT */, steps, NULL, NULL, 0);
    __asm__ volatile("" ::: "memory");
}

static void play_syscall_of_preload(struct waiter *child)
{
    void *library = dlopen(PRELOAD, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "syscall") : NULL;
    if (!found)
        _exit(1);
    memcpy(&syscall_of_preload, &found, sizeof found);
    outer(child, wait_in_syscall_of_preload);
}

static void a_wait_in_syscall_is_its_callers_in_recorded_programs(void **state)
{
    (void)state;
    struct look look;
    waiter_start(&waiter, play_syscall_of_preload);
    waiter_look(&waiter, &waiter.thread, &look);
    assert_string_equal(look_name(&look, 0), "wait_in_syscall_of_preload");
    assert_true(look_has(&look, "outer"));
    assert_false(look.truncated);
    waiter_end(&waiter);
}

static void the_same_wait_is_not_walked_again(void **state)
{
    (void)state;
    struct look first, second;
    waiter_start(&waiter, play_read);
    waiter_look(&waiter, &waiter.thread, &first);
    assert_true(look_take(waiter.target, &waiter.thread, &second));
    assert_int_equal(second.state, LOOK_WAITING);
    assert_true(second.same);
    assert_int_equal(second.runs, first.runs);
    assert_int_equal(second.cpu_ns, first.cpu_ns);
    assert_int_equal(second.count, 0);
    assert_true(second.time_ns > first.time_ns);
    look_thread_forget(&waiter.thread);
    assert_true(look_take(waiter.target, &waiter.thread, &second));
    assert_false(second.same);
    assert_true(look_has(&second, "wait_in_read"));
    waiter_end(&waiter);
}

static void play_two_waits(struct waiter *child)
{
    outer(child, wait_in_futex);
    outer(child, wait_in_read);
}

static void a_new_wait_is_seen_as_such(void **state)
{
    (void)state;
    struct look first, second;
    waiter_start(&waiter, play_two_waits);
    waiter_look(&waiter, &waiter.thread, &first);
    assert_true(look_has(&first, "wait_in_futex"));
    atomic_fetch_add(&waiter.facts->steps, 1);
    for (int tries = 0; tries < 5000; tries++) {
        syscall(SYS_futex, &waiter.facts->steps, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
        assert_true(look_take(waiter.target, &waiter.thread, &second));
        if (second.state == LOOK_WAITING && !second.same)
            break;
        usleep(1000);
    }
    assert_true(look_has(&second, "wait_in_read"));
    assert_true(second.runs > first.runs);
    waiter_end(&waiter);
}

/* --- labels -------------------------------------------------------------------------------------------------------------- */

static void push(struct waiter_facts *facts, const char *label, const char *dynamic, const void *address)
{
    uint32_t depth = atomic_load(&facts->labels.depth);
    if (depth < LABEL_STACK_ROOM)
        facts->labels.frames[depth] = (struct label_frame){.label = label, .dynamic = dynamic, .stack_address = address};
    atomic_store(&facts->labels.depth, depth + 1);
}

static const struct frame_entry *find_label(const struct look *look, const char *text)
{
    for (size_t i = 0; i < look->count; i++)
        if (look->frames[i].kind == FRAME_LABEL && slice_equal(look->frames[i].text, slice_of(text)))
            return &look->frames[i];
    return NULL;
}

static void play_labels(struct waiter *child)
{
    char dynamic[] = "in the child only"; /* memory that the test does not have */
    push(child->facts, "first", NULL, __builtin_frame_address(0));
    push(child->facts, "second", dynamic, (char *)__builtin_frame_address(0) - 1);
    push(child->facts, (const char *)8, (const char *)16, (char *)__builtin_frame_address(0) - 2); /* unreadable */
    outer(child, wait_in_read);
}

static void labels_stand_between_the_frames(void **state)
{
    (void)state;
    struct look look;
    waiter_start(&waiter, play_labels);
    waiter_look(&waiter, &waiter.thread, &look);
    const struct frame_entry *first = find_label(&look, "first"), *second = find_label(&look, "second in the child only");
    assert_non_null(first);
    assert_non_null(second);
    assert_non_null(find_label(&look, ""));
    assert_true(first < second);
    assert_true(look_has(&look, "main"));
    assert_int_equal(look.frames[look.count - 1].kind, FRAME_NATIVE);
    waiter_end(&waiter);
}

static void play_many_labels(struct waiter *child)
{
    for (int i = 0; i < LABEL_STACK_ROOM + 10; i++)
        push(child->facts, "many", NULL, (char *)__builtin_frame_address(0) - i);
    outer(child, wait_in_read);
}

static void more_labels_than_fit_are_said_to_be_cut(void **state)
{
    (void)state;
    struct look look;
    size_t labels = 0;
    waiter_start(&waiter, play_many_labels);
    waiter_look(&waiter, &waiter.thread, &look);
    for (size_t i = 0; i < look.count; i++)
        labels += look.frames[i].kind == FRAME_LABEL;
    assert_int_equal(labels, LABEL_STACK_ROOM);
    assert_true(look.truncated);
    waiter_end(&waiter);
}

static void a_label_stack_that_is_not_there_is_none(void **state)
{
    (void)state;
    struct look look;
    waiter_start(&waiter, play_read);
    waiter.thread.labels = 4096;
    waiter_look(&waiter, &waiter.thread, &look);
    assert_false(look.truncated);
    assert_true(look_has(&look, "wait_in_read"));
    waiter_end(&waiter);
}

/* --- other states -------------------------------------------------------------------------------------------------------- */

static void play_spin(struct waiter *child)
{
    spin(child);
}

static void a_running_thread_is_running(void **state)
{
    (void)state;
    struct look look;
    waiter_start(&waiter, play_spin);
    while (!atomic_load(&waiter.facts->ready))
        usleep(100);
    for (int i = 0; i < 100; i++) {
        assert_true(look_take(waiter.target, &waiter.thread, &look));
        assert_int_equal(look.state, LOOK_RUNNING);
        assert_int_equal(look.count, 0);
        assert_false(look.same);
    }
    waiter_end(&waiter);
}

static void *short_life(void *data)
{
    struct waiter *child = data;
    atomic_store(&child->facts->tid, gettid());
    while (!atomic_load(&child->facts->go))
        usleep(1000);
    return NULL;
}

static void play_second_thread(struct waiter *child)
{
    pthread_t thread;
    pthread_create(&thread, NULL, short_life, child);
    pthread_join(thread, NULL);
    atomic_store(&child->facts->steps, 1);
    outer(child, wait_in_read);
}

static void a_thread_that_ended_is_told(void **state)
{
    (void)state;
    struct look look;
    struct look_thread kept, fresh;
    waiter_start(&waiter, play_second_thread);
    while (!atomic_load(&waiter.facts->tid))
        usleep(100);
    look_thread_init(&kept, atomic_load(&waiter.facts->tid), 0, 0);
    look_thread_init(&fresh, atomic_load(&waiter.facts->tid), 0, 0);
    assert_true(look_take(waiter.target, &kept, &look));
    assert_true(kept.files.schedstat >= 0);
    atomic_store(&waiter.facts->go, true);
    while (!atomic_load(&waiter.facts->steps))
        usleep(100);
    bool there = true; /* it may be on its way out for a moment, after it was joined */
    for (int tries = 0; there && tries < 1000; tries++, usleep(1000))
        there = look_take(waiter.target, &kept, &look);
    assert_false(there);
    assert_true(kept.runs > 0);
    assert_int_equal(kept.files.schedstat, -1);
    assert_false(look_take(waiter.target, &fresh, &look));
    /* The others are not gone. */
    assert_true(look_take(waiter.target, &waiter.thread, &look));
    waiter_end(&waiter);
}

static void *outlives(void *data)
{
    struct waiter *child = data;
    atomic_store(&child->facts->tid, gettid());
    outer(child, wait_in_read);
    return NULL;
}

static void play_first_ends(struct waiter *child)
{
    pthread_t thread;
    pthread_create(&thread, NULL, outlives, child);
    pthread_exit(NULL);
}

static void a_process_whose_first_thread_has_ended_is_looked_at(void **state)
{
    (void)state;
    struct look look;
    struct look_thread second;
    waiter_start(&waiter, play_first_ends);
    while (!atomic_load(&waiter.facts->ready))
        usleep(100);
    bool there = true;
    for (int tries = 0; there && tries < 1000; tries++, usleep(1000))
        there = look_take(waiter.target, &waiter.thread, &look);
    assert_false(there);
    look_thread_init(&second, atomic_load(&waiter.facts->tid), 0, 0);
    waiter_look(&waiter, &second, &look);
    if (look.truncated)
        show(&look);
    assert_false(look.truncated);
    assert_true(look_has(&look, "wait_in_read"));
    assert_true(look_has(&look, "outlives") || look_has(&look, "outer"));
    look_thread_close(waiter.target, &second);
    waiter_end(&waiter);
}

static void a_process_that_is_gone_is_told(void **state)
{
    (void)state;
    struct look look;
    waiter_start(&waiter, play_read);
    waiter_look(&waiter, &waiter.thread, &look);
    kill(waiter.pid, SIGKILL);
    waitpid(waiter.pid, NULL, 0);
    assert_false(look_take(waiter.target, &waiter.thread, &look));
    assert_false(look_take(waiter.target, &waiter.thread, &look));
    struct error error = {0};
    assert_null(look_target_open(waiter.looker, waiter.pid, &error));
    assert_int_equal(error.code, -ESRCH);
    waiter_end(&waiter);
}

/* --- stacks that are not as they should be ------------------------------------------------------------------------------- */

static void play_deep(struct waiter *child)
{
    deep(child, 300);
}

static void play_too_deep(struct waiter *child)
{
    deep(child, 2 * STACK_FRAMES_MAX);
}

static void a_deep_stack_is_whole(void **state)
{
    (void)state;
    struct look look;
    waiter_start(&waiter, play_deep);
    waiter_look(&waiter, &waiter.thread, &look);
    assert_false(look.truncated);
    assert_true(look.count > 300);
    assert_true(look_has(&look, "main"));
    waiter_end(&waiter);
}

static void a_stack_that_is_too_deep_loses_its_oldest_frames(void **state)
{
    (void)state;
    struct look look;
    waiter_start(&waiter, play_too_deep);
    waiter_look(&waiter, &waiter.thread, &look);
    assert_true(look.truncated);
    assert_int_equal(look.count, STACK_FRAMES_MAX);
    assert_true(look_has(&look, "wait_in_read"));
    waiter_end(&waiter);
}

/* Another thread of the child writes over the stack of the waiting one. */
__attribute__((no_sanitize("address", "undefined"))) static void *overwrite(void *data)
{
    struct waiter *child = data;
    uintptr_t start = child->facts->address - 2048;
    atomic_store(&child->facts->ready, true);
    for (unsigned round = 1;; round++) {
        for (size_t i = 0; i < 4096; i += sizeof(uint64_t)) {
            uint64_t word = (uint64_t)random() << 32 | (uint64_t)random();
            word = round % 4 == 0   ? word
                   : round % 4 == 1 ? start + word % 4096
                   : round % 4 == 2 ? (uintptr_t)overwrite + word % 4096
                                    : 0;
            *(volatile uint64_t *)(start + i) = word; /* not what a sanitizer likes */
        }
    }
    return NULL;
}

static void *victim(void *data)
{
    struct waiter *child = data;
    child->facts->address = (uintptr_t)__builtin_frame_address(0);
    atomic_store(&child->facts->tid, gettid());
    wait_in_read(child);
    _exit(0);
}

static void play_overwritten(struct waiter *child)
{
    pthread_t thread, other;
    pthread_create(&thread, NULL, victim, child);
    while (!atomic_load(&child->facts->tid))
        usleep(100);
    usleep(10000);
    pthread_create(&other, NULL, overwrite, child);
    pause();
}

static void a_stack_that_is_overwritten_meanwhile_does_no_harm(void **state)
{
    (void)state;
    struct look look;
    struct look_thread thread;
    waiter_start(&waiter, play_overwritten);
    while (!atomic_load(&waiter.facts->ready))
        usleep(100);
    look_thread_init(&thread, atomic_load(&waiter.facts->tid), waiter.facts->address - 1000, 0); /* nor are those labels */
    for (int i = 0; i < 20000; i++) {
        assert_true(look_take(waiter.target, &thread, &look));
        assert_true(look.count <= STACK_FRAMES_MAX);
        look_thread_forget(&thread);
    }
    look_thread_close(waiter.target, &thread);
    waiter_end(&waiter);
}

/* A function with a frame pointer, and in its frame what earlier calls have left behind: the return address of a call of the
 * same function by left_behind(), further down than it stands now. */
__attribute__((noinline)) void with_room(struct waiter *child, size_t more, bool waits)
{
    volatile char room[3000], *taken = more ? alloca(more) : NULL;
    room[0] = 1;
    if (taken)
        taken[0] = 1;
    if (waits) {
        atomic_store(&child->facts->ready, true);
        wait_in_read(child);
    }
    __asm__ volatile("" ::"r"(room), "r"(taken), "r"(__builtin_frame_address(0)) : "memory");
}

__attribute__((noinline)) void left_behind(struct waiter *child, size_t more)
{
    volatile char room[1000];
    room[0] = 1;
    with_room(child, more, false);
    __asm__ volatile("" ::"r"(room) : "memory");
}

__attribute__((noinline)) void left_by_many(struct waiter *child, size_t more)
{
    left_behind(child, more);
    with_room(child, more, true);
    __asm__ volatile("" ::: "memory");
}

static void play_left_behind(struct waiter *child)
{
    left_by_many(child, 0);
}

static void play_left_behind_and_alloca(struct waiter *child)
{
    left_by_many(child, 2000);
}

static void what_earlier_calls_left_is_not_the_stack(void **state)
{
    (void)state;
    struct look look;
    waiter_start(&waiter, play_left_behind);
    waiter_look(&waiter, &waiter.thread, &look);
    if (look.truncated || look_has(&look, "left_behind"))
        show(&look);
    assert_false(look.truncated);
    assert_true(look_has(&look, "with_room"));
    assert_true(look_has(&look, "left_by_many"));
    assert_false(look_has(&look, "left_behind"));
    waiter_end(&waiter);
    /* Where nobody knows how large the frame is, the stack is rather cut than wrong. */
    waiter_start(&waiter, play_left_behind_and_alloca);
    waiter_look(&waiter, &waiter.thread, &look);
    if (look_has(&look, "left_behind"))
        show(&look);
    assert_true(look_has(&look, "with_room"));
    assert_false(look_has(&look, "left_behind"));
    waiter_end(&waiter);
}

/* --- who may look -------------------------------------------------------------------------------------------------------- */

static void play_nobody(struct waiter *child)
{
    enum { NOBODY = 65534 };
    if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
        _exit(1);
    prctl(PR_SET_DUMPABLE, 0);
    outer(child, wait_in_read);
}

/* As a user that has no rights over the target. Effective ids alone would leave the test able to come back, and the capability
 * to read everything goes with them. */
static void who_may_not_look_gets_figures(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    struct look look;
    waiter_start(&waiter, play_nobody);
    while (!atomic_load(&waiter.facts->ready))
        usleep(100);
    usleep(10000);
    pid_t judge = fork();
    if (judge == 0) {
        enum { ANOTHER = 65533 };
        if (setresuid(ANOTHER, ANOTHER, ANOTHER) != 0)
            _exit(2);
        if (!look_take(waiter.target, &waiter.thread, &look))
            _exit(3);
        if (!look.refused || look.count != 0)
            _exit(4);
        if (look.state != LOOK_WAITING || look.runs == 0 || look.cpu_ns == 0)
            _exit(5);
        if (!look_take(waiter.target, &waiter.thread, &look) || !look.refused || !look.same)
            _exit(6);
        _exit(0);
    }
    int status;
    waitpid(judge, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    waiter_end(&waiter);
}

/* --- one's own process --------------------------------------------------------------------------------------------------- */

static void *own_thread(void *data)
{
    struct waiter *self = data;
    atomic_store(&self->facts->tid, gettid());
    outer(self, wait_in_read);
    return NULL;
}

static void threads_of_the_own_process_are_looked_at(void **state)
{
    (void)state;
    struct look look;
    static struct waiter_facts facts;
    struct error error = {0};
    struct waiter self = {.facts = &facts, .pid = getpid()};
    assert_int_equal(pipe(self.pipe), 0);
    pthread_t thread;
    pthread_create(&thread, NULL, own_thread, &self);
    while (!atomic_load(&facts.ready))
        usleep(100);
    self.looker = looker_create(0); /* nothing stays open */
    self.target = look_target_open(self.looker, self.pid, &error);
    assert_non_null(self.target);
    look_thread_init(&self.thread, atomic_load(&facts.tid), 0, 0);
    waiter_look(&self, &self.thread, &look);
    if (look.truncated)
        show(&look);
    assert_false(look.truncated);
    assert_true(look_has(&look, "wait_in_read"));
    assert_true(look_has(&look, "outer"));
    assert_int_equal(self.thread.files.schedstat, -1);
    assert_int_equal(self.thread.files.syscall, -1);
    /* The thread that looks runs. */
    struct look_thread mine;
    look_thread_init(&mine, gettid(), 0, 0);
    assert_true(look_take(self.target, &mine, &look));
    assert_int_equal(look.state, LOOK_RUNNING);
    look_target_close(self.target);
    looker_free(self.looker);
    close(self.pipe[1]);
    pthread_join(thread, NULL);
    close(self.pipe[0]);
}

/* --- many threads -------------------------------------------------------------------------------------------------------- */

enum { MANY = 20 };

static void *one_of_many(void *data)
{
    struct waiter *child = data;
    atomic_fetch_add(&child->facts->steps, 1);
    wait_in_read(child);
    return NULL;
}

static void play_many(struct waiter *child)
{
    for (int i = 0; i < MANY; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, one_of_many, child);
    }
    outer(child, wait_in_read);
}

static size_t threads_of(pid_t pid, struct look_thread *threads)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) && count <= MANY;)
        if (entry->d_name[0] != '.')
            look_thread_init(&threads[count++], atoi(entry->d_name), 0, 0);
    closedir(folder);
    return count;
}

static void files_are_kept_open_up_to_the_limit(void **state)
{
    (void)state;
    struct look look;
    struct look_thread threads[MANY + 1];
    struct error error = {0};
    waiter_start(&waiter, play_many);
    waiter_look(&waiter, &waiter.thread, &look);
    while (atomic_load(&waiter.facts->steps) < MANY)
        usleep(1000);
    usleep(50000);
    struct looker *few = looker_create(1 + 2 * 5);
    struct look_target *target = look_target_open(few, waiter.pid, &error);
    assert_int_equal(threads_of(waiter.pid, threads), MANY + 1);
    size_t kept = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i <= MANY; i++) {
            for (int tries = 0; tries < 1000; tries++, usleep(1000)) {
                assert_true(look_take(target, &threads[i], &look));
                if (look.state == LOOK_WAITING)
                    break;
            }
            assert_int_equal(look.state, LOOK_WAITING);
            assert_int_equal(look.same, round > 0);
        }
    }
    for (int i = 0; i <= MANY; i++)
        kept += threads[i].files.schedstat >= 0;
    assert_int_equal(kept, 5);
    for (int i = 0; i <= MANY; i++)
        look_thread_close(target, &threads[i]);
    look_target_close(target);
    looker_free(few);
    waiter_end(&waiter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_in_read_has_its_whole_stack),
        cmocka_unit_test(a_wait_in_nanosleep_has_its_whole_stack),
        cmocka_unit_test(a_wait_in_futex_has_its_whole_stack),
        cmocka_unit_test(a_wait_in_poll_has_its_whole_stack),
        cmocka_unit_test(a_wait_in_epoll_has_its_whole_stack),
        cmocka_unit_test(a_wait_in_condition_has_its_whole_stack),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        /* Sanitizers have a vfork() of their own, which says nothing of where its return address is. */
        cmocka_unit_test(a_wait_in_vfork_has_its_whole_stack),
#endif
        cmocka_unit_test(a_wait_in_syscall_is_its_callers_in_recorded_programs),
        cmocka_unit_test(the_same_wait_is_not_walked_again),
        cmocka_unit_test(a_new_wait_is_seen_as_such),
        cmocka_unit_test(labels_stand_between_the_frames),
        cmocka_unit_test(more_labels_than_fit_are_said_to_be_cut),
        cmocka_unit_test(a_label_stack_that_is_not_there_is_none),
        cmocka_unit_test(a_running_thread_is_running),
        cmocka_unit_test(a_thread_that_ended_is_told),
        cmocka_unit_test(a_process_whose_first_thread_has_ended_is_looked_at),
        cmocka_unit_test(a_process_that_is_gone_is_told),
        cmocka_unit_test(a_deep_stack_is_whole),
        cmocka_unit_test(a_stack_that_is_too_deep_loses_its_oldest_frames),
        cmocka_unit_test(a_stack_that_is_overwritten_meanwhile_does_no_harm),
        cmocka_unit_test(what_earlier_calls_left_is_not_the_stack),
        cmocka_unit_test(who_may_not_look_gets_figures),
        cmocka_unit_test(threads_of_the_own_process_are_looked_at),
        cmocka_unit_test(files_are_kept_open_up_to_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
