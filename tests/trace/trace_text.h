/* Traces written by hand in tests, and what was read of them as text again. */
#ifndef SONDE_TESTS_TRACE_TRACE_TEXT_H
#define SONDE_TESTS_TRACE_TRACE_TEXT_H

#include "common/text_buffer.h"
#include "trace/trace_read.h"

/* The JSON that is meant by a text in which ' stands for "; to be freed. */
struct text_buffer json_text(const char *json);

/* Reads such a text. The trace is to be freed in any case. */
int read_trace(struct trace *trace, const char *json, const struct trace_read_options *options, struct error *error);

/* The same, where a failure fails the test. */
void assert_reads(struct trace *trace, const char *json);

/* Fails the test unless it is refused with exactly this message. */
void assert_trace_refused(const char *json, const char *message);

/* Threads and their entries, those without any left out:
 *
 *     7:9 CrRendererMain
 *     X FunctionCall v8 1000+60
 *     I TimeStamp 1023 stack 77
 */
void assert_entries(const char *json, const char *expected);
void assert_entries_by(const char *json, enum trace_rules rules, const char *expected);

/* The profiles of threads:
 *
 *     7:9 0x1 1000-1040
 *     samples 4 5
 *     deltas 10 10
 */
void assert_profiles(const char *json, const char *expected);

/* The nodes of all profiles, one a line: id, function, script, url, line:column, parent, children, hits. */
void assert_nodes(const char *json, const char *expected);

/* The processes that are kept, with their addresses, under one of the rules. */
void assert_kept(const char *json, enum trace_rules rules, const char *expected);

#endif
