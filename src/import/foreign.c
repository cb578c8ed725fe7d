#include "import/foreign.h"

#include "import/protobuf.h"

#include <errno.h>
#include <stdint.h>

static const struct foreign_format perf_data = {
    "perf.data files",
    "convert it on the machine that recorded it: perf script -F +pid -i perf.data > perf.txt",
};
static const struct foreign_format jfr = {
    "recordings of Java Flight Recorder (JFR)",
    "convert it with what comes with async-profiler: jfrconv -o collapsed FILE.jfr FILE.collapsed",
};
static const struct foreign_format perfetto = {
    "Perfetto traces",
    "convert it with Perfetto's traceconv: traceconv json FILE trace.json",
};
static const struct foreign_format callgrind = {
    "callgrind profiles",
    "they have costs of functions and no stacks; callgrind_annotate and KCachegrind show them",
};
static const struct foreign_format massif = {
    "massif profiles",
    "ms_print shows them",
};
static const struct foreign_format dhat = {
    "DHAT profiles",
    "the page dh_view.html that comes with valgrind shows them",
};
static const struct foreign_format jslb = {
    "binary processed profiles (JSLB)",
    "save it again in the Firefox Profiler as .json.gz",
};
static const struct foreign_format art_trace = {
    "ART method traces",
    "the Firefox Profiler reads it, and saves it as .json.gz",
};
static const struct foreign_format simpleperf = {
    "simpleperf recordings",
    "convert it with simpleperf's own script: gecko_profile_generator.py -i perf.data > gecko.json",
};
static const struct foreign_format go_trace = {
    "execution traces of Go",
    "`go tool trace` shows it; for a profile of the CPU use runtime/pprof or perf",
};
static const struct foreign_format hprof = {
    "heap dumps of Java (HPROF)",
    "Eclipse MAT and VisualVM show them",
};
static const struct foreign_format gmon = {
    "gmon.out files",
    "gprof shows them; `sonde record` needs no program built with -pg",
};
static const struct foreign_format gperftools = {
    "CPU profiles of gperftools",
    "convert it: google-pprof --collapsed PROGRAM FILE > FILE.folded",
};
static const struct foreign_format pstats = {
    "profiles of Python's cProfile",
    "convert it: flameprof --format=log FILE > FILE.folded (pip install flameprof), or use `py-spy record --format raw`",
};
const struct foreign_format foreign_instruments = {
    "traces of Instruments",
    "record with `samply record --save-only` on that machine, whose profiles are read",
};
static const struct foreign_format speedscope = {
    "speedscope files",
    "have the profiler that wrote it write folded stacks, as `py-spy record --format raw` and `rbspy record --format "
    "collapsed` do",
};
static const struct foreign_format heap_profile = {
    "heap profiles of V8 (.heapprofile)",
    "the Memory panel of Chrome DevTools shows them",
};
static const struct foreign_format heap_snapshot = {
    "heap snapshots of V8",
    "the Memory panel of Chrome DevTools shows them",
};
static const struct foreign_format program = {
    "programs",
    "`sonde record` runs and records one",
};

/* ---- formats that have no magic number ---- */

/* Packets one after the other, as far as they are in view; each begins with a number or with bytes. */
static bool is_perfetto(struct slice start)
{
    enum { ENOUGH = 8, MOST_FIELDS = 1000 };
    size_t at = 0, packets = 0;
    for (struct protobuf_field packet, first; packets < ENOUGH && at < start.length; packets++) {
        size_t within = 0;
        if (!protobuf_next(start, &at, &packet) || packet.field != 1 || packet.wire != PROTOBUF_BYTES)
            return false;
        if (!protobuf_next(packet.bytes, &within, &first) || first.field == 0 || first.field > MOST_FIELDS)
            return false;
    }
    return packets > 1;
}

/* Words of the machine: 0, 3, 0, the period in µs, 0. */
static bool is_gperftools(struct slice start)
{
    uint64_t words[5];
    if (start.length < sizeof words)
        return false;
    memcpy(words, start.text, sizeof words);
    return words[0] == 0 && words[1] == 3 && words[2] == 0 && words[3] > 0 && words[3] < 100000000 && words[4] == 0;
}

const struct foreign_format *foreign_recognise(struct slice start)
{
    static const struct {
        struct slice bytes;
        const struct foreign_format *format;
    } beginnings[] = {
        {{"PERFILE2", 8}, &perf_data},
        {{"2ELIFREP", 8}, &perf_data},
        {{"FLR\0", 4}, &jfr},
        {{"JSLB", 4}, &jslb},
        {{"*version\n", 9}, &art_trace},
        {{"SLOW", 4}, &art_trace},
        {{"SIMPLEPERF", 10}, &simpleperf},
        {{"# callgrind format", 18}, &callgrind},
        {{"version: 1\ncreator: ", 20}, &callgrind},
        {{"desc: ", 6}, &massif},
        {{"JAVA PROFILE 1.", 15}, &hprof},
        {{"go 1.", 5}, &go_trace},
        {{"gmon\1", 5}, &gmon},
        {{"{)", 2}, &pstats},
        {{"\xfb)", 2}, &pstats},
        {{"\x7f"
          "ELF",
          4},
         &program},
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (slice_starts_with(start, beginnings[i].bytes))
            return beginnings[i].format;
    if (slice_starts_with(start, SLICE("<?xml")) && memmem(start.text, start.length, "<trace-query-result>", 20))
        return &foreign_instruments;
    if (protobuf_is_binary(start) && is_perfetto(start))
        return &perfetto;
    return is_gperftools(start) ? &gperftools : NULL;
}

const struct foreign_format *foreign_recognise_key(struct slice key)
{
    if (slice_is(key, "dhatFileVersion"))
        return &dhat;
    if (slice_is(key, "activeProfileIndex") || slice_is(key, "profiles"))
        return &speedscope;
    return slice_is(key, "snapshot") ? &heap_snapshot : NULL;
}

const struct foreign_format *foreign_recognise_head(struct slice key)
{
    return slice_is(key, "selfSize") ? &heap_profile : NULL;
}

int foreign_refuse(const struct foreign_format *format, struct error *error)
{
    return error_set(error, -ENOTSUP, "%s are not read: %s", format->name, format->way);
}
