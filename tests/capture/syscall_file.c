#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/syscall_file.h"

static void a_thread_in_a_call_has_nine_numbers(void **state)
{
    (void)state;
    struct syscall_place place;
    assert_true(syscall_place_parse("7 0x7f 0x1 0xffffffff 0x0 0x0 0x9 0x7ffd12345678 0x7f00deadbeef\n", &place));
    assert_int_equal(place.number, 7);
    assert_int_equal(place.sp, 0x7ffd12345678);
    assert_int_equal(place.pc, 0x7f00deadbeef);
}

static void a_thread_that_waits_for_a_page_has_three(void **state)
{
    (void)state;
    struct syscall_place place;
    assert_true(syscall_place_parse("-1 0x7ffd12345678 0x55\n", &place));
    assert_int_equal(place.number, -1);
    assert_int_equal(place.sp, 0x7ffd12345678);
    assert_int_equal(place.pc, 0x55);
}

static void anything_else_is_not_understood(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n",
        "running\n",
        "-1\n",
        "-1 0x1\n",
        "-1 0x1 0x2",
        "-1 0x1 0x2 0x3\n",
        "7 0x1 0x2\n",
        "-1 0x 0x2\n",
        "-1 0x1 0x2 junk\n",
        "7 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9\n",
    };
    struct syscall_place place;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(syscall_place_parse(texts[i], &place));
}

static int channel[2];
static _Atomic int tid;

static void *wait_for_byte(void *argument)
{
    char byte;
    tid = (int)syscall(SYS_gettid);
    return read(channel[0], &byte, 1) == 1 ? argument : NULL;
}

static void a_blocked_thread_is_found_where_it_waits(void **state)
{
    (void)state;
    pthread_t thread;
    struct syscall_place place = {0};
    assert_int_equal(pipe(channel), 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_byte, NULL), 0);
    struct timespec pause = {0, 1000000};
    while (!tid)
        nanosleep(&pause, NULL);
    int fd = syscall_file_open(tid);
    assert_true(fd > 100);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    for (int i = 0; i < 10000 && !(syscall_file_read(&fd, &place) && place.number == SYS_read); i++)
        nanosleep(&pause, NULL);
    assert_int_equal(place.number, SYS_read);
    assert_int_not_equal(place.pc, 0);
    assert_int_equal(write(channel[1], "x", 1), 1);
    pthread_join(thread, NULL);
    syscall_file_close(&fd);
    assert_int_equal(fd, -1);
    close(channel[0]);
    close(channel[1]);
}

static _Atomic bool over;

static void *spin(void *argument)
{
    tid = (int)syscall(SYS_gettid);
    while (!over)
        ;
    return argument;
}

static void of_a_thread_that_runs_nothing_is_told(void **state)
{
    (void)state;
    pthread_t thread;
    struct syscall_place place;
    tid = 0;
    assert_int_equal(pthread_create(&thread, NULL, spin, NULL), 0);
    struct timespec pause = {0, 1000000};
    while (!tid)
        nanosleep(&pause, NULL);
    int fd = syscall_file_open(tid);
    nanosleep(&pause, NULL);
    bool told = syscall_file_read(&fd, &place);
    over = true;
    pthread_join(thread, NULL);
    assert_false(told);
    assert_true(fd >= 0);
    /* The kernel takes a moment to forget a thread that has ended. */
    for (int i = 0; i < 10000 && fd >= 0; i++) {
        syscall_file_read(&fd, &place);
        nanosleep(&pause, NULL);
    }
    assert_int_equal(fd, -1);
}

static void a_descriptor_that_is_another_file_by_now_is_let_go_of_and_not_closed(void **state)
{
    (void)state;
    struct syscall_place place;
    int fd = syscall_file_open((pid_t)syscall(SYS_gettid)), number = fd;
    int other = open("/dev/zero", O_RDONLY);
    assert_int_equal(dup2(other, fd), fd);
    close(other);
    syscall_file_close(&fd);
    assert_int_equal(fd, -1);
    fd = number;
    assert_false(syscall_file_read(&fd, &place));
    assert_int_equal(fd, -1);
    assert_true(fcntl(number, F_GETFD) >= 0);
    close(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_in_a_call_has_nine_numbers),
        cmocka_unit_test(a_thread_that_waits_for_a_page_has_three),
        cmocka_unit_test(anything_else_is_not_understood),
        cmocka_unit_test(a_blocked_thread_is_found_where_it_waits),
        cmocka_unit_test(of_a_thread_that_runs_nothing_is_told),
        cmocka_unit_test(a_descriptor_that_is_another_file_by_now_is_let_go_of_and_not_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
