/* Whoever is killed, and when: what was published is in the profile, once, and nothing else is.
 *
 *     kill TARGET [--rounds N] [--minutes M] [--seed S] [--children DEPTH] [--keep]
 *
 * Each round records the target (targets/kill_target.c), kills it, its children and the recorder with SIGKILL in some order and
 * at some moments, which follow from the number of the round, reads what is left with `sonde recover` and holds it against what
 * the target wrote down (kill_log.h): every marker and sample that was published. A round that fails says its number: --seed
 * NUMBER --rounds 1 does it again, as far as a kernel can. --keep: the first one that fails is the last, and its folder stays.
 */
#include "kill_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* On a busy machine, and with the least priority, a round of half a second may take minutes. */
enum { DEADLINE_S = 300, PROGRESS_S = 60 };

struct options {
    const char *target;
    unsigned long rounds, minutes, seed, children;
    bool keep;
};

struct round {
    const struct options *options;
    unsigned long seed;
    uint64_t state; /* of the random numbers */
    char folder[100], log_path[120], session[120], written[120], recovered[120], said[120], told[120];
    struct kill_log *log;
    pid_t recorder;
};

/* ---- chance ---- */

/* splitmix64: the same numbers everywhere. */
static uint64_t draw(struct round *round)
{
    uint64_t z = (round->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned draw_below(struct round *round, unsigned limit)
{
    return (unsigned)(draw(round) % limit);
}

/* Short waits are as likely as long ones, so that what happens at a start or an end is met as well. */
static void wait_somewhat(struct round *round, unsigned most_us)
{
    unsigned limit = most_us;
    for (unsigned i = draw_below(round, 4); i > 0; i--)
        limit = limit / 4 + 1;
    usleep(draw_below(round, limit));
}

/* ---- processes ---- */

/* Is it one of ours? A number that is free again may be somebody else's. */
static bool is_ours(const struct round *round, pid_t pid)
{
    return pid > 0 && getsid(pid) == round->recorder;
}

static unsigned kill_session(const struct round *round)
{
    unsigned count = 0;
    DIR *processes = opendir("/proc");
    for (const struct dirent *entry; processes && (entry = readdir(processes));) {
        pid_t pid = atoi(entry->d_name);
        if (is_ours(round, pid) && kill(pid, SIGKILL) == 0)
            count++;
    }
    if (processes)
        closedir(processes);
    return count;
}

/* Takes the ends of all that have ended. True when there is nobody left. */
static bool take_ends(void)
{
    pid_t pid;
    do
        pid = waitpid(-1, NULL, WNOHANG);
    while (pid > 0);
    return pid < 0 && errno == ECHILD;
}

/* They are our children, or become ours when their parents end. */
static bool wait_for_all(const struct round *round, bool killing)
{
    for (unsigned i = 0; i < DEADLINE_S * 200; i++) {
        if (killing)
            kill_session(round);
        if (take_ends())
            return true;
        usleep(5000);
    }
    return false;
}

static pid_t start(const char *const *words, const char *output)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    setsid();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), said = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    execv(words[0], (char *const *)words);
    _exit(127);
}

/* ---- a round ---- */

enum victim { TARGET, CHILD, RECORDER, ALL, VICTIMS };

static pid_t random_process(struct round *round)
{
    uint32_t count = atomic_load(&round->log->process_count);
    return count > 0
               ? atomic_load(&round->log->processes[draw_below(round, count < KILL_PROCESSES ? count : KILL_PROCESSES)].pid)
               : 0;
}

static void kill_one(struct round *round, enum victim victim)
{
    pid_t pid = victim == TARGET  ? atomic_load(&round->log->processes[0].pid)
                : victim == CHILD ? random_process(round)
                                  : round->recorder;
    if (victim == ALL)
        kill(-round->recorder, SIGKILL);
    else if (is_ours(round, pid))
        kill(pid, SIGKILL);
}

static bool prepare(struct round *round)
{
    const char *parent = getenv("TMPDIR");
    snprintf(round->folder, sizeof round->folder, "%.60s/sonde-kill-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(round->folder))
        return false;
    snprintf(round->log_path, sizeof round->log_path, "%s/log", round->folder);
    snprintf(round->session, sizeof round->session, "%s/session", round->folder);
    snprintf(round->written, sizeof round->written, "%s/written.json", round->folder);
    snprintf(round->recovered, sizeof round->recovered, "%s/recovered.json", round->folder);
    snprintf(round->said, sizeof round->said, "%s/said", round->folder);
    snprintf(round->told, sizeof round->told, "%s/told", round->folder);
    int fd = open(round->log_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *round->log) != 0)
        return false;
    round->log = mmap(NULL, sizeof *round->log, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return round->log != MAP_FAILED;
}

static void record(struct round *round)
{
    static const char *const rates[] = {"--rate=100", "--rate=1000", "--rate=5000", NULL};
    char seed[24], ms[24], children[24];
    snprintf(seed, sizeof seed, "%lu", round->seed);
    snprintf(ms, sizeof ms, "%u", 50 + draw_below(round, 300));
    snprintf(children, sizeof children, "%lu", round->options->children);
    /* In the place of no rate stands an option that is there already. */
    const char *rate = rates[draw_below(round, 4)];
    const char *words[] = {SONDE,
                           "record",
                           "-s",
                           "--no-symbols",
                           rate ? rate : "-s",
                           "--session",
                           round->session,
                           "-o",
                           round->written,
                           "--",
                           round->options->target,
                           round->log_path,
                           seed,
                           ms,
                           children,
                           NULL};
    round->recorder = start(words, round->told);
}

/* True if somebody was killed. */
static bool kill_some(struct round *round)
{
    unsigned kills = draw_below(round, 5);
    for (unsigned i = 0; i < kills; i++) {
        wait_somewhat(round, 250000);
        kill_one(round, (enum victim)draw_below(round, VICTIMS));
        take_ends();
    }
    if (kills > 0)
        wait_somewhat(round, 60000);
    return kills > 0;
}

/* 0 = there is a profile, 1 = there is none, as the command says; else it failed. */
static int recover(struct round *round)
{
    const char *words[] = {SONDE, "recover", round->session, "-o", round->recovered, "--no-cache", NULL};
    int status = -1;
    pid_t pid = start(words, round->said);
    for (unsigned i = 0; i < DEADLINE_S * 200; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) <= 1 ? WEXITSTATUS(status) : -1;
        usleep(5000);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return -1;
}

static void show(const char *path)
{
    char line[300];
    FILE *file = fopen(path, "re");
    for (unsigned i = 0; file && i < 20 && fgets(line, sizeof line, file); i++)
        printf("# %s", line);
    if (file)
        fclose(file);
}

/* What the recorder and `recover` said. */
static void show_said(const struct round *round)
{
    show(round->told);
    show(round->said);
}

static bool check(struct round *round, bool killed, struct kill_figures *figures)
{
    int status = recover(round);
    if (status < 0) {
        printf("# sonde recover failed\n");
        show_said(round);
        return false;
    }
    bool good = kill_check(round->log, status == 0 ? round->recovered : NULL, KILL_WANT_ALL, figures);
    if (!good)
        show_said(round);
    /* What the recorder wrote is as it was then: when the target had ended, if nobody was killed. */
    struct kill_figures written;
    bool is_there = access(round->written, R_OK) == 0;
    if (!killed && !is_there) {
        printf("# the recorder was not killed, but wrote no profile\n");
        good = false;
    }
    if (is_there && !kill_check(round->log, round->written, killed ? KILL_WANT_TRUE : KILL_WANT_BEFORE_END, &written)) {
        printf("# this is wrong in what the recorder wrote\n");
        good = false;
    }
    return good;
}

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *place)
{
    (void)stat, (void)kind, (void)place;
    return remove(path);
}

static bool play(const struct options *options, unsigned long seed, struct kill_figures *figures)
{
    struct round round = {.options = options, .seed = seed, .state = seed};
    if (!prepare(&round)) {
        printf("# %s: %s\n", round.folder, strerror(errno));
        return false;
    }
    record(&round);
    bool killed = kill_some(&round);
    bool good = wait_for_all(&round, killed);
    if (!good) {
        printf("# processes did not end\n");
        kill_session(&round);
        take_ends();
    }
    good = check(&round, killed, figures) && good;
    munmap(round.log, sizeof *round.log);
    if (options->keep && !good)
        printf("# %s is kept\n", round.folder);
    else
        nftw(round.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return good;
}

/* ---- all of them ---- */

static void add(struct kill_figures *sum, const struct kill_figures *figures)
{
    sum->published += figures->published;
    sum->open += figures->open;
    sum->owed_samples += figures->owed_samples;
    sum->lost_samples += figures->lost_samples;
    sum->markers += figures->markers;
    sum->samples += figures->samples;
    sum->processes += figures->processes;
    sum->threads += figures->threads;
}

static unsigned long number_of_option(void)
{
    char *rest;
    unsigned long number = strtoul(optarg, &rest, 10);
    if (*rest || rest == optarg) {
        fprintf(stderr, "kill: %s is no number\n", optarg);
        exit(2);
    }
    return number;
}

static struct options read_options(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"rounds", required_argument, NULL, 'r'}, {"minutes", required_argument, NULL, 'm'},
        {"seed", required_argument, NULL, 's'},   {"children", required_argument, NULL, 'c'},
        {"keep", no_argument, NULL, 'k'},         {0},
    };
    struct options options = {.rounds = 30, .seed = 1};
    for (int option; (option = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
        if (option == 'k')
            options.keep = true;
        else if (option == 'r')
            options.rounds = number_of_option();
        else if (option == 'm')
            options.minutes = number_of_option();
        else if (option == 's')
            options.seed = number_of_option();
        else if (option == 'c')
            options.children = number_of_option();
        else
            exit(2);
    }
    if (optind != argc - 1) {
        fputs("usage: kill TARGET [--rounds N] [--minutes M] [--seed S] [--children DEPTH] [--keep]\n", stderr);
        exit(2);
    }
    options.target = argv[optind];
    return options;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct options options = read_options(argc, argv);
    struct kill_figures sum = {0}, figures;
    unsigned long rounds = 0, failed = 0;
    double start_s = now_s(), said_s = start_s;
    setvbuf(stdout, NULL, _IOLBF, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    while (options.minutes > 0 ? now_s() - start_s < (double)options.minutes * 60 : rounds < options.rounds) {
        unsigned long seed = options.seed + rounds++;
        memset(&figures, 0, sizeof figures);
        if (!play(&options, seed, &figures)) {
            failed++;
            printf("# round %lu failed: --seed %lu --rounds 1 --children %lu\n", seed, seed, options.children);
            if (options.keep)
                break;
        }
        add(&sum, &figures);
        if (options.minutes > 0 && now_s() - said_s >= PROGRESS_S) {
            said_s = now_s();
            printf("# %.0f minutes, %lu rounds up to seed %lu, %lu failed\n", (said_s - start_s) / 60, rounds, seed, failed);
        }
    }
    printf(
        "%s 1 - %lu rounds from seed %lu on: %lu markers and %lu samples that were published before a kill are there once, and "
        "none besides\n",
        failed > 0 ? "not ok" : "ok", rounds, options.seed, (unsigned long)sum.published, (unsigned long)sum.owed_samples);
    /* Without these the test would prove nothing. */
    bool tells = sum.published > 0 && sum.owed_samples > sum.lost_samples && (options.children == 0 || sum.processes > rounds);
    printf(
        "%s 2 - %lu processes, %lu threads, %lu rows; %lu samples found no chunk; %lu threads were killed in the middle of a "
        "marker\n",
        tells ? "ok" : "not ok", (unsigned long)sum.processes, (unsigned long)sum.threads, (unsigned long)sum.samples,
        (unsigned long)sum.lost_samples, (unsigned long)sum.open);
    printf("1..2\n");
    return failed > 0 || !tells;
}
