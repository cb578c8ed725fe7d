/* Every call and macro of sonde.h once, in the C that C++17 also takes. header_c.c and header_cpp.cpp include it; the test
 * `headers` compiles them in every mode, with every warning an error. */
#include "sonde/sonde.h"

static SONDE_COUNTER(use_counter, "Queue length", "Queue", "Requests that wait");

SONDE_MARKER_TYPE(use_one, "One field", SONDE_FIELD_URL(url));

SONDE_MARKER_TYPE(use_all, "All formats", SONDE_FIELD_URL(url), SONDE_FIELD_FILE_PATH(path, "Path"),
                  SONDE_FIELD_SANITIZED(sanitized, "Secret", SONDE_HIDDEN), SONDE_FIELD_STRING(string),
                  SONDE_FIELD_UNIQUE_STRING(unique), SONDE_FIELD_TIME(time), SONDE_FIELD_DURATION(duration),
                  SONDE_FIELD_SECONDS(seconds), SONDE_FIELD_MILLISECONDS(ms), SONDE_FIELD_MICROSECONDS(us),
                  SONDE_FIELD_NANOSECONDS(ns), SONDE_FIELD_BYTES(bytes), SONDE_FIELD_PERCENTAGE(percentage),
                  SONDE_FIELD_INTEGER(integer), SONDE_FIELD_DECIMAL(decimal), SONDE_FIELD_HEXADECIMAL(hexadecimal));

SONDE_MARKER_TYPE_LOOK(use_look, "With a look",
                       (.description = "what it is", .chart_label = "{marker.data.flow}", .stack_based = true),
                       SONDE_FIELD_FLOW(flow), SONDE_FIELD_TERMINATING_FLOW(last));

static uint64_t use_delay(void *loop)
{
    (void)loop;
    return 5000000;
}

static size_t use_walk(void *runtime, uintptr_t pc, uintptr_t sp, uintptr_t fp, struct sonde_runtime_frame *frames, size_t room)
{
    (void)runtime, (void)pc, (void)sp, (void)fp, (void)frames, (void)room;
    return 0;
}

static void use_sampling(void *data, enum sonde_sampling state)
{
    (void)data, (void)state;
}

static void use_change(void *data, enum sonde_state_change change)
{
    (void)data, (void)change;
}

/* Returns how many times the text of a marker was evaluated. */
static int use_markers(void)
{
    int evaluated = 0;
    uint64_t start = sonde_now();
    SONDE_LABEL("whole", OTHER);
    SONDE_LABEL_HOT("hot", IO);
    SONDE_LABEL_DYNAMIC("with", "a text", OTHER);
    SONDE_LABEL_FLAGS("Class", "method", OTHER, SONDE_LABEL_METHOD | SONDE_LABEL_RELEVANT_FOR_JS);
    uint32_t pushed = sonde_label_push("pushed", NULL, &evaluated, SONDE_CATEGORY_OTHER, 0);
    sonde_label_pop(pushed);
    {
        SONDE_MARKER_SCOPE("scope", "text");
        SONDE_MARKER_SCOPE_IN(IO, "scope without a text", NULL);
    }
    sonde_marker_instant("instant", OTHER);
    sonde_marker_start("interval in two parts", NETWORK);
    sonde_marker_end("interval in two parts", NETWORK);
    sonde_marker_since(start, "interval", OTHER);
    sonde_marker_tracing("traced", OTHER, "family", SONDE_START);
    SONDE_MARKER_TEXT("formatted", OTHER, "evaluated %d times", ++evaluated);
    SONDE_MARKER_TEXT_SINCE(start, "formatted interval", OTHER, "just so");
    SONDE_MARKER(use_one, "one", NETWORK, .url = "https://example.org/");
    SONDE_MARKER_SINCE(start, use_all, "all", OTHER, .url = "https://example.org/", .path = "/etc/motd", .sanitized = "me",
                       .string = "text", .unique = "again and again", .time = start, .duration = 1500000, .seconds = 2000000000,
                       .ms = 3000000, .us = 4000, .ns = 5, .bytes = 1u << 20, .percentage = 0.25, .integer = -200,
                       .decimal = 1.5, .hexadecimal = 0xfeed);
    SONDE_MARKER_WITH((.phase = SONDE_INSTANT, .capture = SONDE_FULL_STACK, .thread = -1), use_look, "flow", OTHER,
                      .flow = sonde_flow(&evaluated), .last = 17);
    struct sonde_marker_options options = {SONDE_INTERVAL, start, 0, SONDE_LABEL_STACK, NULL, 0};
    sonde_marker_add(NULL, "options", SONDE_CATEGORY_OTHER, &options, NULL);
    sonde_backtrace *backtrace = sonde_backtrace_capture(SONDE_FULL_STACK);
    options.backtrace = backtrace;
    options.capture = SONDE_NO_STACK;
    sonde_marker_add(NULL, "with an earlier stack", SONDE_CATEGORY_OTHER, &options, NULL);
    sonde_backtrace_free(backtrace);
    sonde_counter_add(&use_counter, +1);
    sonde_counter_set(&use_counter, 5);
    sonde_bandwidth_add(100);
    return evaluated;
}

static void use_everything_else(void)
{
    sonde_category mine = sonde_category_register("Mine", "magenta");
    mine = sonde_subcategory_register(mine, "Part");
    sonde_thread_register("worker");
    sonde_thread_rename("main");
    sonde_thread_sleep();
    sonde_thread_wake();
    sonde_thread_set_event_delay(use_delay, NULL);
    sonde_thread_set_runtime(use_walk, NULL);
    sonde_thread_set_runtime(NULL, NULL);
    sonde_thread_set_event_delay(NULL, NULL);
    sonde_thread_unregister();
    sonde_set_process_name("headers");
    struct sonde_buffer_info info;
    info.size = sizeof info;
    sonde_get_buffer_info(&info);
    if (sonde_add_state_callback(1u << SONDE_STARTED, use_change, &mine, 1) == 0)
        sonde_remove_state_callback(1);
    sonde_pause();
    sonde_resume();
    sonde_pause_sampling();
    sonde_resume_sampling();
    sonde_after_sampling(use_sampling, &mine);
    sonde_schedule_dump(1000, "/nowhere/profile.json", false);
    sonde_cancel_dump();
}
