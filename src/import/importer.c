#include "import/importer.h"

#include "common/json_reader.h"
#include "import/cpuprofile.h"
#include "import/folded.h"
#include "import/foreign.h"
#include "import/gecko.h"
#include "import/perf_script.h"
#include "import/pprof.h"
#include "import/pprof_file.h"
#include "import/processed.h"
#include "import/replay_source.h"
#include "import/session.h"
#include "import/trace_events.h"

#include <errno.h>

/* Enough to tell one text format from another. */
enum { FIRST_BYTES = 64 << 10 };

enum format {
    FORMAT_NONE,
    FORMAT_SESSION,
    FORMAT_PERF_SCRIPT,
    FORMAT_FOLDED,
    FORMAT_PPROF,
    FORMAT_JSON, /* one of the next */
    FORMAT_PROCESSED,
    FORMAT_GECKO,
    FORMAT_CPUPROFILE,
    FORMAT_CHROME_TRACE,
};

/* What the value of `meta` says; it is read as far as it takes to tell. */
static enum format meta_format(struct json_reader *r)
{
    enum format format = FORMAT_NONE;
    if (json_peek(r) != JSON_OBJECT) {
        json_skip(r);
        return format;
    }
    json_begin_object(r);
    for (struct slice key; json_next_key(r, &key); json_skip(r)) {
        if (slice_is(key, "preprocessedProfileVersion"))
            return FORMAT_PROCESSED;
        if (slice_is(key, "version"))
            format = FORMAT_GECKO;
    }
    return format;
}

/* What the value of `head` says, the root of a CPU profile as it once was, or of a heap profile. */
static enum format head_format(struct json_reader *r, const struct foreign_format **foreign)
{
    if (json_peek(r) != JSON_OBJECT) {
        json_skip(r);
        return FORMAT_CPUPROFILE;
    }
    json_begin_object(r);
    for (struct slice key; json_next_key(r, &key); json_skip(r))
        if ((*foreign = foreign_recognise_head(key)))
            return FORMAT_NONE;
    return FORMAT_CPUPROFILE;
}

/* Looks at the keys at the top until one tells what it is. Real files have such a key near their beginning; where they do not,
 * all that was read is kept by the source, so that the importer can start over. */
static enum format json_format(struct json_reader *r, const struct foreign_format **foreign)
{
    if (json_peek(r) == JSON_ARRAY)
        return FORMAT_CHROME_TRACE;
    enum format format = FORMAT_NONE;
    json_begin_object(r);
    for (struct slice key; format == FORMAT_NONE && !*foreign && json_next_key(r, &key);) {
        if (slice_is(key, "meta")) {
            format = meta_format(r);
            continue;
        }
        if (slice_is(key, "shared"))
            format = FORMAT_PROCESSED;
        else if (slice_is(key, "traceEvents"))
            format = FORMAT_CHROME_TRACE;
        else if (slice_is(key, "head"))
            format = head_format(r, foreign);
        else if (cpuprofile_has_key(key))
            format = FORMAT_CPUPROFILE;
        else if (!(*foreign = foreign_recognise_key(key)))
            json_skip(r);
    }
    return format;
}

static struct slice skip_space(struct slice text)
{
    size_t start = 0;
    while (start < text.length && memchr(" \t\n\r", text.text[start], 4))
        start++;
    return slice_from(text, start);
}

/* Folded stacks may start with `[unknown];`: an array counts as JSON only if an object is in it, as in Chrome traces, or
 * nothing. */
static bool starts_json(struct slice start)
{
    if (slice_starts_with(start, SLICE("\xef\xbb\xbf")))
        start = slice_from(start, 3);
    start = skip_space(start);
    if (!slice_starts_with(start, SLICE("[")))
        return slice_starts_with(start, SLICE("{"));
    start = skip_space(slice_from(start, 1));
    return start.length == 0 || start.text[0] == '{' || start.text[0] == ']';
}

static enum format first_bytes_format(struct slice start)
{
    if (session_recognise(start))
        return FORMAT_SESSION;
    if (pprof_recognise(start))
        return FORMAT_PPROF;
    if (starts_json(start))
        return FORMAT_JSON;
    if (perf_script_recognise(start))
        return FORMAT_PERF_SCRIPT;
    return folded_recognise(start) ? FORMAT_FOLDED : FORMAT_NONE;
}

/* A format that is known and not read is an error that says what to do. */
static int recognise(struct replay_source *replay, enum format *format, struct error *error)
{
    const struct foreign_format *foreign = NULL;
    struct slice start;
    int failed = replay_source_peek(replay, FIRST_BYTES, &start, error);
    if (failed)
        return failed;
    if (start.length == 0)
        return error_set(error, -EBADMSG, "the file is empty");
    *format = first_bytes_format(start);
    if (*format != FORMAT_PPROF && (foreign = foreign_recognise(start)))
        return foreign_refuse(foreign, error);
    if (*format != FORMAT_JSON)
        return 0;
    struct json_reader *r = json_reader_open(&replay->base, error);
    if (!r)
        return error->code;
    *format = json_format(r, &foreign);
    failed = json_ok(r) ? 0 : error->code;
    if (!failed && foreign)
        failed = foreign_refuse(foreign, error);
    json_reader_close(r);
    replay_source_rewind(replay);
    return failed;
}

static int import_json(struct byte_source *source, struct profile *profile, struct error *error,
                       int (*import)(struct json_reader *, struct profile *, struct error *))
{
    struct json_reader *r = json_reader_open(source, error);
    if (!r)
        return error->code;
    int failed = import(r, profile, error);
    json_reader_close(r);
    return failed;
}

static int import_format(struct byte_source *source, enum format format, const struct import_options *options,
                         struct profile *profile, struct error *error)
{
    switch (format) {
    case FORMAT_PROCESSED:
        return import_json(source, profile, error, import_processed);
    case FORMAT_GECKO:
        return import_json(source, profile, error, import_gecko);
    case FORMAT_CPUPROFILE:
        return (options->thin ? cpuprofile_import_thin : cpuprofile_import)(source, profile, error);
    case FORMAT_CHROME_TRACE:
        return (options->thin ? trace_events_import_thin : trace_events_import)(source, profile, error);
    case FORMAT_SESSION:
        return session_import_source(source, profile, error);
    case FORMAT_PERF_SCRIPT:
        return perf_script_import_with(options, source, profile, error);
    case FORMAT_PPROF:
        return pprof_import_event(options->event, source, profile, error);
    case FORMAT_FOLDED:
        return folded_import(source, profile, error);
    default:
        break;
    }
    return error_set(
        error, -EBADMSG,
        "not a profile: neither a Firefox Profiler or Gecko profile, a .cpuprofile, a Chrome trace, a pprof profile, folded "
        "stacks nor `perf script` text");
}

int import_profile_with(struct byte_source *source, const struct import_options *options, struct profile *profile,
                        struct error *error)
{
    struct import_trace *wanted = options->trace;
    struct replay_source replay;
    replay_source_init(&replay, source);
    enum format format = FORMAT_NONE;
    int failed = recognise(&replay, &format, error);
    replay_source_commit(&replay);
    if (!failed && wanted && (format == FORMAT_CHROME_TRACE || format == FORMAT_CPUPROFILE)) {
        wanted->found = true;
        failed = trace_read(&wanted->trace, &replay.base, &wanted->options, error);
    } else if (!failed) {
        failed = import_format(&replay.base, format, options, profile, error);
    }
    replay_source_free(&replay);
    return failed;
}

static const struct import_options usual_options = {0};

int import_profile(struct byte_source *source, struct profile *profile, struct error *error)
{
    return import_profile_with(source, &usual_options, profile, error);
}

int import_file_with(const char *path, const struct byte_progress *progress, const struct import_options *options,
                     struct profile *profile, struct error *error)
{
    if (session_recognise_path(path))
        return session_import(path, progress, profile, error);
    struct byte_source *source = byte_source_open(path, progress, error);
    if (!source)
        return error->code;
    int failed = import_profile_with(source, options, profile, error);
    byte_source_close(source);
    return failed;
}

int import_file(const char *path, const struct byte_progress *progress, struct profile *profile, struct error *error)
{
    return import_file_with(path, progress, &usual_options, profile, error);
}
