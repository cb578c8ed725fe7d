/* A CPython as its walker sees it: a thread that runs `inner`, called by `middle`, which a native function called that `outer`
 * called. Drawn by the layout of any version, so that tests need none of them. */
#ifndef SONDE_TESTS_DRAWN_PYTHON_H
#define SONDE_TESTS_DRAWN_PYTHON_H

#include "runtime/python/layout.h"

enum { DRAWN_PYTHON_FIRST = 9, DRAWN_PYTHON_LAST = 14, DRAWN_PYTHON_BYTES = 1 << 16 };

/* CPython 3.`minor`, or one that calls itself so. */
void draw_python(unsigned minor, bool free_threaded);

/* The thread has ended, and another one with the same handle runs the same: its state is somewhere else. */
void redraw_python_thread(void);

/* What was found of it, to be changed at will. */
struct python_layout *drawn_python_layout(void);

/* Byte `place` of its memory. */
uint8_t *drawn_python_byte(size_t place);

/* Walks the thread's stack; what was learnt in walks of the same drawing is kept. Good until the next walk. */
const struct raw_stack *walk_drawn_python(void);

#endif
