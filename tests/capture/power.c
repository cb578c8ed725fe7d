/* Where machines say how much energy they use and how fast they run: how their files are read. What real machines have is in
 * machines.c. */
#include "capture/counters/power.h"

#include "capture/counters/frequency.h"
#include "ipc/feature_set.h"
#include "listening.h"
#include "machine.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct power_source sources[POWER_SOURCES_MAX];

static const char *name_of(const struct power_source *source, bool numbered)
{
    static char name[64];
    power_name(&source->place, numbered, name, sizeof name);
    return name;
}

static void events_say_type_number_and_scale(void **state)
{
    (void)state;
    size_t count = power_find_events(machine_make("one-package"), sources, POWER_SOURCES_MAX);
    machine_remove();
    assert_int_equal(count, 5);
    const char *names[] = {"Power: CPU cores", "Power: CPU package", "Power: DRAM", "Power: iGPU", "Power: System"};
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(name_of(&sources[i], false), names[i]);
        assert_true(sources[i].perf);
        assert_int_equal(sources[i].event.type, 23);
        assert_int_equal(sources[i].event.config, i + 1);
        assert_int_equal(sources[i].event.cpu, 0);
        /* 2^-32 J in picowatt-hours: nanojoules through 3.6. */
        assert_true(fabs(sources[i].pwh_per_unit / (0.23283064365386962890625 / 3.6) - 1) < 1e-12);
    }
}

static void every_package_has_an_event_of_its_own(void **state)
{
    (void)state;
    size_t count = power_find_events(machine_make("two-packages"), sources, POWER_SOURCES_MAX);
    machine_remove();
    assert_int_equal(count, 4);
    assert_int_equal(sources[0].event.cpu, 0);
    assert_int_equal(sources[1].event.cpu, 18);
    assert_string_equal(name_of(&sources[1], true), "Power: CPU package 1");
    assert_string_equal(name_of(&sources[2], true), "Power: DRAM 0");
    assert_true(fabs(sources[2].pwh_per_unit / (1.52587890625e-5 * 1e12 / 3600) - 1) < 1e-12);
}

static void files_say_domain_and_package(void **state)
{
    (void)state;
    size_t count = power_find_files(machine_make("two-packages"), sources, POWER_SOURCES_MAX);
    machine_remove();
    assert_int_equal(count, 4);
    const char *names[] = {"Power: CPU package 0", "Power: DRAM 0", "Power: CPU package 1", "Power: DRAM 1"};
    for (size_t i = 0; i < count; i++)
        assert_string_equal(name_of(&sources[i], true), names[i]);
    assert_int_equal(sources[3].range, 65712999613);
}

static void sub_zones_and_the_whole_system_are_found(void **state)
{
    (void)state;
    size_t count = power_find_files(machine_make("one-package"), sources, POWER_SOURCES_MAX);
    machine_remove();
    assert_int_equal(count, 4);
    const char *names[] = {"Power: CPU package", "Power: CPU cores", "Power: iGPU", "Power: System"};
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(name_of(&sources[i], false), names[i]);
        assert_int_equal(sources[i].place.package, 0);
    }
}

static void what_makes_no_sense_is_left_out_or_taken_as_usual(void **state)
{
    (void)state;
    const char *root = machine_make("odd");
    assert_int_equal(power_find_files(root, sources, POWER_SOURCES_MAX), 1); /* what begins like a domain is one */
    assert_int_equal(power_find_events(root, sources, POWER_SOURCES_MAX), 1);
    machine_remove();
    assert_int_equal(sources[0].event.config, 2);
    assert_int_equal(sources[0].event.cpu, 0);
    assert_true(sources[0].pwh_per_unit == 0x1p-32 * 1e12 / 3600);
}

static void a_machine_without_any_has_none(void **state)
{
    (void)state;
    assert_int_equal(power_find_files("/nowhere", sources, POWER_SOURCES_MAX), 0);
    assert_int_equal(power_find_events("/nowhere", sources, POWER_SOURCES_MAX), 0);
}

static void no_more_sources_than_there_is_room_for(void **state)
{
    (void)state;
    const char *root = machine_make("one-package");
    assert_int_equal(power_find_files(root, sources, 2), 2);
    assert_int_equal(power_find_events(root, sources, 3), 3);
    machine_remove();
}

static void readings_count_from_the_first_and_over_the_end_of_the_range(void **state)
{
    (void)state;
    static const char file[] = "sys/class/powercap/intel-rapl:0:0/energy_uj";
    power_find_files(machine_make("one-package"), sources, POWER_SOURCES_MAX);
    struct power_source *cores = &sources[1];
    int64_t pwh;
    assert_int_equal(power_open(cores), 0);
    assert_false(power_read(cores, &pwh)); /* the first says nothing yet */
    assert_false(power_read(cores, &pwh)); /* nor does the same again */
    machine_set(file, "12345678");
    assert_false(power_read(cores, &pwh));
    machine_set(file, "16345678"); /* 4 J later */
    assert_true(power_read(cores, &pwh));
    assert_true(llabs(pwh - 4000000000000 / 3600) <= 1);
    machine_set(file, "262143328849");
    assert_true(power_read(cores, &pwh));
    int64_t before = pwh;
    machine_set(file, "999"); /* 1 µJ to the end and 999 on */
    assert_true(power_read(cores, &pwh));
    assert_true(llabs(pwh - before - 1000 * 1000000 / 3600) <= 1);
    descriptor_close(&cores->file);
    assert_false(power_read(cores, &pwh));
    machine_remove();
}

static void a_count_that_was_set_back_in_between_goes_on_from_there(void **state)
{
    (void)state;
    static const char file[] = "sys/class/powercap/intel-rapl:0/energy_uj";
    power_find_files(machine_make("one-package"), sources, POWER_SOURCES_MAX);
    struct power_source *package = &sources[0]; /* not a quarter of its range behind it */
    int64_t pwh;
    assert_int_equal(power_open(package), 0);
    assert_false(power_read(package, &pwh));
    machine_set(file, "36000000"); /* a sleep, and 36 J since */
    assert_true(power_read(package, &pwh));
    assert_int_equal(pwh, 10000000000);
    descriptor_close(&package->file);
    package->range = 0; /* not known */
    assert_int_equal(power_open(package), 0);
    assert_false(power_read(package, &pwh));
    machine_set(file, "3600000");
    assert_true(power_read(package, &pwh));
    assert_int_equal(pwh, 1000000000);
    descriptor_close(&package->file);
    machine_remove();
}

static void a_source_that_cannot_be_opened_says_so(void **state)
{
    (void)state;
    struct power_source source = {.perf = true, .event = {.type = UINT32_MAX, .cpu = 0}, .file = DESCRIPTOR_NONE};
    assert_true(power_open(&source) < 0);
    descriptor_close(&source.file);
    source = (struct power_source){.path = "/nowhere/energy_uj", .file = DESCRIPTOR_NONE};
    assert_int_equal(power_open(&source), -ENOENT);
}

static void the_speed_of_a_core_is_in_tens_of_megahertz(void **state)
{
    (void)state;
    const char *root = machine_make("one-package");
    struct descriptor core = frequency_open(root, 0);
    assert_int_equal(frequency_read(&core), 2390);
    machine_set("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3400123");
    assert_int_equal(frequency_read(&core), 3400);
    descriptor_close(&core);
    core = frequency_open(root, 2);
    assert_int_equal(frequency_read(&core), -1); /* "<unknown>" */
    descriptor_close(&core);
    assert_int_equal(frequency_open(root, 3).fd, -1);
    machine_remove();
}

/* --- the parts of libsonde ----------------------------------------------------------------------------------------------- */

static void a_change_of_speed_ends_one_interval_and_starts_another(void **state)
{
    (void)state;
    full_root = machine_make("one-package");
    counter_frequency_part.begin(FEATURE_BIT(FEATURE_CPUFREQ), 0);
    counter_frequency_part.loop(1);
    machine_set("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2391000"); /* hardly a change */
    counter_frequency_part.loop(UINT64_MAX);
    machine_set("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3400123");
    counter_frequency_part.loop(UINT64_MAX);
    counter_frequency_part.end();
    counter_frequency_part.loop(UINT64_MAX);
    machine_remove();
    assert_string_equal(heard,
                        "CPU 0 CPUSpeed start 2.39\nCPU 1 CPUSpeed start 0.8\nCPU 0 - end 0\nCPU 0 CPUSpeed start 3.4\n");
}

static void every_domain_has_a_counter_from_the_first_change_on(void **state)
{
    (void)state;
    full_root = machine_make("two-packages");
    counter_power_part.begin(FEATURE_BIT(FEATURE_POWER), 0);
    /* Events cannot be opened, as their type is made up; files can. */
    assert_string_equal(heard, "Power: CPU package 0, power\nPower: DRAM 0, power\n"
                               "Power: CPU package 1, power\nPower: DRAM 1, power\n");
    counter_power_part.loop(1);
    machine_set("sys/class/powercap/intel-rapl:1:0/energy_uj", "3600000201");
    counter_power_part.loop(UINT64_MAX);
    counter_power_part.end();
    machine_remove();
    assert_int_equal(heard_cells[0].count, 0);
    assert_true(llabs(heard_cells[3].count - 1000000000000) <= 1); /* an hour of a watt */
}

static void nothing_is_looked_for_that_was_not_asked_for(void **state)
{
    (void)state;
    full_root = machine_make("one-package");
    counter_frequency_part.begin(0, 0);
    counter_frequency_part.loop(UINT64_MAX);
    counter_power_part.begin(0, 0);
    counter_power_part.loop(UINT64_MAX);
    machine_remove();
    assert_string_equal(heard, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_say_type_number_and_scale),
        cmocka_unit_test(every_package_has_an_event_of_its_own),
        cmocka_unit_test(files_say_domain_and_package),
        cmocka_unit_test(sub_zones_and_the_whole_system_are_found),
        cmocka_unit_test(what_makes_no_sense_is_left_out_or_taken_as_usual),
        cmocka_unit_test(a_machine_without_any_has_none),
        cmocka_unit_test(no_more_sources_than_there_is_room_for),
        cmocka_unit_test(readings_count_from_the_first_and_over_the_end_of_the_range),
        cmocka_unit_test(a_count_that_was_set_back_in_between_goes_on_from_there),
        cmocka_unit_test(a_source_that_cannot_be_opened_says_so),
        cmocka_unit_test(the_speed_of_a_core_is_in_tens_of_megahertz),
        cmocka_unit_test_setup(a_change_of_speed_ends_one_interval_and_starts_another, start_listening),
        cmocka_unit_test_setup(every_domain_has_a_counter_from_the_first_change_on, start_listening),
        cmocka_unit_test_setup(nothing_is_looked_for_that_was_not_asked_for, start_listening),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
