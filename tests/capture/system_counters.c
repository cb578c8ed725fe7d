/* What libsonde adds to what the program says: native stacks of markers, counters of CPU time and memory, threads that nobody
 * registered. Called with an
 * argument this is the recorded program. */
#include "lines.h"
#include "session/reader.h"
#include "sonde/sonde.h"
#include "support/session_dump.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* --- the program ------------------------------------------------------------------------------------------------------- */

static uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void nap_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0 && errno == EINTR)
        ;
}

enum { MEBIBYTE = 1 << 20, HOARD = 64 };

/* Burns 300 ms of CPU time, then holds 64 MiB of memory for a while; prints the CPU time of the whole. */
static int program_busy(void)
{
    for (uint64_t start = cpu_ns(); cpu_ns() - start < 300000000;)
        ;
    char *hoard[HOARD];
    for (int i = 0; i < HOARD; i++) {
        hoard[i] = malloc(MEBIBYTE);
        memset(hoard[i], 1, MEBIBYTE);
    }
    nap_ms(500);
    for (int i = 0; i < HOARD; i++)
        free(hoard[i]);
    printf("%" PRIu64 "\n", cpu_ns());
    nap_ms(100);
    return 0;
}

/* Marks with its own stack; prints where the function begins that does so. */
__attribute__((noinline, aligned(1024))) static int mark_with_stack(void)
{
    struct sonde_marker_options options = {.phase = SONDE_INSTANT, .capture = SONDE_FULL_STACK};
    sonde_marker_add(NULL, "with its stack", SONDE_CATEGORY_OTHER, &options, NULL);
    sonde_backtrace *backtrace = sonde_backtrace_capture(SONDE_FULL_STACK);
    options.backtrace = backtrace;
    sonde_marker_add(NULL, "with an earlier one", SONDE_CATEGORY_OTHER, &options, NULL);
    sonde_backtrace_free(backtrace);
    return printf("%" PRIu64 "\n", (uint64_t)(uintptr_t)mark_with_stack);
}

static int program_stack(void)
{
    nap_ms(100); /* before its first look at the process nobody knows of its code */
    SONDE_LABEL("around", OTHER);
    return mark_with_stack() < 0;
}

/* A thread that was not made by pthread_create, so that nobody registers it: it works for a while and is gone. */
static char stack[64 << 10] __attribute__((aligned(64)));

static int unknown_thread(void *argument)
{
    (void)argument;
    for (volatile uint64_t i = 0; i < 300000000; i++)
        ;
    struct timespec rest = {3, 0}; /* long enough to be seen twice, once a second */
    syscall(SYS_nanosleep, &rest, NULL);
    return 0;
}

static int program_unregistered(void)
{
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    int tid = clone(unknown_thread, stack + sizeof stack, flags, NULL);
    printf("%d\n", tid);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", tid);
    for (int i = 0; i < 3000 && access(path, F_OK) == 0; i++)
        nap_ms(10);
    nap_ms(300);
    return 0;
}

/* --- recording it ------------------------------------------------------------------------------------------------------ */

static char *recorded; /* what is in the session, as text */
static uint64_t statistics[STATISTIC_COUNT];

static int read_session(void *data, const char *path, struct error *error)
{
    (void)data;
    recorded = session_dump(path, NULL);
    struct session_file *file = session_file_open(path, error);
    assert_non_null(file);
    struct session_file_header header;
    session_file_header(file, &header);
    for (int i = 0; i < STATISTIC_COUNT; i++)
        statistics[i] = header.statistics[i];
    session_file_close(file);
    return unlink(path);
}

/* Returns the number that the program printed. */
static uint64_t record(const char *program, const char *features)
{
    char folder[] = "/tmp/sonde-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        dup2(channel[1], STDOUT_FILENO);
        setenv("LD_PRELOAD", PRELOAD, 1);
        setenv("SONDE_STARTUP", "1", 1);
        setenv("SONDE_STARTUP_FEATURES", features, 1);
        setenv("SONDE_SESSION", folder, 1);
        execl("/proc/self/exe", "program", program, (char *)NULL);
        _exit(127);
    }
    close(channel[1]);
    char output[64] = "";
    size_t length = 0;
    for (ssize_t got; (got = read(channel[0], output + length, sizeof output - 1 - length)) > 0;)
        length += (size_t)got;
    close(channel[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct error error = {0};
    assert_int_equal(session_folder_visit(folder, read_session, NULL, &error), 0);
    rmdir(folder);
    return strtoull(output, NULL, 10);
}

static unsigned counter_number(const char *name)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "counter * %s *", name);
    const char *line = line_like(recorded, pattern);
    if (!line)
        fail_msg("no counter %s in\n%.3000s", name, recorded);
    return (unsigned)strtoul(line + strlen("counter "), NULL, 10);
}

/* The values of a counter: first, last and greatest. */
static void counter_values(const char *name, int64_t *first, int64_t *last, int64_t *greatest)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "\ncount %u ", counter_number(name));
    *first = *last = *greatest = -1;
    for (const char *at = recorded; (at = strstr(at, prefix)); at++) {
        *last = strtoll(at + strlen(prefix), NULL, 10);
        if (*first == -1)
            *first = *last;
        if (*last > *greatest)
            *greatest = *last;
    }
    assert_true(*first >= 0);
}

static void cpu_time_of_the_process_is_counted(void **state)
{
    (void)state;
    uint64_t cpu = record("busy", "processcpu");
    int64_t first, last, greatest;
    counter_values("processCPU", &first, &last, &greatest);
    assert_true(last == greatest); /* it never goes back */
    /* What the program used, but for what was used before the session and by the background thread after the program looked. */
    assert_true((double)last >= 0.9 * (double)cpu - 20e6 && (double)last <= (double)cpu + 100e6);
    free(recorded);
}

static void memory_is_counted(void **state)
{
    (void)state;
    record("busy", "memory");
    int64_t first, last, greatest;
    counter_values("RSS", &first, &last, &greatest);
    int64_t hoarded = greatest - first, left = last - first;
    /* The kernel's own count of pages is a little behind, and so is the session's share that is taken off. */
    assert_true(hoarded >= HOARD * MEBIBYTE * 9 / 10 && hoarded < 2 * HOARD * MEBIBYTE);
    assert_true(left < HOARD * MEBIBYTE / 2);
    /* Once a second at most: the hoard may not be there. */
    counter_values("PSS", &first, &last, &greatest);
    assert_true(greatest > 0 && greatest < 3 * HOARD * MEBIBYTE);
    assert_line(recorded, "counter * RSS category=Memory *");
    assert_line(recorded, "counter * PSS category=Memory *");
    assert_no_line(recorded, "counter * malloc *"); /* it would hold the allocator's locks */
    free(recorded);
}

static void nothing_is_counted_that_was_not_asked_for(void **state)
{
    (void)state;
    record("busy", "stackwalk");
    assert_no_line(recorded, "counter *");
    assert_no_line(recorded, "type *"); /* and no marker of a type */
    free(recorded);
}

static void an_unregistered_thread_is_counted(void **state)
{
    (void)state;
    record("unregistered", "stackwalk");
    assert_int_equal(statistics[STATISTIC_THREADS_UNREGISTERED], 1);
    free(recorded);
}

static void an_unregistered_thread_has_markers_if_asked_for(void **state)
{
    (void)state;
    uint64_t tid = record("unregistered", "unregisteredthreads");
    char pattern[128];
    assert_line(recorded, "type * UnregisteredThreadLifetime *");
    snprintf(pattern, sizeof pattern, "marker 0 \"tid %" PRIu64 " *\" start=* category=11 End Event=\"\"", tid);
    assert_int_equal(lines_like(recorded, pattern), 1);
    snprintf(pattern, sizeof pattern, "marker 0 \"tid %" PRIu64 " *\" end=* End Event=\"Thread disappeared\"", tid);
    assert_int_equal(lines_like(recorded, pattern), 1);
    snprintf(pattern, sizeof pattern, "marker 0 \"tid %" PRIu64 " *\" interval=* CPU Time=* CPU Utilization=*", tid);
    assert_line(recorded, pattern);
    assert_int_equal(statistics[STATISTIC_THREADS_UNREGISTERED], 1);
    free(recorded);
}

/* The youngest frame is the function that marks, without any of the library; its caller and the label are there, too. */
static void check_stack(const char *pattern, uint64_t function)
{
    const char *line = line_like(recorded, pattern);
    if (!line)
        fail_msg("no line is like %s in\n%.5000s", pattern, recorded);
    const char *end = strstr(line, " stack-time=");
    while (end[-1] != ',')
        end--;
    uint64_t youngest = strtoull(end, NULL, 16);
    assert_true(youngest > function && youngest < function + 1024);
}

static void a_marker_has_the_whole_native_stack(void **state)
{
    (void)state;
    uint64_t function = record("stack", "stackwalk");
    check_stack("marker 1 \"with its stack\" * stack=0x*,0x*,label:around@1,0x*,0x* stack-time=*", function);
    check_stack("marker 1 \"with an earlier one\" * stack=0x*,0x*,label:around@1,0x*,0x* stack-time=*", function);
    free(recorded);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "busy") == 0    ? program_busy()
               : strcmp(argv[1], "stack") == 0 ? program_stack()
                                               : program_unregistered();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_marker_has_the_whole_native_stack),
        cmocka_unit_test(cpu_time_of_the_process_is_counted),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(nothing_is_counted_that_was_not_asked_for),
        cmocka_unit_test(an_unregistered_thread_is_counted),
        cmocka_unit_test(an_unregistered_thread_has_markers_if_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
