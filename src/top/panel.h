/* The panels of the screen: each is a list with a heading. */
#ifndef SONDE_TOP_PANEL_H
#define SONDE_TOP_PANEL_H

#include "top/key.h"
#include "top/state.h"

struct panel {
    const char *keys; /* what the last line of the screen says of it */
    size_t (*count)(const struct top *top);
    void (*heading)(struct top *top, struct line *line);
    /* Rows are drawn one after the other, from the first one on the screen. */
    void (*draw)(struct top *top, size_t row, bool first, struct line *line);
    /* Keys that other panels do not have; false where it is none. */
    bool (*key)(struct top *top, int key);
};

extern const struct panel tree_panel, functions_panel, source_panel, threads_panel, strategies_panel, help_panel;

const struct panel *panel_of(const struct top *top);

/* The chosen row, which the tree keeps itself. */
size_t panel_chosen(const struct top *top);
void panel_choose(struct top *top, size_t row);

/* So that the chosen row is on the screen; returns the first row that is. After each key: what two of them lead to does not
 * hang on whether the screen was drawn in between. */
size_t panel_scroll(struct top *top);

/* Fills what the panel shows, and goes there. Those of threads and strategies are opened with what is chosen now. */
void functions_open(struct top *top);
void source_open(struct top *top, uint32_t func);
void threads_open(struct top *top);
void strategies_open(struct top *top);

/* The function that the chosen row of the tree or of the list of functions is about; INDEX_NONE. */
uint32_t panel_func(const struct top *top);

#endif
