/* When a session may lie in memory: by the files of a machine that the test makes. Its folder has to be in memory itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/memory_folder.h"

enum { MIB = 1 << 20 };

static char root[] = "/dev/shm/sonde-machine-XXXXXX";

static void put(const char *path, const char *text)
{
    char whole[200];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + sizeof root; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(whole, 0700);
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void clean(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s/*", root);
    assert_int_equal(system(command), 0);
}

/* A machine with 4 MiB of memory that is free, no control groups and nobody who logs in. */
static int make_machine(void **state)
{
    (void)state;
    clean();
    put("/dev/shm/x", "");
    put("/proc/meminfo", "MemTotal:  9000 kB\nMemFree:  1 kB\nMemAvailable:   4096 kB\nBuffers: 0 kB\n");
    return 0;
}

static void a_session_that_is_a_quarter_of_what_is_free_suits(void **state)
{
    (void)state;
    assert_true(memory_folder_suits(root, MIB));
    assert_false(memory_folder_suits(root, MIB + 1));
}

static void a_folder_that_is_not_there_or_not_in_memory_does_not_suit(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "cd %s/dev && rm -r shm", root);
    assert_int_equal(system(command), 0);
    assert_false(memory_folder_suits(root, MIB));
    snprintf(command, sizeof command, "cd %s/dev && ln -s /proc shm", root);
    assert_int_equal(system(command), 0);
    assert_false(memory_folder_suits(root, MIB));
}

static void where_nothing_is_known_of_the_memory_it_does_not_suit(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemTotal:  9000 kB\n");
    assert_false(memory_folder_suits(root, MIB));
}

static void the_limit_of_any_control_group_around_it_counts(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    put("/sys/fs/cgroup/a/memory.max", "4194304\n");
    assert_true(memory_folder_suits(root, MIB));
    put("/sys/fs/cgroup/a/memory.max", "4190000\n");
    assert_false(memory_folder_suits(root, MIB));
}

static void so_does_that_of_a_container_which_sees_only_its_own_group(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/memory.max", "4190000\n");
    assert_false(memory_folder_suits(root, MIB));
}

static void so_do_those_of_the_first_version(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "12:cpu,cpuacct:/x\n4:memory:/a\n0::/\n");
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4194304\n");
    assert_true(memory_folder_suits(root, MIB));
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4190000\n");
    assert_false(memory_folder_suits(root, MIB));
}

static void where_people_log_in_a_service_under_their_name_keeps_nothing_there(void **state)
{
    (void)state;
    char line[100];
    put("/run/systemd/users/1", "");
    put("/proc/self/cgroup", "0::/system.slice/x.service\n");
    assert_true(memory_folder_suits(root, MIB) == (getuid() < 1000));
    snprintf(line, sizeof line, "0::/user.slice/user-%u.slice/session-2.scope\n", getuid());
    put("/proc/self/cgroup", line);
    assert_true(memory_folder_suits(root, MIB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_session_that_is_a_quarter_of_what_is_free_suits, make_machine),
        cmocka_unit_test_setup(a_folder_that_is_not_there_or_not_in_memory_does_not_suit, make_machine),
        cmocka_unit_test_setup(where_nothing_is_known_of_the_memory_it_does_not_suit, make_machine),
        cmocka_unit_test_setup(the_limit_of_any_control_group_around_it_counts, make_machine),
        cmocka_unit_test_setup(so_does_that_of_a_container_which_sees_only_its_own_group, make_machine),
        cmocka_unit_test_setup(so_do_those_of_the_first_version, make_machine),
        cmocka_unit_test_setup(where_people_log_in_a_service_under_their_name_keeps_nothing_there, make_machine),
    };
    if (!mkdtemp(root) || memory_folder_suits("", 1) == false) {
        rmdir(root);
        return 77; /* skipped: the machine has no such folder */
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clean();
    rmdir(root);
    return failed;
}
