#include "common/count.h"
#include "common/number_text.h"
#include "export/gecko.h"
#include "export/gecko_machine.h"
#include "export/gecko_session.h"
#include "export/gecko_text.h"
#include "export/gecko_time.h"

enum { GECKO_VERSION = 36, ENTRY_BYTES = 8 /* the unit of `capacity` */ };

static void write_integer(struct json_writer *w, const char *key, uint64_t number)
{
    json_write_key(w, key);
    json_write_integer(w, number <= INT64_MAX ? (int64_t)number : INT64_MAX);
}

static void write_time(struct json_writer *w, const char *key, uint64_t time)
{
    json_write_key(w, key);
    gecko_write_time(w, time);
}

static void write_time_or_null(struct json_writer *w, const char *key, uint64_t time, bool known)
{
    json_write_key(w, key);
    if (known)
        gecko_write_time(w, time);
    else
        json_write_null(w);
}

static void write_text(struct json_writer *w, const char *key, const char *text)
{
    if (text[0] == '\0')
        return;
    json_write_key(w, key);
    json_write_text(w, text);
}

static void write_interval(const struct gecko_session *session, struct json_writer *w)
{
    write_time(w, "interval", session->interval_ns > 0 ? session->interval_ns : 1000000);
}

static void write_configuration(const struct gecko_session *session, struct json_writer *w)
{
    json_write_key(w, "configuration");
    json_write_begin_object(w);
    json_write_key(w, "features");
    gecko_write_list(w, session->feature_names);
    json_write_key(w, "threads");
    gecko_write_list(w, session->filters);
    write_interval(session, w);
    write_integer(w, "capacity", session->capacity_bytes / ENTRY_BYTES);
    if (session->duration_ns > 0) {
        json_write_key(w, "duration");
        json_write_decimal(w, (int64_t)gecko_time(session->duration_ns / 1000), 6);
    }
    write_integer(w, "activeTabID", 0);
    json_write_end_object(w);
}

static bool has_feature(const struct gecko_session *session, struct slice feature)
{
    struct slice list = session->feature_names;
    while (list.length > 0) {
        const char *comma = memchr(list.text, ',', list.length);
        size_t length = comma ? (size_t)(comma - list.text) : list.length;
        if (slice_equal(slice_until(list, length), feature))
            return true;
        list = slice_from(list, comma ? length + 1 : length);
    }
    return false;
}

/* Of the first process only. */
static void write_machine(struct json_writer *w)
{
    struct gecko_machine machine;
    gecko_machine_read(&machine, "/proc/cpuinfo");
    char cpu[sizeof machine.system.sysname + 1 + sizeof machine.system.machine];
    struct slice system = slice_of(machine.system.sysname), abi = slice_of(machine.system.machine);
    memcpy(cpu, system.text, system.length);
    cpu[system.length] = ' ';
    memcpy(cpu + system.length + 1, abi.text, abi.length + 1);
    write_text(w, "platform", "Linux");
    write_text(w, "oscpu", cpu);
    write_text(w, "abi", machine.system.machine);
    write_text(w, "CPUName", machine.cpu_name);
    if (machine.physical_cpus > 0)
        write_integer(w, "physicalCPUs", machine.physical_cpus);
    if (machine.logical_cpus > 0)
        write_integer(w, "logicalCPUs", machine.logical_cpus);
}

static void write_product(const struct gecko_session *session, const struct gecko_options *options, struct json_writer *w)
{
    json_write_key(w, "product");
    if (options->product)
        json_write_text(w, options->product);
    else
        json_write_string(w, session->product);
}

/* What was seen from outside may end later than the recording, and readers leave out rows at its end and behind it. */
static uint64_t end_of(const struct gecko_session *session)
{
    uint64_t end = session->header.end_ns;
    if (end == 0)
        return gecko_later(session->last_ns, session->start_ns);
    return session->last_ns < gecko_time(end) ? end : session->last_ns + session->grid_ns;
}

void gecko_write_meta(const struct gecko_session *session, const struct gecko_options *options, bool root,
                      struct json_writer *w)
{
    const struct session_file_header *header = &session->header;
    bool walks = has_feature(session, SLICE("stackwalk"));
    json_write_begin_object(w);
    write_integer(w, "version", GECKO_VERSION);
    write_time(w, "startTime", header->start_realtime_ns);
    write_integer(w, "startTimeAsClockMonotonicNanosecondsSinceBoot", header->start_monotonic_ns);
    write_time(w, "profilingStartTime", session->start_ns);
    write_time_or_null(w, "contentEarliestTime", session->reading.oldest_ns, session->reading.oldest_ns != UINT64_MAX);
    write_time(w, "profilingEndTime", end_of(session));
    write_time_or_null(w, "shutdownTime", options->shutdown_ns, options->shutdown_ns > 0);
    json_write_key(w, "categories");
    gecko_categories_write(&session->categories, w);
    json_write_key(w, "markerSchema");
    gecko_types_write(&session->types, w);
    write_configuration(session, w);
    write_interval(session, w);
    write_integer(w, "stackwalk", walks);
    write_integer(w, "debug", 0);
    write_integer(w, "gcpoison", 0);
    write_integer(w, "asyncstack", 0);
    write_integer(w, "processType", 0);
    if (root)
        write_machine(w);
    write_product(session, options, w);
    json_write_key(w, "sampleUnits");
    json_write_raw(w, SLICE("{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}"));
    json_write_end_object(w);
}

void gecko_write_pauses(const struct gecko_session *session, struct json_writer *w)
{
    json_write_begin_array(w);
    for (size_t i = 0; i < session->pauses.count; i++) {
        const struct gecko_pause *pause = &session->pauses.items[i];
        if (pause->end < session->since_ns)
            continue;
        json_write_begin_object(w);
        write_time_or_null(w, "startTime", pause->start, pause->start != UINT64_MAX);
        write_time_or_null(w, "endTime", pause->end, pause->end != UINT64_MAX);
        json_write_key(w, "reason");
        json_write_text(w, pause->sampling_only ? "sampling-paused" : "profiler-paused");
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

/* ---- the log: how good the data is ---- */

static const char *const statistic_names[] = {
    [STATISTIC_SAMPLES_EVENT] = "samplesByEvents",
    [STATISTIC_SAMPLES_TICK] = "samplesByTicks",
    [STATISTIC_SAMPLES_LOST] = "samplesLost",
    [STATISTIC_LOOKS] = "looks",
    [STATISTIC_LOOKS_REFUSED] = "looksRefused",
    [STATISTIC_STACKS_TRUNCATED] = "stacksTruncated",
    [STATISTIC_STACKS_CUT] = "stacksCut",
    [STATISTIC_ENTRIES_LOST] = "entriesLost",
    [STATISTIC_BYTES_LOST] = "failedPutBytes",
    [STATISTIC_CHUNKS_RECYCLED] = "chunksRecycled",
    [STATISTIC_THREADS_UNREGISTERED] = "threadsUnregistered",
    [STATISTIC_HANDLER_NS] = "handlerNanoseconds",
    [STATISTIC_POWER_REFUSED] = "powerRefused",
    [STATISTIC_ALLOCATED_BYTES] = "allocatedBytes",
    [STATISTIC_ALLOCATIONS] = "allocations",
    [STATISTIC_ALLOCATIONS_LOST] = "allocationsLost",
    [STATISTIC_ALLOCATIONS_NS] = "allocationsNanoseconds",
    [STATISTIC_FAULT_SAMPLES] = "faultSamples",
    [STATISTIC_FREES_MISSED] = "freesMissed",
};
_Static_assert(COUNT(statistic_names) == STATISTIC_COUNT, "every statistic has a name");

static void write_statistics(const struct session_file_header *header, struct json_writer *w)
{
    json_write_begin_object(w);
    for (size_t i = 0; i < STATISTIC_COUNT; i++)
        write_integer(w, statistic_names[i], header->statistics[i]);
    json_write_key(w, "heldBelow64NanosecondsTimesPowersOf2");
    json_write_begin_array(w);
    for (size_t i = 0; i < HELD_BUCKETS; i++)
        json_write_integer(w, header->held[i]);
    json_write_end_array(w);
    json_write_end_object(w);
}

static void write_reading(const struct gecko_session *session, struct json_writer *w)
{
    const struct session_reading *reading = &session->reading;
    json_write_begin_object(w);
    write_integer(w, "chunksRead", reading->chunks_read);
    write_integer(w, "chunksMissed", reading->chunks_missed);
    write_integer(w, "bytesRead", reading->bytes_read);
    write_integer(w, "badEntries", reading->bad_entries);
    write_integer(w, "entriesLeftOut", session->entries_left_out);
    json_write_end_object(w);
}

void gecko_write_log(const struct gecko_session *session, struct json_writer *w)
{
    static const char *const states[] = {"recording", "paused", "stopped", "disk full", "replaced", "ended"};
    uint32_t state = session->header.state;
    char pid[16];
    json_write_begin_object(w);
    json_write_key_slice(w, (struct slice){pid, integer_text(session->header.pid, pid)});
    json_write_begin_object(w);
    write_time(w, "profilingLogBegin_TSms", session->start_ns);
    json_write_key(w, "state");
    json_write_text(w, state < COUNT(states) ? states[state] : "unknown");
    json_write_key(w, "quality");
    write_statistics(&session->header, w);
    json_write_key(w, "reading");
    write_reading(session, w);
    json_write_key(w, "librariesAtTheSameAddresses");
    gecko_libs_write_overlaps(&session->libs, w);
    write_time(w, "profilingLogEnd_TSms", end_of(session));
    json_write_end_object(w);
    json_write_end_object(w);
}
