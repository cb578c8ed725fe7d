/* Markers of every kind, from the call to what a reader of the session finds. */
#define SONDE_LINKED_BASE
#include "capture/core/sandbox.h"
#include "recording.h"
#include "session/format.h"
#include "sonde/sonde.h"
#include "support/session_draw.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

SONDE_MARKER_TYPE(all_formats, "All formats", SONDE_FIELD_URL(url), SONDE_FIELD_FILE_PATH(path, "Path"),
                  SONDE_FIELD_SANITIZED(sanitized, "Secret", SONDE_HIDDEN), SONDE_FIELD_STRING(string),
                  SONDE_FIELD_UNIQUE_STRING(unique), SONDE_FIELD_TIME(time), SONDE_FIELD_DURATION(duration),
                  SONDE_FIELD_SECONDS(seconds), SONDE_FIELD_MILLISECONDS(ms), SONDE_FIELD_MICROSECONDS(us),
                  SONDE_FIELD_NANOSECONDS(ns), SONDE_FIELD_BYTES(bytes), SONDE_FIELD_PERCENTAGE(percentage),
                  SONDE_FIELD_INTEGER(integer), SONDE_FIELD_DECIMAL(decimal), SONDE_FIELD_HEXADECIMAL(hexadecimal));
SONDE_MARKER_TYPE_LOOK(looked_at, "With a look",
                       (.description = "what it is", .chart_label = "{marker.data.flow}", .tooltip_label = "tip",
                        .table_label = "row", .colour_field = "colour", .display = "timeline-overview", .stack_based = true),
                       SONDE_FIELD_FLOW(flow), SONDE_FIELD_TERMINATING_FLOW(last), SONDE_FIELD_STRING(colour));
SONDE_MARKER_TYPE(request, "HTTP request", SONDE_FIELD_URL(url), SONDE_FIELD_INTEGER(status));
SONDE_MARKER_TYPE(text_only, "Text only", SONDE_FIELD_STRING(text));

/* Category 1 is Other, 3 is Network; the main thread is thread 1. */

static void an_instant_marker_has_name_category_and_time(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    uint64_t before = sonde_now();
    sonde_marker_instant("cache miss", NETWORK);
    uint64_t after = sonde_now();
    char *text = recording_stop();
    const char *line = line_like(text, "marker 1 \"cache miss\" instant=* category=3");
    assert_non_null(line);
    uint64_t time = strtoull(strstr(line, "instant=") + strlen("instant="), NULL, 10);
    assert_true(before <= time && time <= after);
    free(text);
}

static void an_interval_has_both_its_times(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    uint64_t start = sonde_now();
    sonde_marker_since(start, "interval", OTHER);
    uint64_t after = sonde_now();
    char *text = recording_stop();
    const char *line = line_like(text, "marker 1 interval interval=*-* category=1");
    assert_non_null(line);
    char *rest;
    assert_int_equal(strtoull(strstr(line, "interval=") + strlen("interval="), &rest, 10), start);
    uint64_t end = strtoull(rest + 1, NULL, 10);
    assert_true(start <= end && end <= after);
    free(text);
}

static void start_and_end_are_two_markers(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    sonde_marker_start("long", OTHER);
    sonde_marker_end("long", OTHER);
    char *text = recording_stop();
    assert_line(text, "marker 1 long start=* category=1");
    assert_line(text, "marker 1 long end=* category=1");
    free(text);
}

static void a_text_is_formatted(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    SONDE_MARKER_TEXT("said", OTHER, "%d of %s", 3, "many");
    SONDE_MARKER_TEXT_SINCE(sonde_now(), "said for long", OTHER, "plain");
    char *text = recording_stop();
    assert_line(text, "type * Text chart=*");
    assert_line(text, "field name input=text format=unique-string label=Details");
    assert_line(text, "marker 1 said instant=* type=* category=1 name=\"3 of many\"");
    assert_line(text, "marker 1 \"said for long\" interval=* name=plain");
    free(text);
}

static void a_text_is_evaluated_only_when_it_is_recorded(void **state)
{
    (void)state;
    int evaluated = 0;
    SONDE_MARKER_TEXT("nobody listens", OTHER, "%d", ++evaluated);
    assert_int_equal(evaluated, 0);
    recording_start(NULL, NULL);
    sonde_pause();
    SONDE_MARKER_TEXT("nobody listens", OTHER, "%d", ++evaluated);
    assert_int_equal(evaluated, 0);
    sonde_resume();
    SONDE_MARKER_TEXT("somebody does", OTHER, "%d", ++evaluated);
    assert_int_equal(evaluated, 1);
    char *text = recording_stop();
    assert_no_line(text, "marker * \"nobody listens\"*");
    free(text);
}

static void a_long_formatted_text_is_cut(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    SONDE_MARKER_TEXT("long", OTHER, "%01000d", 7);
    char *text = recording_stop();
    const char *line = line_like(text, "marker 1 long *");
    assert_int_equal(strlen(strstr(line, "name=")), strlen("name=") + 511);
    free(text);
}

static void a_scope_is_an_interval_until_its_end(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    {
        SONDE_MARKER_SCOPE("load", "config.toml");
        SONDE_MARKER_SCOPE_IN(IO, "without a text", NULL);
        sonde_marker_instant("inside", OTHER);
    }
    char *text = recording_stop();
    assert_line(text, "type * TextStack * stack-based");
    assert_line(text, "type * StackMarker * stack-based");
    assert_line(text, "marker 1 load interval=* category=1 name=config.toml");
    assert_line(text, "marker 1 \"without a text\" interval=* category=2");
    assert_true(strstr(text, " inside ") < strstr(text, " load "));
    free(text);
}

static void a_scope_that_began_before_the_recording_is_not_in_it(void **state)
{
    (void)state;
    {
        SONDE_MARKER_SCOPE("early", "text");
        recording_start(NULL, NULL);
    }
    char *text = recording_stop();
    assert_no_line(text, "marker * early*");
    free(text);
}

static void tracing_names_its_family(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    sonde_marker_tracing("paint", GRAPHICS, "frames", SONDE_START);
    char *text = recording_stop();
    assert_line(text, "type * tracing *");
    assert_line(text, "marker 1 paint start=* category=4 category=frames");
    free(text);
}

static void fields_of_every_format_come_back(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    SONDE_MARKER(all_formats, "all", OTHER, .url = "https://example.org/", .path = "/etc/motd", .sanitized = "me",
                 .string = "text", .unique = "again", .time = 17, .duration = 1500000, .seconds = 2500000000, .ms = 3000000,
                 .us = 4500, .ns = 5, .bytes = UINT64_C(1) << 40, .percentage = 0.25, .integer = -200, .decimal = 1.5,
                 .hexadecimal = 0xfeed);
    char *text = recording_stop();
    assert_line(text, "type * \"All formats\" display=marker-chart,marker-table");
    assert_line(text, "field url input=text format=url label=url");
    assert_line(text, "field path input=text format=file-path label=Path");
    assert_line(text, "field sanitized input=text format=sanitized-string label=Secret hidden");
    assert_line(text, "field string input=text format=string label=string");
    assert_line(text, "field unique input=text format=unique-string label=unique");
    assert_line(text, "field time input=time format=time label=time");
    assert_line(text, "field duration input=double format=duration label=duration");
    assert_line(text, "field seconds input=double format=seconds label=seconds");
    assert_line(text, "field ms input=double format=milliseconds label=ms");
    assert_line(text, "field us input=double format=microseconds label=us");
    assert_line(text, "field ns input=unsigned format=nanoseconds label=ns");
    assert_line(text, "field bytes input=unsigned format=bytes label=bytes");
    assert_line(text, "field percentage input=double format=percentage label=percentage");
    assert_line(text, "field integer input=signed format=integer label=integer");
    assert_line(text, "field decimal input=double format=decimal label=decimal");
    assert_line(text, "field hexadecimal input=unsigned format=hexadecimal label=hexadecimal");
    assert_line(text,
                "marker 1 all instant=* url=https://example.org/ path=/etc/motd sanitized=me string=text unique=again time=17 "
                "duration=1.5 seconds=2500 ms=3 us=4.5 ns=5 bytes=1099511627776 percentage=0.25 integer=-200 decimal=1.5 "
                "hexadecimal=65261");
    free(text);
}

static void a_type_may_have_a_look(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    SONDE_MARKER(looked_at, "flow", OTHER, .flow = 1, .last = 2, .colour = "red");
    char *text = recording_stop();
    assert_line(text, "type * \"With a look\" description=\"what it is\" chart={marker.data.flow} tooltip=tip table=row "
                      "colour=colour display=timeline-overview stack-based");
    assert_line(text, "field flow input=flow format=flow-id label=flow");
    assert_line(text, "field last input=flow format=terminating-flow-id label=last");
    free(text);
}

static void flows_of_an_object_are_the_same_and_of_others_are_not(void **state)
{
    (void)state;
    int a, b;
    assert_int_equal(sonde_flow(&a), 0);
    recording_start(NULL, NULL);
    assert_int_equal(sonde_flow(&a), sonde_flow(&a));
    assert_int_not_equal(sonde_flow(&a), sonde_flow(&b));
    assert_int_not_equal(sonde_flow(&a), (uintptr_t)&a);
    free(recording_stop());
}

static void types_are_told_to_every_session_and_unused_ones_to_none(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    SONDE_MARKER(request, "GET", NETWORK, .url = "u", .status = 200);
    SONDE_MARKER(request, "PUT", NETWORK, .url = "u", .status = 404);
    char *first = recording_stop();
    recording_start(NULL, NULL);
    SONDE_MARKER(request, "GET", NETWORK, .status = 200);
    char *second = recording_stop();
    assert_int_equal(lines_like(first, "type * \"HTTP request\" *"), 1);
    assert_int_equal(lines_like(second, "type * \"HTTP request\" *"), 1);
    assert_line(second, "marker 1 GET instant=* category=3 url=\"\" status=200");
    assert_no_line(second, "type * \"Never used\"*");
    free(first);
    free(second);
}

static void a_type_that_comes_again_has_the_same_number(void **state)
{
    (void)state;
    /* As from another source file, and as one of the same name that is not the same. */
    static struct sonde_marker_type again, other;
    static struct sonde_field fields[1];
    again = sonde_type_request;
    again.id = 0;
    other = again;
    fields[0] = sonde_fields_request[0];
    other.fields = fields;
    other.field_count = 1;
    struct sonde_marker_request values = {.url = "u", .status = 1};
    recording_start(NULL, NULL);
    sonde_marker_add(&sonde_type_request, "a", SONDE_CATEGORY_OTHER, NULL, &values);
    sonde_marker_add(&again, "b", SONDE_CATEGORY_OTHER, NULL, &values);
    sonde_marker_add(&other, "c", SONDE_CATEGORY_OTHER, NULL, &values);
    char *text = recording_stop();
    assert_int_equal(again.id, sonde_type_request.id);
    assert_int_not_equal(other.id, sonde_type_request.id);
    assert_int_equal(lines_like(text, "type * \"HTTP request\" *"), 2);
    assert_line(text, "marker 1 c instant=* category=1 url=u");
    free(text);
}

static void more_types_than_a_byte_counts(void **state)
{
    (void)state;
    static struct sonde_marker_type types[300];
    static char names[300][16];
    recording_start(NULL, NULL);
    for (int i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "type %d", i);
        types[i] = (struct sonde_marker_type){.name = names[i]};
        sonde_marker_add(&types[i], names[i], SONDE_CATEGORY_OTHER, NULL, NULL);
    }
    sonde_stop();
    for (int i = 1; i < 300; i++)
        assert_int_equal(types[i].id, types[i - 1].id + 1);
}

static void a_type_that_no_entry_can_hold_is_dropped_and_counted(void **state)
{
    (void)state;
    static struct sonde_field many[40];
    for (int i = 0; i < 40; i++)
        many[i] = (struct sonde_field){"key", NULL, "integer", SONDE_SIGNED, false, 0};
    struct sonde_marker_type type = {.name = "too many fields", .fields = many, .field_count = 40};
    int64_t value = 1;
    recording_start(NULL, NULL);
    sonde_marker_add(&type, "lost", SONDE_CATEGORY_OTHER, NULL, &value);
    char *text = recording_stop();
    assert_no_line(text, "marker * lost *");
    assert_int_equal(recording_statistic(STATISTIC_ENTRIES_LOST), 1);
    free(text);
}

static char *long_text(size_t length)
{
    char *text = malloc(length + 1);
    memset(text, 'x', length);
    text[length] = '\0';
    return text;
}

static void a_text_too_long_for_a_chunk_is_dropped_and_counted(void **state)
{
    (void)state;
    char *huge = long_text(3 << 20), *large = long_text(40000);
    recording_start(NULL, NULL);
    SONDE_MARKER(text_only, "small", OTHER, .text = "s");
    SONDE_MARKER(text_only, "huge", OTHER, .text = huge);
    SONDE_MARKER(text_only, "large", OTHER, .text = large);
    SONDE_MARKER(text_only, "large again", OTHER, .text = large);
    sonde_marker_instant(large, OTHER);
    char *text = recording_stop();
    assert_line(text, "marker 1 small *");
    assert_no_line(text, "marker * huge *");
    assert_line(text, "marker 1 large * text=xxx*");
    assert_line(text, "marker 1 \"large again\" * text=xxx*");
    assert_line(text, "marker 1 xxx*");
    assert_int_equal(recording_statistic(STATISTIC_ENTRIES_LOST), 1);
    assert_true(recording_statistic(STATISTIC_BYTES_LOST) >= 3 << 20);
    free(text);
    free(huge);
    free(large);
}

static void markers_of_all_lengths_follow_each_other_over_many_chunks(void **state)
{
    (void)state;
    char *name = long_text(2000);
    recording_start(NULL, NULL);
    for (size_t length = 0; length < 2000; length++) {
        char kept = name[length];
        name[length] = '\0';
        SONDE_MARKER(text_only, name, OTHER, .text = name);
        name[length] = kept;
    }
    char *text = recording_stop();
    assert_int_equal(lines_like(text, "marker 1 *instant=* text=*"), 2000);
    assert_int_equal(recording_statistic(STATISTIC_ENTRIES_LOST), 0);
    free(text);
    free(name);
}

/* All that this thread may do from now on is to end, and to return from a handler. */
static void shut_in(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
    sandbox_close(false);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        _exit(2);
}

static void say_everything_in_a_sandbox(const char *folder)
{
    static SONDE_COUNTER(counter, "counter", "none", "is met first in the sandbox");
    struct sonde_start_options options = {.size = sizeof options, .session = folder};
    struct sonde_marker_type unknown = {.name = "is met first in the sandbox"};
    struct sonde_marker_options with_stack = {.capture = SONDE_FULL_STACK}, elsewhere = {.thread = getpid() + 1};
    if (sonde_start(&options) != 0)
        _exit(3);
    SONDE_MARKER(text_only, "before", OTHER, .text = "outside");
    shut_in();
    for (int i = 0; i < 20000; i++)
        SONDE_MARKER(text_only, "more than a chunk holds", OTHER, .text = "and more than one");
    sonde_marker_add(&unknown, "name", SONDE_CATEGORY_OTHER, NULL, NULL);
    sonde_marker_add(NULL, "name", SONDE_CATEGORY_OTHER, &with_stack, NULL);
    sonde_marker_add(NULL, "name", SONDE_CATEGORY_OTHER, &elsewhere, NULL);
    sonde_backtrace_free(sonde_backtrace_capture(SONDE_FULL_STACK));
    sonde_subcategory_register(sonde_category_register("new", "red"), "new");
    sonde_counter_add(&counter, 1);
    sonde_thread_register("again");
    sonde_thread_rename("new");
    sonde_thread_unregister();
    sonde_set_process_name("new");
    syscall(SYS_exit_group, 0); /* before a function that does not return AddressSanitizer makes another call */
}

static void a_program_that_has_shut_itself_in_is_not_killed_for_what_it_says(void **state)
{
    (void)state;
    char root[64];
    const char *folder = session_folder_make(root);
    pid_t child = fork();
    if (child == 0)
        say_everything_in_a_sandbox(folder);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    session_folder_remove(root);
}

int main(void)
{
    alarm(300);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instant_marker_has_name_category_and_time),
        cmocka_unit_test(an_interval_has_both_its_times),
        cmocka_unit_test(start_and_end_are_two_markers),
        cmocka_unit_test(a_text_is_formatted),
        cmocka_unit_test(a_text_is_evaluated_only_when_it_is_recorded),
        cmocka_unit_test(a_long_formatted_text_is_cut),
        cmocka_unit_test(a_scope_is_an_interval_until_its_end),
        cmocka_unit_test(a_scope_that_began_before_the_recording_is_not_in_it),
        cmocka_unit_test(tracing_names_its_family),
        cmocka_unit_test(fields_of_every_format_come_back),
        cmocka_unit_test(a_type_may_have_a_look),
        cmocka_unit_test(flows_of_an_object_are_the_same_and_of_others_are_not),
        cmocka_unit_test(types_are_told_to_every_session_and_unused_ones_to_none),
        cmocka_unit_test(a_type_that_comes_again_has_the_same_number),
        cmocka_unit_test(a_type_that_no_entry_can_hold_is_dropped_and_counted),
        cmocka_unit_test(a_text_too_long_for_a_chunk_is_dropped_and_counted),
        cmocka_unit_test(a_program_that_has_shut_itself_in_is_not_killed_for_what_it_says),
        cmocka_unit_test(markers_of_all_lengths_follow_each_other_over_many_chunks),
        cmocka_unit_test(more_types_than_a_byte_counts), /* last: all later sessions are told of them */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
