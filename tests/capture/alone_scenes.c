#include "alone_scenes.h"

#include "alone_facts.h"
#include "brief_play.h"
#include "session/room.h"
#include "sonde/sonde.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { DEADLINE_S = 60 };

/* --- ends ---------------------------------------------------------------------------------------------------------------- */

static int work(void)
{
    work_first(60);
    return say_end();
}

static int work_and_exit_quickly(void)
{
    work_first(60);
    _exit(say_end() + 3);
}

static int work_and_become_another(void)
{
    work_first(60);
    say_end();
    execl(play_self, play_self, "nothing", (char *)NULL);
    return 127;
}

static int work_and_fail_to_become(void)
{
    work_first(60);
    alone_facts->tasks_early = count_tasks();
    if (execl("/no/such/program", "program", (char *)NULL) != -1 || errno != ENOENT)
        return 1;
    work_later(400);
    return say_end();
}

static int fail_to_become_often(void)
{
    for (int i = 0; i < 40; i++) {
        work_first(5);
        if (execl("/no/such/program", "program", (char *)NULL) != -1 || errno != ENOENT)
            return 1;
    }
    return say_end();
}

static int work_little_and_be_killed(void)
{
    work_first(30);
    return kill(getpid(), SIGKILL);
}

static int work_and_be_killed(void)
{
    work_first(150);
    return kill(getpid(), SIGKILL);
}

static int work_long_and_be_killed(void)
{
    work_first(150);
    work_later(450);
    return kill(getpid(), SIGKILL);
}

/* --- what makes it begin ------------------------------------------------------------------------------------------------- */

static void *help(void *argument)
{
    pthread_setname_np(pthread_self(), "helper");
    work_later(60);
    return argument;
}

static int make_thread(void)
{
    pthread_t thread;
    work_first(80);
    alone_facts->tasks_early = count_tasks();
    return pthread_create(&thread, NULL, help, NULL) != 0 || pthread_join(thread, NULL) != 0;
}

static int mark(void)
{
    work_first(80);
    alone_facts->tasks_early = count_tasks();
    sonde_marker_instant("in the middle", OTHER);
    work_later(80);
    return say_end();
}

/* --- children ------------------------------------------------------------------------------------------------------------ */

/* A wait that was interrupted is a failure here. */
static int wait_once_for(pid_t child)
{
    int status = -1;
    return child <= 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int fork_one(void)
{
    work_first(80);
    pid_t child = fork();
    if (child == 0) {
        work_later(60);
        exit(0);
    }
    return wait_once_for(child);
}

/* For longer than the parent can be there without a thread. */
static int start_with_vfork(void)
{
    work_first(80);
    pid_t child = vfork();
    if (child == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
        execl("/no/such/program", "program", (char *)NULL);
        _exit(0);
    }
    if (wait_once_for(child))
        return 1;
    work_later(40);
    return say_end();
}

/* --- stacks and signals -------------------------------------------------------------------------------------------------- */

static int have_small_signal_stack(void)
{
    static char stack[8192];
    if (sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL) != 0)
        return 1;
    work_first(300);
    return say_end();
}

static void run_on_small_stack(void)
{
    work_first(300);
}

static int run_on_other_stack(void)
{
    static char stack[16384];
    static ucontext_t here, there;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, run_on_small_stack, 0);
    return swapcontext(&here, &there) != 0 || say_end();
}

static void count_signal(int number)
{
    (void)number;
    alone_facts->signals++;
}

static int take_signals(int from, int to)
{
    struct sigaction action = {.sa_handler = count_signal};
    work_first(50);
    for (int number = from; number <= to; number++)
        if (sigaction(number, &action, NULL) != 0)
            return 1;
    work_later(400);
    return say_end();
}

static int take_our_signal(void)
{
    int ours = SIGRTMIN + (SIGRTMAX - SIGRTMIN + 1) * 2 / 3;
    return take_signals(ours, ours);
}

static int take_all_signals(void)
{
    return take_signals(SIGRTMIN, SIGRTMAX);
}

static int block_signals(void)
{
    sigset_t all, before, now;
    sigfillset(&all);
    if (sigprocmask(SIG_SETMASK, &all, &before) != 0)
        return 1;
    work_first(100);
    if (sigprocmask(SIG_SETMASK, &before, &now) != 0)
        return 2;
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        if (!sigismember(&now, number))
            return 3;
    return say_end();
}

/* By a call that nobody stands in front of: the signal waits. */
static int block_signals_plainly(void)
{
    uint64_t all = ~(uint64_t)0, before;
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all) != 0)
        return 1;
    work_first(500);
    alone_facts->tasks_early = count_tasks();
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before) != 0)
        return 2;
    work_later(60);
    return say_end();
}

/* --- the session --------------------------------------------------------------------------------------------------------- */

static int see_it_over(int ms)
{
    work_first(30);
    room_say_over(room_open(getenv("SONDE_SESSION")));
    work_later(ms);
    say_end();
    return 5;
}

static int be_there_when_it_is_over(void)
{
    return see_it_over(60);
}

static int be_there_long_after_it_is_over(void)
{
    return see_it_over(500);
}

/* By then it has a session. */
static int go_on_when_it_is_over(void)
{
    work_first(120);
    room_say_over(room_open(getenv("SONDE_SESSION")));
    work_later(300);
    say_end();
    return 5;
}

static int be_paused(void)
{
    struct room *room = room_open(getenv("SONDE_SESSION"));
    room_say_paused(room, true);
    work_first(150);
    alone_facts->tasks_early = count_tasks();
    return say_end();
}

/* By then it has a session. */
static int be_paused_for_a_while(void)
{
    struct room *room = room_open(getenv("SONDE_SESSION"));
    work_first(80);
    room_say_paused(room, true);
    work_later(400);
    room_say_paused(room, false);
    work_first(60);
    return say_end();
}

static int lose_folder(int ms)
{
    const char *path = getenv("SONDE_SESSION");
    work_first(80);
    DIR *folder = opendir(path);
    for (const struct dirent *item; folder && (item = readdir(folder));)
        unlinkat(dirfd(folder), item->d_name, 0);
    if (folder)
        closedir(folder);
    if (!folder || rmdir(path) != 0 || mkdir(path, 0) != 0)
        return 1;
    work_later(ms);
    say_end();
    return 5;
}

static int lose_session(void)
{
    return lose_folder(60);
}

static int lose_session_and_go_on(void)
{
    return lose_folder(500);
}

static const struct {
    const char *name;
    int (*play)(void);
} scenes[] = {
    {"work", work},
    {"work, _exit", work_and_exit_quickly},
    {"work, exec", work_and_become_another},
    {"work, exec fails", work_and_fail_to_become},
    {"exec fails often", fail_to_become_often},
    {"work little, killed", work_little_and_be_killed},
    {"work, killed", work_and_be_killed},
    {"work long, killed", work_long_and_be_killed},
    {"thread", make_thread},
    {"mark", mark},
    {"fork", fork_one},
    {"vfork", start_with_vfork},
    {"small signal stack", have_small_signal_stack},
    {"other stack", run_on_other_stack},
    {"take our signal", take_our_signal},
    {"take all signals", take_all_signals},
    {"block signals", block_signals},
    {"block signals plainly", block_signals_plainly},
    {"over", be_there_when_it_is_over},
    {"long over", be_there_long_after_it_is_over},
    {"go on when it is over", go_on_when_it_is_over},
    {"paused", be_paused},
    {"paused for a while", be_paused_for_a_while},
    {"lost", lose_session},
    {"long lost", lose_session_and_go_on},
};

int alone_scene_play(const char *name)
{
    alarm(DEADLINE_S);
    if (strcmp(name, "nothing") == 0) /* the facts are of another */
        return 0;
    if (!alone_facts_open())
        return 97;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return scenes[i].play();
    return 99;
}
