/* What is read on machines that people have: the zones of their packages, and the speeds of their cores. */
#include "capture/counters/frequency.h"
#include "capture/counters/power.h"
#include "ipc/feature_set.h"
#include "listening.h"
#include "machine.h"
#include "session/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void show_joules(void)
{
    char names[sizeof heard];
    strcpy(names, heard);
    heard[0] = '\0';
    size_t cell = 0;
    for (char *line = strtok(names, "\n"); line; line = strtok(NULL, "\n")) {
        size_t used = strlen(heard);
        char *end = strstr(line, ", power");
        if (end)
            snprintf(heard + used, sizeof heard - used, "%.*s %.2f J\n", (int)(end - line), line,
                     (double)heard_cells[cell++].count * 3600 / 1e12);
        else
            snprintf(heard + used, sizeof heard - used, "%s\n", line);
    }
}

/* What is said about the power of a machine on which `happens` after the first reading. In a process of its own, because the
 * counters of a process are for good. */
static const char *power_of(const char *machine, void (*before)(void), void (*happens)(void))
{
    static char said[sizeof heard];
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        full_root = machine_make(machine);
        start_listening(NULL);
        if (before)
            before();
        counter_power_part.begin(FEATURE_BIT(FEATURE_POWER), 0);
        counter_power_part.loop(1);
        if (happens)
            happens();
        counter_power_part.loop(UINT64_MAX);
        counter_power_part.end();
        if (seteuid(getuid()) == 0)
            machine_remove();
        show_joules();
        _exit(write(channel[1], heard, strlen(heard)) != (ssize_t)strlen(heard));
    }
    close(channel[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(channel[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(channel[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return said;
}

/* --- power ------------------------------------------------------------------------------------------------------------- */

static void a_second_of_the_laptop(void)
{
    machine_set("sys/class/powercap/intel-rapl:0/energy_uj", "1601150"); /* 3.93 J, over the end of the range */
    machine_set("sys/class/powercap/intel-rapl-mmio:0/energy_uj", "1451150");
    machine_set("sys/class/powercap/intel-rapl:0:0/energy_uj", "7981118886");
    machine_set("sys/class/powercap/intel-rapl:0:1/energy_uj", "6565192278");
    machine_set("sys/class/powercap/intel-rapl:1/energy_uj", "61269042168");
}

static void a_package_that_is_shown_in_two_ways_is_counted_once(void **state)
{
    (void)state;
    assert_string_equal(power_of("core-ultra-laptop", NULL, a_second_of_the_laptop), "Power: CPU package 3.93 J\n"
                                                                                     "Power: CPU cores 0.84 J\n"
                                                                                     "Power: iGPU 0.21 J\n"
                                                                                     "Power: System 9.61 J\n");
}

static void hide_the_first_way(void)
{
    for (int i = 0; i < 2; i++)
        machine_set(i == 0 ? "sys/class/powercap/intel-rapl:0/name" : "sys/class/powercap/intel-rapl:1/name", "");
}

static void a_package_that_is_shown_in_the_second_way_alone_is_counted(void **state)
{
    (void)state;
    assert_string_equal(power_of("core-ultra-laptop", hide_the_first_way, a_second_of_the_laptop),
                        "Power: CPU package 3.78 J\n");
}

static void become_somebody(void)
{
    static const char *const files[] = {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:1",
                                        "intel-rapl-mmio:0"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        snprintf(path, sizeof path, "sys/class/powercap/%s/energy_uj", files[i]);
        machine_deny(path);
    }
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
}

static void what_only_root_may_read_is_said_once_a_place(void **state)
{
    (void)state;
    char expected[64]; /* package, cores, iGPU, system */
    snprintf(expected, sizeof expected, "statistic %d: 4\n", STATISTIC_POWER_REFUSED);
    assert_string_equal(power_of("core-ultra-laptop", become_somebody, NULL), expected);
}

static void the_servers_first_zone_runs(void)
{
    machine_set("sys/class/powercap/intel-rapl:0/energy_uj", "226738687799"); /* 120 J */
    machine_set("sys/class/powercap/intel-rapl:0:0/energy_uj", "60289115781");
}

static void packages_are_numbered_by_their_names_not_by_their_zones(void **state)
{
    (void)state;
    assert_string_equal(power_of("xeon-four-packages", NULL, the_servers_first_zone_runs),
                        "Power: CPU package 3 120.00 J\nPower: DRAM 3 10.00 J\n"
                        "Power: CPU package 2 0.00 J\nPower: DRAM 2 0.00 J\n"
                        "Power: CPU package 1 0.00 J\nPower: DRAM 1 0.00 J\n"
                        "Power: CPU package 0 0.00 J\nPower: DRAM 0 0.00 J\n");
}

static void the_system_uses_a_kilojoule(void)
{
    machine_set("sys/class/powercap/intel-rapl:1/energy_uj", "60294987000000");
}

static void the_zone_of_the_system_can_stand_between_the_packages(void **state)
{
    (void)state;
    assert_string_equal(power_of("xeon-psys", NULL, the_system_uses_a_kilojoule),
                        "Power: CPU package 0 0.00 J\nPower: DRAM 0 0.00 J\nPower: System 1000.00 J\n"
                        "Power: CPU package 1 0.00 J\nPower: DRAM 1 0.00 J\n");
}

static void a_second_of_the_threadripper(void)
{
    machine_set("sys/class/powercap/intel-rapl:0/energy_uj", "10428237493");
    machine_set("sys/class/powercap/intel-rapl:1/energy_uj", "10427908363");
}

static void dies_that_show_the_count_of_their_package_are_counted_once(void **state)
{
    (void)state;
    assert_string_equal(power_of("threadripper", NULL, a_second_of_the_threadripper), "Power: CPU package 68.00 J\n");
}

static void make_it_an_intel(void)
{
    machine_set("proc/cpuinfo", "vendor_id : GenuineIntel");
}

static void dies_that_count_for_themselves_have_a_counter_each(void **state)
{
    (void)state;
    assert_string_equal(power_of("threadripper", make_it_an_intel, a_second_of_the_threadripper),
                        "Power: CPU package 0, die 0 68.00 J\nPower: CPU package 0, die 1 68.00 J\n");
}

static void the_ryzen_comes_round(void)
{
    machine_set("sys/class/powercap/intel-rapl:0/energy_uj", "8262579"); /* 610 J */
    machine_set("sys/class/powercap/intel-rapl:0:0/energy_uj", "31051919121");
}

static void the_energy_of_one_core_is_not_shown_as_that_of_all(void **state)
{
    (void)state;
    assert_string_equal(power_of("ryzen", NULL, the_ryzen_comes_round), "Power: CPU package 610.00 J\n");
}

static void events_have_the_package_of_the_cpu_they_are_asked_on(void **state)
{
    (void)state;
    struct power_source sources[POWER_SOURCES_MAX];
    const char *root = machine_make("two-packages");
    machine_set("sys/devices/system/cpu/cpu0/topology/physical_package_id", "1");
    machine_set("sys/devices/system/cpu/cpu18/topology/physical_package_id", "0");
    assert_int_equal(power_find_events(root, sources, POWER_SOURCES_MAX), 4);
    assert_int_equal(sources[0].place.package, 1);
    assert_int_equal(sources[1].place.package, 0);
    assert_int_equal(sources[0].place.die, -1);
    /* The same with two dies of one package. */
    machine_set("sys/devices/system/cpu/cpu18/topology/physical_package_id", "1");
    machine_set("sys/devices/system/cpu/cpu18/topology/die_id", "1");
    assert_int_equal(power_find_events(root, sources, POWER_SOURCES_MAX), 4);
    assert_int_equal(sources[1].place.package, 1);
    assert_int_equal(sources[0].place.die, 0);
    assert_int_equal(sources[1].place.die, 1);
    machine_set("proc/cpuinfo", "vendor_id : AuthenticAMD");
    assert_int_equal(power_find_events(root, sources, POWER_SOURCES_MAX), 2);
    machine_remove();
}

/* --- speeds ------------------------------------------------------------------------------------------------------------ */

static void cores_that_share_a_clock_each_say_its_speed(void **state)
{
    (void)state;
    full_root = machine_make("yoga-c630");
    assert_int_equal(frequency_cores(full_root), 8);
    counter_frequency_part.begin(FEATURE_BIT(FEATURE_CPUFREQ), 0);
    counter_frequency_part.loop(1);
    counter_frequency_part.end();
    machine_remove();
    assert_string_equal(heard, "CPU 0 CPUSpeed start 0.3\nCPU 1 CPUSpeed start 0.3\n"
                               "CPU 2 CPUSpeed start 0.3\nCPU 3 CPUSpeed start 0.3\n"
                               "CPU 4 CPUSpeed start 1.92\nCPU 5 CPUSpeed start 1.99\n"
                               "CPU 6 CPUSpeed start 1.99\nCPU 7 CPUSpeed start 1.99\n");
}

static void a_core_that_sleeps_has_no_speed(void **state)
{
    (void)state;
    full_root = machine_make("sleeping-cores");
    counter_frequency_part.begin(FEATURE_BIT(FEATURE_CPUFREQ), 0);
    counter_frequency_part.loop(1);
    machine_set("sys/devices/system/cpu/cpu7/cpufreq/scaling_cur_freq", "0");
    counter_frequency_part.loop(UINT64_MAX);
    machine_set("sys/devices/system/cpu/cpu7/cpufreq/scaling_cur_freq", "2300006");
    counter_frequency_part.loop(UINT64_MAX);
    counter_frequency_part.end();
    machine_remove();
    assert_string_equal(heard, "CPU 0 CPUSpeed start 2.3\nCPU 7 CPUSpeed start 2.3\nCPU 8 CPUSpeed start 2.3\n"
                               "CPU 7 - end 0\nCPU 7 CPUSpeed start 2.3\n");
}

static void cores_are_counted_over_gaps_and_up_to_the_limit(void **state)
{
    (void)state;
    const char *root = machine_make("yoga-c630");
    machine_set("sys/devices/system/cpu/present", "0-3,8,12-13");
    assert_int_equal(frequency_cores(root), 14);
    machine_set("sys/devices/system/cpu/present", "0-99999999999");
    assert_int_equal(frequency_cores(root), FREQUENCY_CORES_MAX);
    machine_set("sys/devices/system/cpu/present", "nonsense");
    assert_int_equal(frequency_cores(root), 1);
    machine_remove();
    assert_true(frequency_cores("/nowhere") >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_package_that_is_shown_in_two_ways_is_counted_once),
        cmocka_unit_test(a_package_that_is_shown_in_the_second_way_alone_is_counted),
        cmocka_unit_test(what_only_root_may_read_is_said_once_a_place),
        cmocka_unit_test(packages_are_numbered_by_their_names_not_by_their_zones),
        cmocka_unit_test(the_zone_of_the_system_can_stand_between_the_packages),
        cmocka_unit_test(dies_that_show_the_count_of_their_package_are_counted_once),
        cmocka_unit_test(dies_that_count_for_themselves_have_a_counter_each),
        cmocka_unit_test(the_energy_of_one_core_is_not_shown_as_that_of_all),
        cmocka_unit_test(events_have_the_package_of_the_cpu_they_are_asked_on),
        cmocka_unit_test_setup(cores_that_share_a_clock_each_say_its_speed, start_listening),
        cmocka_unit_test_setup(a_core_that_sleeps_has_no_speed, start_listening),
        cmocka_unit_test(cores_are_counted_over_gaps_and_up_to_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
