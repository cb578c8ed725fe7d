#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/import_text.h"

#include "import/perf_script.h"
#include "profile/quality.h"

#include <stdio.h>

static struct slice thread_text(const struct profile *profile, size_t thread,
                                struct string_index (*column)(const struct thread *))
{
    assert_true(thread < profile->threads.count);
    return profile_text(profile, column(&profile->threads.items[thread]));
}

static struct string_index name_of(const struct thread *thread)
{
    return thread->name;
}

static struct string_index pid_of(const struct thread *thread)
{
    return thread->pid;
}

static struct string_index tid_of(const struct thread *thread)
{
    return thread->tid;
}

static void assert_thread(const struct profile *profile, size_t thread, const char *name, const char *pid, const char *tid)
{
    assert_string_equal(thread_text(profile, thread, name_of).text, name);
    assert_string_equal(thread_text(profile, thread, pid_of).text, pid);
    assert_string_equal(thread_text(profile, thread, tid_of).text, tid);
}

static void frames_are_printed_innermost_first(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("app 7 1.5: cycles:\n\t 10 leaf+0x4 (/bin/app)\n\t 20 main (/bin/app)\n\n"
                         "app 7 1.501: cycles:\n\t 20 main (/bin/app)\n\n"),
                   &profile);
    assert_samples(&profile, 0, "1500 main;leaf\n1501 main\n");
    profile_free(&profile);
}

static void thread_names_may_hold_spaces_and_numbers(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("  io worker 2 3 100/101 [003]  1.0:   250000 cycles: \n\t 1 f (x)\n\n"
                         "1 2 3 1.0: cycles:\n\t 1 f (x)\n\n"
                         ":-1 -1/0 0 1.0: cycles:\n\t 1 f (x)\n\n"),
                   &profile);
    assert_int_equal(profile.threads.count, 3);
    assert_thread(&profile, 0, "io worker 2 3", "100", "101");
    assert_thread(&profile, 1, "1 2", "0", "3");
    assert_thread(&profile, 2, ":-1 -1/0", "0", "0");
    profile_free(&profile);
}

static void a_thread_is_called_what_it_was_called_last(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import, SLICE("bash 5/6 2.0: c:\n\t1 f (x)\n\nmake 9/6 1.0: c:\n\t1 g (x)\n\n"), &profile);
    assert_thread(&profile, 0, "make", "5", "6");
    assert_samples(&profile, 0, "1000 g\n2000 f\n");
    assert_true(profile.meta.start_time == 2000);
    profile_free(&profile);
}

static void samples_of_one_time_keep_their_order(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import, SLICE("a 1 2.0: c:\n\t1 f (x)\n\na 1 1.0: c:\n\t1 g (x)\n\na 1 2.0: c:\n\t1 h (x)\n\n"),
                   &profile);
    assert_samples(&profile, 0, "1000 g\n2000 f\n2000 h\n");
    profile_free(&profile);
}

static void missing_symbols_and_odd_ones_are_names_like_others(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("a 1 1.0: cycles:\n"
                         "\t    7f00 [unknown] ([unknown])\n"
                         "\t    7f01 operator()<a, b> (inlined)\n"
                         "\t    7f02 std::map<int, char (*)(int)>::at(int) const+0x1f (/lib/my lib.so)\n"
                         "\t    7f03 0x7f03 (/memfd:x)\n"
                         "\t    7f04 a+0xzz ()\n"
                         "\t    7f05 (nil) (x)\n"
                         "\t  main.c:12\n"
                         "\n"),
                   &profile);
    assert_samples(&profile, 0,
                   "1000 a+0xzz;0x7f03 (in /memfd:x);std::map<int, char (*)(int)>::at(int) const;"
                   "operator()<a, b>;[unknown]\n");
    profile_free(&profile);
}

static void lines_without_an_address_are_symbols_all_the_same(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import, SLICE("a 1 1.0: cycles:\n\tleaf (x)\n\tmain (x)\n\n"), &profile);
    assert_samples(&profile, 0, "1000 main;leaf\n");
    profile_free(&profile);
}

static void without_call_chains_the_frame_is_on_the_same_line(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("            app     7  1.000000:     250000 cycles:u:      5581 leaf+0x1f (/bin/app)\n"
                         "            app     7  1.001000:     250000 cycles:u:      5582 [unknown] ([unknown])\n"),
                   &profile);
    assert_samples(&profile, 0, "1000 leaf\n1001 [unknown]\n");
    profile_free(&profile);
}

static void arguments_of_an_event_are_not_a_frame(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("app 7 [000] 1.0: syscalls:sys_enter_write: fd: 0x01, buf: 0x7f01 (text)\n\t 1 write (libc.so)\n\n"),
                   &profile);
    assert_samples(&profile, 0, "1000 write\n");
    profile_free(&profile);
}

static void the_kernel_has_a_category_of_its_own(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(
        perf_script_import,
        SLICE("a 1 1.0: c:\n\t1 f ([kernel.kallsyms])\n\t1 g (/lib/modules/x.ko)\n\t1 h (/boot/vmlinux)\n\t1 i (x)\n\n"),
        &profile);
    struct category_index kernel = category_list_find(&profile.categories, &profile.strings, SLICE("Kernel"));
    struct category_index user = category_list_find(&profile.categories, &profile.strings, SLICE("User"));
    for (size_t i = 0; i < 4; i++) {
        struct frame frame = frame_table_get(&profile.frames, frame_at(i));
        assert_true(category_same(frame.category, i == 0 ? user : kernel));
    }
    assert_false(category_exists(category_list_default(&profile.categories, &profile.strings)));
    profile_free(&profile);
}

static void the_header_is_passed_over(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("# ========\n# time of first sample 1 : 2.0: x\n# ========\n#\na 1 1.0: c:\n\t1 f (x)\n"), &profile);
    assert_int_equal(profile.threads.count, 1);
    assert_samples(&profile, 0, "1000 f\n");
    profile_free(&profile);
}

static void lines_may_end_as_on_windows(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import, SLICE("a 1 1.0: c:\r\n\t1 f (x)\r\n\r\na 1 2.0: c:\r\n\t1 g (x)\r\n\r\n"), &profile);
    assert_samples(&profile, 0, "1000 f\n2000 g\n");
    profile_free(&profile);
}

static void the_last_sample_may_lack_its_end(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import, SLICE("a 1 1.0: c:\n\t1 f (x)\n\na 1 2.0: c:\n\t1 g (x)"), &profile);
    assert_samples(&profile, 0, "1000 f\n2000 g\n");
    profile_free(&profile);
}

static void a_recording_without_frames_is_refused(void **state)
{
    (void)state;
    assert_refused(perf_script_import, SLICE("# ========\n# x\n"), "none of the 2 lines starts a sample that has frames");
    assert_refused(perf_script_import, SLICE("a 1 1.0: c:\n\n"), "none of the 2 lines");
}

static void the_first_line_tells_whether_perf_wrote_it(void **state)
{
    (void)state;
    assert_true(perf_script_recognise(SLICE("# ========\n")));
    assert_true(perf_script_recognise(SLICE("# ========\r\n")));
    assert_true(perf_script_recognise(SLICE("java 25607 4794564.109216: cycles:\n")));
    assert_true(perf_script_recognise(SLICE("V8 Worker 24636/25607 [000] 94564.109216: cycles:\n")));
    assert_true(perf_script_recognise(SLICE("     swapper     0 [001]  94.5:  1 cycles: \n")));
    assert_false(perf_script_recognise(SLICE("main;a 1;b 12\n")));
    assert_false(perf_script_recognise(SLICE("{\"a 1 2: \": 1}\n")));
    assert_false(perf_script_recognise(SLICE("java 1 4.5: cycles:")));
    assert_false(perf_script_recognise(SLICE("1 4.5:\n")));
    assert_false(perf_script_recognise(SLICE("\n")));
    assert_false(perf_script_recognise(SLICE("")));
}

static void a_real_recording_of_three_threads(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/workers.perf.txt");
    struct profile profile;
    assert_true(perf_script_recognise(text));
    assert_imports(perf_script_import, text, &profile);
    assert_int_equal(profile.threads.count, 3);
    assert_thread(&profile, 0, "workers", "32279", "32279");
    assert_thread(&profile, 1, "io worker 2", "32279", "32282");
    assert_thread(&profile, 2, "io worker 1", "32279", "32281");
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 29);
    assert_int_equal(sample_count(&profile.threads.items[1].samples), 30);
    assert_int_equal(sample_count(&profile.threads.items[2].samples), 28);
    profile_free(&profile);
    memory_release((char *)text.text);
}

static void a_real_recording_without_call_chains(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/workers-flat.perf.txt");
    struct profile profile;
    assert_true(perf_script_recognise(text));
    assert_imports(perf_script_import, text, &profile);
    assert_int_equal(profile.threads.count, 3);
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 27);
    assert_int_equal(sample_count(&profile.threads.items[1].samples), 28);
    assert_int_equal(sample_count(&profile.threads.items[2].samples), 28);
    profile_free(&profile);
    memory_release((char *)text.text);
}

static int import_page_faults(struct byte_source *source, struct profile *profile, struct error *error)
{
    return perf_script_import_with(&(struct import_options){.event = "page-faults"}, source, profile, error);
}

static int import_cycles(struct byte_source *source, struct profile *profile, struct error *error)
{
    return perf_script_import_with(&(struct import_options){.event = "cycles"}, source, profile, error);
}

static const char two_events[] = "app 7/7 1.0: 100 cycles:u:\n\t1 f (x)\n\n"
                                 "app 7/7 1.5: 1 page-faults:\n\t1 g (x)\n\n"
                                 "app 7/7 2.0: 1 page-faults:\n\t1 g (x)\n\n"
                                 "io 7/8 2.5: 1 page-faults:\n\t1 h (x)\n\n";

static void samples_of_other_events_are_not_added(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(import_page_faults, slice_of(two_events), &profile);
    assert_int_equal(profile.threads.count, 2);
    assert_samples(&profile, 0, "1500 g\n2000 g\n");
    assert_samples(&profile, 1, "2500 h\n");
    struct quality quality = quality_of(&profile);
    assert_true(slice_is(quality.event, "page-faults"));
    assert_int_equal(value_read(quality.events).count, 2);
    profile_free(&profile);
    assert_imports(import_cycles, slice_of(two_events), &profile);
    assert_samples(&profile, 0, "1000 f\n");
    profile_free(&profile);
}

/* Page faults come before the first tick of any clock, whatever was asked for first. */
static void without_a_header_the_event_with_most_samples_is_shown(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import, slice_of(two_events), &profile);
    assert_samples(&profile, 0, "1500 g\n2000 g\n");
    profile_free(&profile);
    char text[400] = "# ========\n# event : name = cycles:u, , id = { 1 }\n# event : name = page-faults, , id = { 2 }\n#\n";
    strcat(text, two_events);
    assert_imports(perf_script_import, slice_of(text), &profile);
    assert_samples(&profile, 0, "1000 f\n");
    profile_free(&profile);
}

static void what_perf_says_between_samples_is_no_sample(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("app 7/7 1.0: PERF_RECORD_MMAP2 7/7: [0x7f94f8066000(0x2000) @ 0 00:00 0 0]: r-xp [vdso]\n"
                         "app 7/7 1.0: 1 cycles:\n\t1 f (x)\n\n"
                         "app 7/7 1.5: PERF_RECORD_COMM exec: app:7/7\n"
                         "app 7/7 2.0: 1 cycles:\n\t1 g (x)\n\n"),
                   &profile);
    assert_samples(&profile, 0, "1000 f\n2000 g\n");
    assert_null(quality_of(&profile).events);
    profile_free(&profile);
}

static void periods_that_differ_are_said(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import, SLICE("a 1 1.0: 1 cycles:\n\t1 f (x)\n\na 1 2.0: 250000 cycles:\n\t1 f (x)\n\n"),
                   &profile);
    struct quality quality = quality_of(&profile);
    assert_non_null(quality.notes);
    struct slice note = profile_text(&profile, value_read(value_read(quality.notes).rest).string);
    assert_non_null(strstr(note.text, "from 1 to 250000"));
    profile_free(&profile);
}

static void an_event_that_is_not_there_is_refused_with_those_that_are(void **state)
{
    (void)state;
    assert_refused(import_page_faults, SLICE("a 1 1.0: cycles:\n\t1 f (x)\n\na 1 1.0: c:\n\t1 f (x)\n\n"),
                   "no samples of an event 'page-faults': there are cycles (1), c (1)");
}

static void a_process_is_called_what_its_main_thread_is(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(import_page_faults, slice_of(two_events), &profile);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(profile_text(&profile, profile.threads.items[i].process_name).text, "app");
    profile_free(&profile);
}

static const char *library_of(const struct profile *profile, const char *name)
{
    for (size_t i = 0; i < func_count(&profile->funcs); i++) {
        struct func func = func_table_get(&profile->funcs, func_at(i));
        if (slice_is(profile_text(profile, func.name), "") || strcmp(profile_text(profile, func.name).text, name) != 0)
            continue;
        return resource_exists(func.resource) ? profile_text(profile, profile->resources.rows.items[func.resource.i].name).text
                                              : "";
    }
    return NULL;
}

static void inlined_frames_are_in_the_library_of_what_has_them(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("a 1 1.0: c:\n\t1 leaf (inlined)\n\t1 middle (inlined)\n\t1 outer (/lib/x.so)\n"
                         "\t2 other (inlined)\n\t2 main (app)\n\n"),
                   &profile);
    assert_samples(&profile, 0, "1000 main;other;outer;middle;leaf\n");
    assert_string_equal(library_of(&profile, "leaf"), "/lib/x.so");
    assert_string_equal(library_of(&profile, "middle"), "/lib/x.so");
    assert_string_equal(library_of(&profile, "other"), "app");
    profile_free(&profile);
}

static void modules_may_be_left_out_or_deleted(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("a 1 1.0: c:\n\t  1f leaf\n\t 20 main+0x4\n\n"
                         "a 1 2.0: c:\n\t 1 func (/tmp/x (deleted))\n\t 2 main (/bin/a)\n\n"),
                   &profile);
    assert_samples(&profile, 0, "1000 main;leaf\n2000 main;func\n");
    assert_string_equal(library_of(&profile, "func"), "/tmp/x");
    profile_free(&profile);
}

static void samples_without_frames_are_counted(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import, SLICE("a 1 1.0: c:\n\t1 f (x)\n\na 1 2.0: c:\n\na 1 3.0: c:\n\n"), &profile);
    struct value notes = value_read(quality_of(&profile).notes);
    assert_string_equal(profile_text(&profile, value_read(notes.rest).string).text, "2 samples without frames were left out");
    profile_free(&profile);
}

/* events.perf.txt: see README.md of the test data. */
static void events_lines_and_inlined_frames_of_perf_are_read(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/events.perf.txt");
    struct profile profile;
    assert_imports(perf_script_import, text, &profile);
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 7);
    assert_string_equal(library_of(&profile, "mix"), "events");
    unsigned lines[10] = {0};
    for (size_t i = 0; i < frame_count(&profile.frames); i++) {
        struct frame frame = frame_table_get(&profile.frames, frame_at(i));
        struct func func = func_table_get(&profile.funcs, frame.func);
        if (!slice_is(profile_text(&profile, func.name), "mix"))
            continue;
        assert_in_range(frame.line, 7, 9);
        lines[frame.line]++;
        assert_string_equal(profile_text(&profile, profile.sources.rows.items[func.source.i].filename).text, "events.c");
    }
    assert_true(lines[7] == 1 && lines[8] == 1 && lines[9] == 1);
    profile_free(&profile);
    assert_imports(import_page_faults, text, &profile);
    assert_int_equal(sample_count(&profile.threads.items[0].samples), 5);
    profile_free(&profile);
    memory_release((char *)text.text);
}

/* ---- addresses ---- */

/* The frame of a function, of which there is one; its library by name in `library`. */
static struct frame frame_of(const struct profile *profile, const char *name, const char **library)
{
    struct frame found = {.func = func_none()};
    for (size_t i = 0; i < frame_count(&profile->frames); i++) {
        struct frame frame = frame_table_get(&profile->frames, frame_at(i));
        if (slice_equal(profile_text(profile, func_name(&profile->funcs, frame.func)), slice_of(name)))
            found = frame;
    }
    assert_true(func_exists(found.func));
    *library = lib_exists(found.lib) ? profile_text(profile, profile->libs.rows.items[found.lib.i].name).text : NULL;
    return found;
}

static void assert_place(const struct profile *profile, const char *name, const char *library, int64_t address, int64_t symbol)
{
    const char *found;
    struct frame frame = frame_of(profile, name, &found);
    assert_non_null(found);
    assert_string_equal(found, library);
    assert_int_equal(frame.address, address);
    assert_int_equal(native_symbol_get(&profile->native_symbols, frame.native_symbol).address, symbol);
}

static void assert_no_place(const struct profile *profile, const char *name)
{
    const char *library;
    struct frame frame = frame_of(profile, name, &library);
    assert_null(library);
    assert_int_equal(frame.address, COLUMN_ABSENT);
}

#define MAP(pid, range, protection, path)                                                                                      \
    "app " pid " 1.0: PERF_RECORD_MMAP2 " pid ": [" range " fe:00 12 34]: " protection " " path "\n"

static void addresses_follow_from_what_was_mapped(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE(MAP("7/7", "0x5500(0x1000) @ 0x1000", "r-xp", "/bin/app")
                             MAP("7/7", "0x7f00(0x100) @ 0", "rw-p", "/lib/data.so")
                                 MAP("7/7", "0x7f0000(0x1000) @ 0x2000", "r-xp", "/lib/my lib.so (deleted)")
                                     MAP("7/7", "0x9000(0x1000) @ 0x9000", "r-xp", "//anon")
                                         MAP("7/7", "broken", "r-xp", "/bin/app") "app 7/7 1.5: cycles:\n"
                                                                                  "\t 5510 leaf+0x4 (/bin/app)\n"
                                                                                  "\t 7f0020 [unknown] (/lib/my lib.so)\n"
                                                                                  "\t 5520 caller+0x10 (/bin/app)\n"
                                                                                  "\t 9010 jitted+0x1 (//anon)\n"
                                                                                  "\t 7f10 data (/lib/data.so)\n"
                                                                                  "\t 8000 beyond (/bin/app)\n\n"),
                   &profile);
    assert_samples(&profile, 0, "1500 beyond;data;jitted;caller;[unknown];leaf\n");
    assert_place(&profile, "leaf", "app", 0x1010, 0x100c);
    assert_place(&profile, "caller", "app", 0x101f, 0x1010); /* the call is before where it returns to */
    const char *library;
    struct frame unknown = frame_of(&profile, "[unknown]", &library);
    assert_string_equal(library, "my lib.so");
    assert_int_equal(unknown.address, 0x201f);
    assert_false(native_symbol_exists(unknown.native_symbol));
    assert_no_place(&profile, "jitted");
    assert_no_place(&profile, "data");
    assert_no_place(&profile, "beyond");
    profile_free(&profile);
}

static void without_records_of_maps_there_are_no_addresses(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import, SLICE("app 7/7 1.5: cycles:\n\t 1010 leaf+0x4 (/bin/app)\n\n"), &profile);
    assert_no_place(&profile, "leaf");
    assert_int_equal(profile.libs.rows.count, 0);
    profile_free(&profile);
}

static void addresses_may_be_places_in_the_file(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE(MAP("7/7", "0x550000(0x1000) @ 0x1000", "r-xp", "/bin/app") "app 7/7 1.5: cycles:\n"
                                                                                     "\t 1010 leaf+0x4 (/bin/app)\n\n"),
                   &profile);
    assert_place(&profile, "leaf", "app", 0x1010, 0x100c);
    profile_free(&profile);
}

static void each_process_has_its_own_maps_or_those_of_its_parent(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE(MAP("7/7", "0x5000(0x1000) @ 0x1000", "r-xp", "/bin/app") MAP(
                       "8/8", "0x5000(0x1000) @ 0x3000", "r-xp", "/bin/app") "app 7/7 1.5: c:\n\t 5010 a (/bin/app)\n\n"
                                                                             "app 8/8 1.6: c:\n\t 5010 b (/bin/app)\n\n"
                                                                             "app 9/9 1.7: c:\n\t 5010 c (/bin/app)\n\n"
                                                                             "app 7 1.8: c:\n\t 5020 d (/bin/app)\n\n"),
                   &profile);
    const char *library;
    assert_int_equal(frame_of(&profile, "a", &library).address, 0x1010);
    assert_int_equal(frame_of(&profile, "b", &library).address, 0x3010);
    assert_int_equal(frame_of(&profile, "c", &library).address, 0x3010);
    assert_int_equal(frame_of(&profile, "d", &library).address, 0x1020);
    assert_int_equal(profile.libs.rows.count, 1);
    profile_free(&profile);
}

static void inlined_frames_are_where_their_caller_is(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE(MAP("7/7", "0x5000(0x1000) @ 0x1000", "r-xp", "/bin/app") "app 7/7 1.5: c:\n"
                                                                                   "\t 5010 deep+0x10 (inlined)\n"
                                                                                   "\t 5010 mix+0x10 (inlined)\n"
                                                                                   "\t 5010 spin+0x10 (/bin/app)\n"
                                                                                   "\t 5030 lost+0x10 (inlined)\n"
                                                                                   "\t 5040 main (/bin/app)\n\n"),
                   &profile);
    assert_place(&profile, "spin", "app", 0x1010, 0x1000);
    assert_place(&profile, "mix", "app", 0x1010, 0x1000);
    assert_place(&profile, "deep", "app", 0x1010, 0x1000);
    assert_no_place(&profile, "lost"); /* its own address is in a frame that does not say its module */
    const char *library;
    assert_int_equal(frame_of(&profile, "spin", &library).inline_depth, 0);
    assert_int_equal(frame_of(&profile, "mix", &library).inline_depth, 1);
    assert_int_equal(frame_of(&profile, "deep", &library).inline_depth, 2);
    assert_int_equal(native_symbol_count(&profile.native_symbols), 1);
    profile_free(&profile);
}

static void a_build_id_is_that_of_the_library(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(perf_script_import,
                   SLICE("app 7/7 1.0: PERF_RECORD_MMAP2 7/7: [0x5000(0x1000) @ 0 <cd3477035485d8d70fa0bbe401744cb064950147>]: "
                         "r-xp /bin/app\napp 7/7 1.5: c: 5010 leaf+0x4 (/bin/app)\n"),
                   &profile);
    assert_int_equal(profile.libs.rows.count, 1);
    struct lib lib = profile.libs.rows.items[0];
    assert_string_equal(profile_text(&profile, lib.code_id).text, "cd3477035485d8d70fa0bbe401744cb064950147");
    assert_string_equal(profile_text(&profile, lib.breakpad_id).text, "037734CD8554D7D80FA0BBE401744CB00");
    profile_free(&profile);
}

static uint64_t lower_by_4096(void *context, struct slice path, uint64_t offset)
{
    ++*(unsigned *)context;
    assert_true(slice_is(path, "/bin/app"));
    return offset + 0x1000;
}

static int import_with_files(struct byte_source *source, struct profile *profile, struct error *error)
{
    static unsigned calls;
    calls = 0;
    struct import_options options = {.files = {lower_by_4096, &calls}};
    int failed = perf_script_import_with(&options, source, profile, error);
    assert_int_equal(calls, 1); /* however many processes have it */
    return failed;
}

static void code_may_be_loaded_elsewhere_than_it_is_in_the_file(void **state)
{
    (void)state;
    struct profile profile;
    assert_imports(import_with_files,
                   SLICE(MAP("7/7", "0x5000(0x1000) @ 0x1000", "r-xp", "/bin/app") MAP(
                       "8/8", "0x6000(0x1000) @ 0x1000", "r-xp", "/bin/app") "app 7/7 1.5: c: 5010 leaf+0x4 (/bin/app)\n"),
                   &profile);
    assert_place(&profile, "leaf", "app", 0x2010, 0x200c);
    profile_free(&profile);
}

/* mapped*.perf.txt: see README.md of the test data. `nm` says that spin.constprop.0 begins at 0x11e0. */
static void real_recordings_with_records_of_maps_have_addresses(void **state)
{
    (void)state;
    static const char *const files[] = {"mapped", "mapped-flat", "mapped-inlined"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[400];
        snprintf(path, sizeof path, TEST_DATA "/%s.perf.txt", files[i]);
        struct slice text = read_test_data(path);
        struct profile profile;
        assert_imports(perf_script_import, text, &profile);
        assert_int_equal(sample_count(&profile.threads.items[0].samples), 7);
        size_t found = 0;
        for (size_t f = 0; f < frame_count(&profile.frames); f++) {
            struct frame frame = frame_table_get(&profile.frames, frame_at(f));
            if (!slice_is(profile_text(&profile, func_name(&profile.funcs, frame.func)), "spin.constprop.0"))
                continue;
            assert_in_range(frame.address, 0x11e0, 0x120b);
            assert_int_equal(native_symbol_get(&profile.native_symbols, frame.native_symbol).address, 0x11e0);
            found++;
        }
        assert_in_range(found, 1, 7);
        profile_free(&profile);
        memory_release((char *)text.text);
    }
}

static void a_file_cut_off_anywhere_is_read_or_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"workers.perf.txt", "workers-flat.perf.txt", "walk.perf.txt", "events.perf.txt",
                                        "mapped.perf.txt"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[400];
        snprintf(path, sizeof path, TEST_DATA "/%s", files[i]);
        struct slice text = read_test_data(path);
        assert_truncations_are_clean(perf_script_import, text, 2000);
        memory_release((char *)text.text);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct slice text = read_test_data(TEST_DATA "/workers.perf.txt");
    assert_import_survives_failing_allocations(perf_script_import, text);
    memory_release((char *)text.text);
    text = read_test_data(TEST_DATA "/mapped.perf.txt");
    assert_import_survives_failing_allocations(perf_script_import, text);
    memory_release((char *)text.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_printed_innermost_first),
        cmocka_unit_test(thread_names_may_hold_spaces_and_numbers),
        cmocka_unit_test(a_thread_is_called_what_it_was_called_last),
        cmocka_unit_test(samples_of_one_time_keep_their_order),
        cmocka_unit_test(missing_symbols_and_odd_ones_are_names_like_others),
        cmocka_unit_test(lines_without_an_address_are_symbols_all_the_same),
        cmocka_unit_test(without_call_chains_the_frame_is_on_the_same_line),
        cmocka_unit_test(arguments_of_an_event_are_not_a_frame),
        cmocka_unit_test(the_kernel_has_a_category_of_its_own),
        cmocka_unit_test(the_header_is_passed_over),
        cmocka_unit_test(lines_may_end_as_on_windows),
        cmocka_unit_test(the_last_sample_may_lack_its_end),
        cmocka_unit_test(a_recording_without_frames_is_refused),
        cmocka_unit_test(samples_of_other_events_are_not_added),
        cmocka_unit_test(without_a_header_the_event_with_most_samples_is_shown),
        cmocka_unit_test(what_perf_says_between_samples_is_no_sample),
        cmocka_unit_test(periods_that_differ_are_said),
        cmocka_unit_test(an_event_that_is_not_there_is_refused_with_those_that_are),
        cmocka_unit_test(a_process_is_called_what_its_main_thread_is),
        cmocka_unit_test(inlined_frames_are_in_the_library_of_what_has_them),
        cmocka_unit_test(modules_may_be_left_out_or_deleted),
        cmocka_unit_test(samples_without_frames_are_counted),
        cmocka_unit_test(events_lines_and_inlined_frames_of_perf_are_read),
        cmocka_unit_test(the_first_line_tells_whether_perf_wrote_it),
        cmocka_unit_test(a_real_recording_of_three_threads),
        cmocka_unit_test(a_real_recording_without_call_chains),
        cmocka_unit_test(addresses_follow_from_what_was_mapped),
        cmocka_unit_test(without_records_of_maps_there_are_no_addresses),
        cmocka_unit_test(addresses_may_be_places_in_the_file),
        cmocka_unit_test(each_process_has_its_own_maps_or_those_of_its_parent),
        cmocka_unit_test(inlined_frames_are_where_their_caller_is),
        cmocka_unit_test(a_build_id_is_that_of_the_library),
        cmocka_unit_test(code_may_be_loaded_elsewhere_than_it_is_in_the_file),
        cmocka_unit_test(real_recordings_with_records_of_maps_have_addresses),
        cmocka_unit_test(a_file_cut_off_anywhere_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
