/* Mapped files that change, and signals that have nothing to do with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 5, OF_SIGNAL = 42 };

static size_t page;
static int fd;

/* A file of 'x' alone, without a name. */
static int make_file(void **state)
{
    (void)state;
    char path[] = "/tmp/sonde-map-XXXXXX";
    page = (size_t)sysconf(_SC_PAGESIZE);
    char *bytes = malloc(PAGES * page);
    fd = mkstemp(path);
    if (!bytes || fd < 0)
        return -1;
    unlink(path);
    memset(bytes, 'x', PAGES * page);
    int result = write(fd, bytes, PAGES * page) == (ssize_t)(PAGES * page) ? 0 : -1;
    free(bytes);
    return result;
}

static int close_file(void **state)
{
    (void)state;
    return close(fd);
}

static struct slice map(void)
{
    struct slice bytes;
    struct error error = {0};
    assert_int_equal(file_map(fd, false, &bytes, &error), 0);
    return bytes;
}

static size_t count_zeros(struct slice bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes.length; i++)
        count += bytes.text[i] == 0;
    return count;
}

static void a_file_reads_as_it_is(void **state)
{
    (void)state;
    struct slice bytes = map();
    assert_int_equal(bytes.length, PAGES * page);
    assert_int_equal(count_zeros(bytes), 0);
    assert_false(file_map_is_cut(bytes));
    file_unmap(bytes);
}

static void what_is_gone_reads_as_zeros(void **state)
{
    (void)state;
    struct slice bytes = map();
    assert_int_equal(ftruncate(fd, (off_t)(2 * page)), 0);
    assert_int_equal(bytes.text[0], 'x');
    assert_false(file_map_is_cut(bytes));
    assert_int_equal(count_zeros(bytes), (PAGES - 2) * page);
    assert_true(file_map_is_cut(bytes));
    file_unmap(bytes);
}

static void other_maps_stay_as_they_are(void **state)
{
    (void)state;
    struct slice cut = map();
    int whole_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct slice whole;
    struct error error = {0};
    assert_int_equal(file_map(whole_fd, true, &whole, &error), 0);
    close(whole_fd);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(count_zeros(cut), PAGES * page);
    assert_false(file_map_is_cut(whole));
    assert_int_equal(whole.text[1], 'E');
    file_unmap(cut);
    file_unmap(whole);
}

static void a_new_map_is_whole_again(void **state)
{
    (void)state;
    struct slice bytes = map();
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(count_zeros(bytes), PAGES * page);
    file_unmap(bytes);
    assert_int_equal(write(fd, "xx", 2), 2);
    bytes = map();
    assert_false(file_map_is_cut(bytes));
    file_unmap(bytes);
}

static void what_is_not_a_file_is_refused(void **state)
{
    (void)state;
    struct slice bytes;
    struct error error = {0};
    int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(file_map(folder, false, &bytes, &error), -EISDIR);
    close(folder);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(file_map(fd, false, &bytes, &error), 0);
    assert_int_equal(bytes.length, 0);
    file_unmap(bytes);
}

/* ---- signals that are not ours ---- */

static void exit_by_signal(int signal)
{
    (void)signal;
    _exit(OF_SIGNAL);
}

/* In a process of its own, which had a handler before it mapped anything. */
static void assert_goes_where_it_went(void (*cause)(void))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(30);
        cause();
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), OF_SIGNAL);
}

static void read_from_a_map_of_others(void)
{
    volatile const char *bytes = mmap(NULL, PAGES * page, PROT_READ, MAP_PRIVATE, fd, 0);
    if (ftruncate(fd, 0) == 0)
        (void)bytes[page];
}

static void send_it(void)
{
    kill(getpid(), SIGBUS);
}

static void signals_of_others_go_where_they_went(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = exit_by_signal};
    assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
    file_unmap(map());
    assert_goes_where_it_went(send_it);
    assert_goes_where_it_went(read_from_a_map_of_others);
}

#define test_with_file(test) cmocka_unit_test_setup_teardown(test, make_file, close_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_with_file(a_file_reads_as_it_is),         test_with_file(what_is_gone_reads_as_zeros),
        test_with_file(other_maps_stay_as_they_are),   test_with_file(a_new_map_is_whole_again),
        test_with_file(what_is_not_a_file_is_refused), test_with_file(signals_of_others_go_where_they_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
