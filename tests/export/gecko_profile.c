/* The profile around the threads: what it says of the process and of itself; and what may go wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/gecko_document.h"

#include "export/gecko_machine.h"
#include "import/importer.h"
#include "support/failing_alloc.h"
#include "support/import_text.h"
#include "support/session_draw.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAIN "thread 1 Main tid=101 main sampled\n"

static void draw(struct gecko_document *document, const char *text)
{
    gecko_document_draw(document, text, NULL);
}

/* ---- meta ---- */

static void meta_says_when_and_how_it_was_recorded(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "process app executable=/bin/app\n"
                    "configuration interval=500us features=stackwalk,processcpu filters=Main,Worker capacity=1048576 "
                    "duration=10s time=3ms\n" MAIN "sample 1 5ms 0x10\n"
                    "look 101 7500us running cpu=1ms\n");
    static const char *const expected[][2] = {
        {"version", "36"},
        {"startTime", "1700000000000"},
        {"startTimeAsClockMonotonicNanosecondsSinceBoot", "100000000000"},
        {"profilingStartTime", "3"},
        {"profilingEndTime", "7.5"},
        {"shutdownTime", "null"},
        {"configuration", "{\"features\":[\"stackwalk\",\"processcpu\"],\"threads\":[\"Main\",\"Worker\"],\"interval\":0.5,"
                          "\"capacity\":131072,\"duration\":10,\"activeTabID\":0}"},
        {"interval", "0.5"},
        {"stackwalk", "1"},
        {"debug", "0"},
        {"gcpoison", "0"},
        {"asyncstack", "0"},
        {"processType", "0"},
        {"platform", "\"Linux\""},
        {"product", "\"app\""},
        {"sampleUnits", "{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}"},
        {"markerSchema", "[]"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char path[128];
        snprintf(path, sizeof path, "meta/%s", expected[i][0]);
        assert_gecko(&document, path, expected[i][1]);
    }
    assert_true(json_double(gecko_at(&document, "meta/contentEarliestTime")) >= 0);
    assert_gecko(&document, "threads/0/processName", "\"app\"");
    assert_gecko(&document, "pages", "[]");
    assert_gecko(&document, "sources/data", "[]");
    gecko_document_close(&document);
}

static void options_name_the_product_the_process_type_and_the_shutdown(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_draw(&document, MAIN,
                        &(struct gecko_options){.product = "Other", .process_type = "tab", .shutdown_ns = 9000001});
    assert_gecko(&document, "meta/product", "\"Other\"");
    assert_gecko(&document, "meta/shutdownTime", "9.000001");
    assert_gecko(&document, "meta/contentEarliestTime", "null");
    assert_gecko(&document, "threads/0/processType", "\"tab\"");
    gecko_document_close(&document);
}

static void categories_are_filled_up_and_have_known_colours(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, "category 0 Test colour=darkgray subcategories=Other\n"
                    "category 2 IPC colour=green subcategories=Other,Sync\n" MAIN);
    assert_gecko(&document, "meta/categories",
                 "[{\"name\":\"Test\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
                 "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
                 "{\"name\":\"IPC\",\"color\":\"green\",\"subcategories\":[\"Other\",\"Sync\"]}]");
    gecko_document_close(&document);
    draw(&document, "category 0 IPC colour=green\n" MAIN);
    assert_gecko(&document, "meta/categories",
                 "[{\"name\":\"IPC\",\"color\":\"green\",\"subcategories\":[\"Other\"]},"
                 "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}]");
    gecko_document_close(&document);
}

static void the_machine_is_described_by_its_cpus(void **state)
{
    (void)state;
    char path[] = "/tmp/sonde-cpuinfo-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    for (int cpu = 0; cpu < 8; cpu++) {
        fprintf(out, "processor\t: %d\nmodel name\t: A CPU @ 2 GHz\nphysical id\t: %d\ncpu cores\t: 2\nflags\t\t:", cpu,
                cpu / 4);
        for (int i = 0; i < 3000; i++)
            fprintf(out, " fl");
        fprintf(out, "\n\n");
    }
    fclose(out);
    struct gecko_machine machine;
    gecko_machine_read(&machine, path);
    unlink(path);
    assert_string_equal(machine.cpu_name, "A CPU @ 2 GHz");
    assert_int_equal(machine.physical_cpus, 4);
    assert_int_equal(machine.logical_cpus, 8);
    assert_string_equal(machine.system.sysname, "Linux");
    gecko_machine_read(&machine, "/nowhere");
    assert_int_equal(machine.logical_cpus, 0);
    assert_string_equal(machine.cpu_name, "");
}

/* ---- libs ---- */

static void libraries_stand_by_address_with_their_ids(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "module 1 /lib/b.so 0x5040-0x9000 bias=0x4000 build-id=00112233445566778899aabbccddeeff01020304\n"
                         "module 2 /bin/app 0x1000-0x2000 bias=0x1000\n");
    assert_gecko(
        &document, "libs",
        "[{\"start\":4096,\"end\":8192,\"offset\":0,\"name\":\"app\",\"path\":\"/bin/app\",\"debugName\":\"app\","
        "\"debugPath\":\"/bin/app\",\"breakpadId\":\"000000000000000000000000000000000\",\"codeId\":\"\",\"arch\":\"\"},"
        "{\"start\":20544,\"end\":36864,\"offset\":64,\"name\":\"b.so\",\"path\":\"/lib/b.so\",\"debugName\":\"b.so\","
        "\"debugPath\":\"/lib/b.so\",\"breakpadId\":\"33221100554477668899AABBCCDDEEFF0\","
        "\"codeId\":\"00112233445566778899aabbccddeeff01020304\",\"arch\":\"\"}]");
    assert_gecko(&document, "profilingLog/4711/librariesAtTheSameAddresses", "[]");
    gecko_document_close(&document);
}

static void a_library_that_is_known_by_two_names_is_there_once(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "module 1 /lib/z.so.1 0x5000-0x9000 bias=0x5000 build-id=0011223344\n"
                         "module 2 /lib/z.so.1.2.13 0x5000-0x9000 bias=0x5000 build-id=0011223344\n"
                         "module 3 /lib/y.so 0x5000-0x9000 bias=0x5000 build-id=5566778899\n");
    assert_gecko(&document, "libs/0/name", "\"z.so.1\"");
    assert_gecko(&document, "libs/1/name", "\"y.so\"");
    assert_gecko_absent(&document, "libs/2");
    gecko_document_close(&document);
}

static void a_library_that_comes_and_goes_is_there_once_and_one_in_its_place_is_logged(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "module 1 /lib/a.so 0x5000-0x9000 bias=0x5000\n"
                         "module-end 1 time=1ms\n"
                         "module 2 /lib/a.so 0x5000-0x9000 bias=0x5000 time=2ms\n"
                         "module-end 2 time=3ms\n"
                         "module 3 /lib/b.so 0x6000-0x7000 bias=0x6000 time=4ms\n"
                         "module 4 /lib/c.so 0xa000-0xb000 bias=0xa000 time=4ms\n");
    assert_gecko(&document, "libs/0/name", "\"a.so\"");
    assert_gecko(&document, "libs/1/name", "\"b.so\"");
    assert_gecko(&document, "libs/2/name", "\"c.so\"");
    assert_gecko_absent(&document, "libs/3");
    assert_gecko(&document, "profilingLog/4711/librariesAtTheSameAddresses", "[\"/lib/a.so\",\"/lib/b.so\"]");
    gecko_document_close(&document);
}

/* ---- counters, pauses ---- */

static void counters_are_deltas_without_the_middle_of_runs(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "counter 1 malloc category=Memory description=\"the heap\"\n"
                         "counter 2 unused category=Memory\n"
                         "counter 3 cpu category=CPU\n"
                         "count 1 10 number=1 time=1ms\n"
                         "count 1 10 number=1 time=2ms\n"
                         "count 1 10 number=1 time=3ms\n"
                         "count 1 10 number=1 time=4ms\n"
                         "count 1 17 number=2 time=5ms\n"
                         "count 1 17 number=2 time=6ms\n"
                         "count 1 0 number=3 time=7ms\n"
                         "count 1 0 number=3 time=8ms\n"
                         "count 1 0 number=3 time=9ms\n"
                         "count 1 0 number=3 time=10ms\n"
                         "count 3 -5 time=10ms\n");
    assert_gecko(&document, "counters",
                 "[{\"name\":\"malloc\",\"category\":\"Memory\",\"description\":\"the heap\",\"samples\":{"
                 "\"schema\":{\"time\":0,\"count\":1,\"number\":2},\"data\":["
                 "[1,10,1],[2,0,0],[4,0,0],[5,7,1],[6,0,0],[7,-17,1],[8,0,0],[10,0,0]]}},"
                 "{\"name\":\"cpu\",\"category\":\"CPU\",\"description\":\"\",\"samples\":{"
                 "\"schema\":{\"time\":0,\"count\":1},\"data\":[[10,-5]]}}]");
    gecko_document_close(&document);
}

static void a_counter_starts_with_its_value_at_since(void **state)
{
    (void)state;
    struct gecko_document document;
    gecko_document_draw(&document, MAIN "counter 1 c\ncount 1 10 time=1ms\ncount 1 12 time=2ms\ncount 1 13 time=3ms\n",
                        &(struct gecko_options){.since_ns = 2000000});
    assert_gecko(&document, "counters/0/samples/data", "[[2,12],[3,1]]");
    gecko_document_close(&document);
}

static void without_samples_there_is_no_counters_key(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "counter 1 c\n");
    assert_gecko_absent(&document, "counters");
    gecko_document_close(&document);
}

static void both_kinds_of_pause_are_reported(void **state)
{
    (void)state;
    struct gecko_document document;
    draw(&document, MAIN "resume 1ms\n"
                         "pause 2ms\n"
                         "pause-sampling 3ms\n"
                         "resume 4ms\n"
                         "resume-sampling 5ms\n"
                         "pause-sampling 6ms\n");
    assert_gecko(&document, "pausedRanges",
                 "[{\"startTime\":null,\"endTime\":1,\"reason\":\"profiler-paused\"},"
                 "{\"startTime\":2,\"endTime\":4,\"reason\":\"profiler-paused\"},"
                 "{\"startTime\":3,\"endTime\":5,\"reason\":\"sampling-paused\"},"
                 "{\"startTime\":6,\"endTime\":null,\"reason\":\"sampling-paused\"}]");
    gecko_document_close(&document);
}

/* ---- logs and processes ---- */

static void the_log_tells_the_quality_of_the_recording(void **state)
{
    (void)state;
    struct gecko_document document;
    char folder[64], path[PATH_MAX];
    session_folder_make(folder);
    struct session_draw *draw = session_draw_open(folder);
    session_draw_text(draw, "configuration interval=1ms time=2ms\n" MAIN "sample 1 3ms 0x10\n");
    struct session_file_header *header = session_draw_header(draw);
    header->statistics[STATISTIC_SAMPLES_LOST] = 12;
    header->statistics[STATISTIC_BYTES_LOST] = 13;
    header->held[1] = 14;
    header->state = SESSION_STOPPED;
    header->end_ns = 4000000;
    snprintf(path, sizeof path, "%s", session_draw_path(draw));
    session_draw_close(draw);
    gecko_document_open(&document, path, NULL);
    session_folder_remove(folder);
    assert_gecko(&document, "profilingLog/4711/quality/samplesLost", "12");
    assert_gecko(&document, "profilingLog/4711/quality/failedPutBytes", "13");
    assert_gecko(&document, "profilingLog/4711/quality/heldBelow64NanosecondsTimesPowersOf2/1", "14");
    assert_gecko(&document, "profilingLog/4711/state", "\"stopped\"");
    assert_gecko(&document, "profilingLog/4711/reading/badEntries", "0");
    assert_gecko(&document, "profilingLog/4711/profilingLogBegin_TSms", "2");
    assert_gecko(&document, "profilingLog/4711/profilingLogEnd_TSms", "4");
    assert_gecko(&document, "meta/profilingEndTime", "4");
    gecko_document_close(&document);
}

static void draw_process(const char *folder, int pid, uint64_t start_ns, const char *text, char *path)
{
    struct session_draw *draw = session_draw_open_with(&(struct chunk_manager_options){
        .folder = folder,
        .pid = pid,
        .limit_bytes = 64 << 20,
        .start_monotonic_ns = start_ns,
        .start_realtime_ns = start_ns + 1700000000000000000,
        .interval_ns = 1000000,
    });
    session_draw_text(draw, text);
    snprintf(path, PATH_MAX, "%s", session_draw_path(draw));
    session_draw_close(draw);
}

static void other_processes_are_nested_and_those_that_cannot_be_read_are_logged(void **state)
{
    (void)state;
    struct gecko_document document;
    char folder[64], root[PATH_MAX], child[PATH_MAX];
    session_folder_make(folder);
    draw_process(folder, 10, 5000000, "process parent\n" MAIN "sample 1 1ms\nsample 1 9ms\n", root);
    draw_process(folder, 11, 8000000, "process child\n" MAIN "sample 1 1ms\nsample 1 2ms\n", child);
    const char *const others[] = {"/nowhere/12-0.sonde", child};
    gecko_document_open(
        &document, root,
        &(struct gecko_options){.other_processes = others, .other_process_count = 2, .since_ns = 4500000, .product = "All"});
    session_folder_remove(folder);
    assert_gecko(&document, "threads/0/pid", "10");
    assert_gecko(&document, "threads/0/samples/data", "[[0,9,null,null,1000000]]");
    assert_gecko(&document, "processes/0/meta/startTime", "1700000000008");
    assert_gecko(&document, "processes/0/meta/product", "\"child\"");
    assert_gecko(&document, "processes/0/threads/0/pid", "11");
    assert_gecko(&document, "processes/0/threads/0/samples/data", "[[0,2,null,null,1000000]]");
    assert_gecko(&document, "processes/0/processes", "[]");
    assert_gecko_absent(&document, "processes/1");
    assert_gecko(&document, "profileGatheringLog/10/events/0/1", "\"Process missing\"");
    assert_gecko(&document, "profileGatheringLog/10/events/0/2", "\"/nowhere/12-0.sonde\"");
    assert_gecko_absent(&document, "profileGatheringLog/10/events/1");
    gecko_document_close(&document);
}

static void what_a_process_became_is_a_process_of_its_own_on_the_same_timeline(void **state)
{
    (void)state;
    struct gecko_document document;
    char folder[64], root[PATH_MAX], next[PATH_MAX];
    session_folder_make(folder);
    draw_process(folder, 10, 5000000, "process sh arguments=sh\n" MAIN, root);
    struct session_draw *draw = session_draw_open_with(&(struct chunk_manager_options){
        .folder = folder,
        .pid = 10,
        .limit_bytes = 1 << 20,
        .start_monotonic_ns = 5000000,
        .start_realtime_ns = 1234, /* whatever the clock on the wall said */
        .interval_ns = 1000000,
    });
    struct any_entry entry = {.kind = ENTRY_PROCESS, .process = {SLICE("cat"), SLICE("/bin/cat"), SLICE("cat\0a.txt\0")}};
    session_draw_entry(draw, &entry);
    session_draw_text(draw, MAIN);
    snprintf(next, sizeof next, "%s", session_draw_path(draw));
    session_draw_close(draw);
    const char *const others[] = {next};
    gecko_document_open(&document, root, &(struct gecko_options){.other_processes = others, .other_process_count = 1});
    session_folder_remove(folder);
    assert_gecko(&document, "threads/0/pid", "10");
    assert_gecko(&document, "threads/0/processName", "\"sh\"");
    assert_gecko(&document, "processes/0/threads/0/pid", "\"10.1\"");
    assert_gecko(&document, "processes/0/threads/0/tid", "\"101.1\"");
    assert_gecko(&document, "processes/0/threads/0/processName", "\"cat a.txt\"");
    assert_gecko(&document, "processes/0/meta/startTime", "1700000000005");
    gecko_document_close(&document);
}

static void processes_share_the_categories_of_the_first(void **state)
{
    (void)state;
    struct gecko_document document;
    char folder[64], root[PATH_MAX], child[PATH_MAX];
    session_folder_make(folder);
    draw_process(folder, 10, 5000000,
                 "category 0 Other colour=grey subcategories=Other\ncategory 1 Draw colour=red subcategories=Other\n" MAIN
                 "sample 1 1ms label:a@1/0\n",
                 root);
    draw_process(folder, 11, 5000000,
                 "category 0 Other colour=grey subcategories=Other\ncategory 1 Load colour=blue subcategories=Other,Disk\n"
                 "category 2 Draw colour=red subcategories=Other\n" MAIN
                 "sample 1 1ms label:a@1/1 label:b@2/0\nmarker 1 m instant=1ms category=2\n",
                 child);
    const char *const others[] = {child};
    gecko_document_open(&document, root, &(struct gecko_options){.other_processes = others, .other_process_count = 1});
    session_folder_remove(folder);
    static const char list[] = "[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
                               "{\"name\":\"Draw\",\"color\":\"red\",\"subcategories\":[\"Other\"]},"
                               "{\"name\":\"Load\",\"color\":\"blue\",\"subcategories\":[\"Other\",\"Disk\"]},"
                               "{\"name\":\"Idle\",\"color\":\"transparent\",\"subcategories\":[\"Other\"]},"
                               "{\"name\":\"Waiting for CPU\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]}]";
    assert_gecko(&document, "meta/categories", list);
    assert_gecko(&document, "processes/0/meta/categories", list);
    assert_gecko(&document, "threads/0/frameTable/data/1/6", "1");
    assert_gecko(&document, "processes/0/threads/0/frameTable/data/1/6", "2");
    assert_gecko(&document, "processes/0/threads/0/frameTable/data/1/7", "1");
    assert_gecko(&document, "processes/0/threads/0/frameTable/data/2/6", "1");
    assert_gecko(&document, "processes/0/threads/0/markers/data/0/4", "1");
    gecko_document_close(&document);
}

/* ---- failure and progress ---- */

/* Everything that there is, twice over. */
static const char rich_session[] =
    "process app executable=/bin/app\n"
    "configuration interval=1ms features=stackwalk filters=Main\n"
    "category 0 Other colour=grey subcategories=Other\n"
    "category 1 Layout colour=purple subcategories=Other,Reflow\n" MAIN "thread 2 Worker tid=102 sampled time=1ms\n"
    "module 1 /bin/app 0x1000-0x5000 bias=0x1000 build-id=c0ffee\n"
    "module 2 /lib/b.so 0x8000-0x9000 bias=0x8000\n"
    "type 1 Text\nfield name input=text format=unique-string\n"
    "type 2 Request table=\"{marker.data.url}\"\nfield url input=text format=url\nfield id input=flow format=flow-id\n"
    "counter 1 malloc category=Memory description=heap\n"
    "sample 1 1ms 0x1000 0x1010 label:paint@1/1\n"
    "sample 2 1ms 0x8010 js:work@w.js:3:4@0 delay=1ms\n"
    "count 1 100 number=1 time=1ms\n"
    "sample 1 2ms 0x1000 0x1020\ncount 1 150 number=2 time=2ms\n"
    "look 101 3ms running cpu=2ms ready=1ms runs=1\n"
    "pause 3ms\nresume 4ms\n"
    "look 101 5ms waiting cpu=2ms ready=1ms runs=2 0x1000 0x1030\n"
    "marker 1 load interval=1ms-2ms type=1 name=config.toml category=1/1\n"
    "marker 2 request interval=1ms-4ms type=2 url=http://a/ id=0x12 stack=0x8010 stack-time=1ms\n"
    "marker 2 bare instant=5ms stack=0x8010,label:x stack-time=5ms\n";

struct failing_sink {
    struct byte_sink base;
    size_t left;
    int calls_after;
};

static int failing_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    struct failing_sink *failing = (struct failing_sink *)sink;
    if (error->code != 0)
        failing->calls_after++;
    if (bytes.length > failing->left) {
        failing->left = 0;
        return error_set(error, -ENOSPC, "the disk is full");
    }
    failing->left -= bytes.length;
    return 0;
}

static void a_full_disk_is_the_first_error_and_nothing_is_written_after_it(void **state)
{
    (void)state;
    char folder[64], path[PATH_MAX];
    session_folder_make(folder);
    struct session_draw *draw = session_draw_open(folder);
    session_draw_text(draw, MAIN "look 101 200s waiting runs=1 0x10\n");
    snprintf(path, sizeof path, "%s", session_draw_path(draw));
    session_draw_close(draw);
    for (size_t room = 0; room < 4 << 20; room += 1 << 20) {
        struct failing_sink sink = {{failing_write, NULL}, room, 0};
        struct error error = {0};
        struct session_file *file = session_file_open(path, &error);
        assert_non_null(file);
        assert_int_equal(export_gecko_session(file, NULL, &sink.base, &error), -ENOSPC);
        assert_int_equal(error.code, -ENOSPC);
        assert_string_equal(error.message, "the disk is full");
        assert_int_equal(sink.calls_after, 0);
        session_file_close(file);
    }
    session_folder_remove(folder);
}

static int export_once(void *data, struct error *error)
{
    const char *path = data;
    struct session_file *file = session_file_open(path, error);
    struct byte_sink *sink = file ? byte_sink_memory(error) : NULL;
    const char *const others[] = {path};
    if (sink)
        export_gecko_session(file, &(struct gecko_options){.other_processes = others, .other_process_count = 1}, sink, error);
    struct error ignored = {0};
    byte_sink_close(sink, false, &ignored);
    session_file_close(file);
    return error->code;
}

static void an_empty_heap_is_a_clean_error(void **state)
{
    (void)state;
    char folder[64], path[PATH_MAX];
    session_folder_make(folder);
    session_draw(folder, rich_session, path);
    assert_true(assert_survives_failing_allocations(export_once, path) > 20);
    session_folder_remove(folder);
}

struct seen_progress {
    double last;
    unsigned calls;
};

static void see_progress(void *data, double share)
{
    struct seen_progress *seen = data;
    assert_true(share >= seen->last && share <= 1);
    seen->last = share;
    seen->calls++;
}

static void progress_never_falls_and_ends_at_one(void **state)
{
    (void)state;
    struct gecko_document document;
    char folder[64], path[PATH_MAX];
    struct seen_progress seen = {0};
    session_folder_make(folder);
    session_draw(folder, rich_session, path);
    const char *const others[] = {path, path, "/nowhere"};
    gecko_document_open(
        &document, path,
        &(struct gecko_options){
            .other_processes = others, .other_process_count = 3, .progress = see_progress, .progress_data = &seen});
    session_folder_remove(folder);
    gecko_document_close(&document);
    assert_true(seen.last == 1);
    assert_true(seen.calls > 10);
}

/* ---- reading it again ---- */

static void our_own_importer_finds_what_the_session_says(void **state)
{
    (void)state;
    struct gecko_document document;
    struct profile profile;
    gecko_document_draw(&document, rich_session, NULL);
    assert_imports(import_profile, gecko_document_text(&document), &profile);
    assert_int_equal(profile.threads.count, 2);
    assert_samples(&profile, 0,
                   "1 (root);0x1000;0x1010;paint\n2 (root);0x1000;0x1020\n"
                   "3 (root);0x1000;0x1020;(waiting for a CPU)\n5 (root);0x1000;0x1030\n");
    assert_int_equal(profile.counters.rows.count, 1);
    assert_int_equal(marker_count(&profile.threads.items[0].markers), 1);
    assert_int_equal(marker_count(&profile.threads.items[1].markers), 2);
    assert_true(slice_is(profile_text(&profile, profile.meta.product), "app"));
    profile_free(&profile);
    gecko_document_close(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meta_says_when_and_how_it_was_recorded),
        cmocka_unit_test(options_name_the_product_the_process_type_and_the_shutdown),
        cmocka_unit_test(categories_are_filled_up_and_have_known_colours),
        cmocka_unit_test(the_machine_is_described_by_its_cpus),
        cmocka_unit_test(libraries_stand_by_address_with_their_ids),
        cmocka_unit_test(a_library_that_is_known_by_two_names_is_there_once),
        cmocka_unit_test(a_library_that_comes_and_goes_is_there_once_and_one_in_its_place_is_logged),
        cmocka_unit_test(counters_are_deltas_without_the_middle_of_runs),
        cmocka_unit_test(a_counter_starts_with_its_value_at_since),
        cmocka_unit_test(without_samples_there_is_no_counters_key),
        cmocka_unit_test(both_kinds_of_pause_are_reported),
        cmocka_unit_test(the_log_tells_the_quality_of_the_recording),
        cmocka_unit_test(other_processes_are_nested_and_those_that_cannot_be_read_are_logged),
        cmocka_unit_test(what_a_process_became_is_a_process_of_its_own_on_the_same_timeline),
        cmocka_unit_test(processes_share_the_categories_of_the_first),
        cmocka_unit_test(a_full_disk_is_the_first_error_and_nothing_is_written_after_it),
        cmocka_unit_test(an_empty_heap_is_a_clean_error),
        cmocka_unit_test(progress_never_falls_and_ends_at_one),
        cmocka_unit_test(our_own_importer_finds_what_the_session_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
