/* Traces of one thread, drawn as text, and their calls as text again.
 *
 *     assert_calls((struct drawing){.events = "FunctionCall(1000,60)", .samples = "4 4 5 5"},
 *                  "a 1010+50 s20 d1; b 1030+30 s30 d2");
 *
 * Whatever goes wrong fails the test. */
#ifndef SONDE_TESTS_TRACE_DRAWN_TRACE_H
#define SONDE_TESTS_TRACE_DRAWN_TRACE_H

#include "trace/calls.h"

struct drawing {
    /* In the order that the reader gives them: `NAME(TS,DUR)`, or `NAME@TS` for an instant; `#ID` after it: a trace id. */
    const char *events;
    const char *samples; /* ids of nodes; NULL: there are none */
    const char *deltas;  /* µs; NULL: 10 for each sample; "": there are none */
    /* `ID<PARENT:NAME` or `ID<PARENT:NAME:LINE:COLUMN:URL` (with a line where the name is in brackets), in addition to those
     * that every drawing has:
     *
     *     1 (root) ─┬─ 2 (program)
     *               ├─ 3 (idle)
     *               ├─ 4 a ─┬─ 5 b ── 6 c
     *               │       └─ 7 d
     *               ├─ 8 (garbage collector)
     *               └─ 9 e ── 10 g                  The line of a function is its id. */
    const char *nodes;
    bool only_these_nodes;
    const char *hits;   /* of nodes by their place; NULL: counted from samples */
    const char *stacks; /* TRACE-ID=NODE */
    double start, end;  /* µs; 0: 1000 and 2000 */
    bool listed;        /* nodes have lists of children, as in a CPU profile, not parents */
    bool cpu_mode;      /* a CPU profile on its own */
    bool show_all;
    enum trace_rules rules;
};

/* Fills a zeroed trace of a process that is kept. */
void draw_trace(struct trace *trace, const struct drawing *drawing);
struct calls_options drawing_options(const struct drawing *drawing);

/* Calls in the order of their opening: name, start, duration, self time, depth, and the sample that opened them if it is not a
 * sample. `-`: in no tree. To be given to memory_release(). */
char *calls_text(const struct trace_calls *calls, const struct trace *trace);

void assert_calls(struct drawing drawing, const char *expected);

#endif
