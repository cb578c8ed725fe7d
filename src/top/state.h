/* What `sonde top` keeps, and what its panels share (panel.h). */
#ifndef SONDE_TOP_STATE_H
#define SONDE_TOP_STATE_H

#include "print/tree_lines.h"
#include "top/look.h"

/* The text of a source file; no lines where it is unknown. */
struct top_text {
    const struct slice *lines;
    size_t count;
    uint32_t first_line;
    bool changed; /* since the recording */
};

/* Whoever has files. What `read` gives lives until it is called again. */
struct top_sources {
    void *data;
    struct top_text (*read)(void *data, uint32_t source);
};

enum top_panel { PANEL_TREE, PANEL_FUNCTIONS, PANEL_SOURCE, PANEL_THREADS, PANEL_STRATEGIES, PANEL_HELP, PANELS };

struct top_list {
    size_t chosen, first; /* rows: the chosen one, and the first one on the screen */
};

struct top_thread {
    struct thread_index thread;
    double size; /* its CPU time, or its samples */
    bool marked;
};

struct top {
    struct look look;
    const char *file, *filters;
    struct top_sources sources;
    struct terminal terminal; /* its width is that of the screen */
    size_t list_rows;         /* that the screen has for the panel */

    enum top_panel panel;
    enum top_panel under; /* the tree or the functions: where Escape leads from the others */
    struct top_list lists[PANELS];
    char message[440];
    bool done;

    /* What is typed at the bottom: after `/` a text to find, after `&` one to keep samples by; 0 = nothing is. */
    char prompt;
    struct text_buffer typed;

    /* What was found last: a text, and for each func whether it has it. */
    struct text_buffer found_text;
    uint8_t *found;
    uint32_t *found_before; /* of the call nodes, one more than there are: those before each that were found */
    size_t found_count;

    /* What was made of the answer of this generation. */
    unsigned generation;
    struct tree_lines tree;
    struct function_list functions;
    enum look_sort functions_sort;

    /* PANEL_SOURCE */
    uint32_t source_func, source;
    struct top_text text;
    struct line_timings timings;

    VEC(struct top_thread) threads; /* PANEL_THREADS, the largest first */
    bool threads_were_marked;       /* there, since it was opened */
    VEC(enum strategy) strategies;  /* PANEL_STRATEGIES: those that these threads have */
};

/* The list that is shown goes to the next or previous row that was found; says where there is none. */
void top_find(struct top *top, bool backwards);
/* Looks for what was typed, and goes to the first row from the chosen one on that has it. */
void top_find_text(struct top *top, struct slice text);

/* After the answer changed: what was found is looked for there. */
void top_find_again(struct top *top);

/* A transform of the page, by its key, on the chosen function or node. False where the key is none of them. */
bool top_transform(struct top *top, int key);
/* Keeps the samples that a search finds, as a transform. */
void top_keep(struct top *top, struct slice text);
/* "Merge: malloc" */
void top_crumb(const struct top *top, const struct transform *transform, struct line *line);

/* What failed becomes the message. Returns whether nothing did. */
bool top_worked(struct top *top, int status);
void top_say(struct top *top, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
