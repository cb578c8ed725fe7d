/* A screen full of lines, and the bytes that change what a terminal shows into it. */
#ifndef SONDE_TOP_CANVAS_H
#define SONDE_TOP_CANVAS_H

#include "common/text_buffer.h"
#include "print/style.h"

struct canvas_line {
    struct text_buffer bytes; /* with the sequences for colours, never wider than the screen */
    bool reverse;             /* the whole line in reverse video */
};

struct canvas {
    size_t rows, columns;
    bool utf8; /* else lines are written in ASCII: + for ▸, | for │ … */
    VEC(struct canvas_line) lines, shown;
    bool unknown; /* what the terminal shows: all of it is to be written */
};

/* Empties all lines, for a screen of this size. False when the heap is empty. */
bool canvas_begin(struct canvas *canvas, size_t rows, size_t columns);
void canvas_free(struct canvas *canvas);

/* Sets a line, from 0 on; what does not fit the screen is left out. The text is as print/text.h leaves it. */
void canvas_set(struct canvas *canvas, size_t row, struct slice text, bool reverse);

/* Adds what the terminal needs to show the canvas; the next canvas starts from there. */
void canvas_write(struct canvas *canvas, struct text_buffer *out);

#endif
