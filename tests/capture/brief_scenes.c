#include "brief_scenes.h"

#include "brief_play.h"
#include "scene_steps.h"
#include "session/room.h"
#include "sonde/sonde.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DEADLINE_S = 60 };

static int end(void)
{
    return 0;
}

static int work(void)
{
    struct timespec used;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    while (used.tv_sec == 0 && used.tv_nsec < 50000000);
    return 0;
}

static int sleep_long(void)
{
    sleep_ms(600);
    return 0;
}

static int mark(void)
{
    sonde_marker_instant("first thing", OTHER);
    return 0;
}

static void *help(void *argument)
{
    pthread_setname_np(pthread_self(), "helper");
    return argument;
}

static int make_thread(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, help, NULL) != 0 || pthread_join(thread, NULL) != 0;
}

static int name_process(void)
{
    sonde_set_process_name("called so");
    return 0;
}

static int name_thread(void)
{
    sonde_thread_rename("named so");
    return 0;
}

static int register_by_name(void)
{
    sonde_thread_register("registered so");
    return 0;
}

static int count(void)
{
    static struct sonde_counter things = {"things", "Things", "How many there are", NULL};
    sonde_counter_add(&things, 1);
    return 0;
}

static size_t walk(void *runtime, uintptr_t pc, uintptr_t sp, uintptr_t fp, struct sonde_runtime_frame *frames, size_t room)
{
    (void)runtime, (void)pc, (void)sp, (void)fp, (void)frames, (void)room;
    return 0;
}

static int have_runtime(void)
{
    sonde_thread_set_runtime(walk, NULL);
    return 0;
}

static int pause_it(void)
{
    sonde_pause();
    return 0;
}

static int save(void)
{
    return sonde_write(STDOUT_FILENO, NULL, NULL) != 0;
}

static int order_dump(void)
{
    return sonde_schedule_dump(1000, "/tmp/sonde-test-never-written", false) != 0 || !sonde_cancel_dump();
}

static int stop_it(void)
{
    sonde_stop();
    return sonde_is_recording();
}

static char *const nothing[] = {play_self, (char *)"end", NULL};

static int become_another(void)
{
    execv(play_self, nothing);
    return 127;
}

static int fail_to_become(void)
{
    return execv("/no/such/program", nothing) != -1 || errno != ENOENT;
}

static int fork_one(void)
{
    pid_t child = fork();
    if (child == 0) {
        sleep_ms(20);
        exit(0);
    }
    return wait_for(child);
}

/* By then it is brief, by the doing of its thread. */
static int fork_one_that_marks(void)
{
    pid_t child = fork();
    if (child == 0) {
        sleep_ms(100);
        sonde_marker_instant("late", OTHER);
        sleep_ms(100);
        exit(0);
    }
    return wait_for(child);
}

static int fork_one_that_ends(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return wait_for(child);
}

static int start_with_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execv(play_self, nothing);
        _exit(127);
    }
    return wait_for(child);
}

static int fail_with_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execv("/no/such/program", nothing);
        _exit(0);
    }
    return wait_for(child);
}

static int start_with_spawn(void)
{
    pid_t child;
    return posix_spawn(&child, play_self, NULL, NULL, nothing, environ) != 0 || wait_for(child);
}

static int exit_quickly(void)
{
    _exit(3);
}

static int close_all(void)
{
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    return 0;
}

static int close_range_of_all(void)
{
#ifdef SYS_close_range
    syscall(SYS_close_range, 0, ~0u, 0);
#endif
    return 0;
}

/* Not everybody may: then it is as if it were done. */
static int become_nobody(void)
{
    enum { NOBODY = 65534 };
    return (setgid(NOBODY) != 0 || setuid(NOBODY) != 0) && errno != EPERM;
}

static int change_root(void)
{
    return chroot("/proc") != 0 && errno != EPERM;
}

static int hide_itself(void)
{
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0;
}

/* With frames that cannot be walked from outside, and without any patience for an EINTR. */
__attribute__((noinline, optimize("no-omit-frame-pointer"))) static int sleep_once(void)
{
    volatile char *room = __builtin_alloca((size_t)getpid() % 64 + 64);
    room[0] = 0;
    return nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL) + room[0];
}

/* As the recorder does when it has what it wants, and leaves the program running. */
static int go_on_when_all_is_over(void)
{
    room_say_over(room_open(getenv("SONDE_SESSION")));
    return sleep_long();
}

static int be_killed(void)
{
    return kill(getpid(), SIGKILL);
}

static const struct {
    const char *name;
    int (*play)(void);
} scenes[] = {
    {"end", end},
    {"work", work},
    {"sleep", sleep_long},
    {"mark", mark},
    {"thread", make_thread},
    {"name the process", name_process},
    {"name the thread", name_thread},
    {"register", register_by_name},
    {"count", count},
    {"runtime", have_runtime},
    {"pause", pause_it},
    {"save", save},
    {"order a dump", order_dump},
    {"stop", stop_it},
    {"exec", become_another},
    {"exec fails", fail_to_become},
    {"fork", fork_one},
    {"fork and mark", fork_one_that_marks},
    {"fork and end", fork_one_that_ends},
    {"vfork", start_with_vfork},
    {"vfork fails", fail_with_vfork},
    {"spawn", start_with_spawn},
    {"_exit", exit_quickly},
    {"close all", close_all},
    {"close_range", close_range_of_all},
    {"become nobody", become_nobody},
    {"change root", change_root},
    {"hide", hide_itself},
    {"sleep once", sleep_once},
    {"over", go_on_when_all_is_over},
    {"killed", be_killed},
};

int brief_scene_play(const char *name)
{
    alarm(DEADLINE_S);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return scenes[i].play();
    return 99;
}
