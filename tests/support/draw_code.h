/* Code of language runtimes in drawings (session_draw.h), both ways. */
#ifndef SONDE_TESTS_DRAW_CODE_H
#define SONDE_TESTS_DRAW_CODE_H

#include "session/entry.h"
#include "support/draw_line.h"

#include <stdio.h>

/* `code RUNTIME START-END NAME …` and `code RUNTIME NUMBER NAME …`, but for the time. `bytes` gets the lines. */
enum { DRAWN_LINES_BYTES = 1000 };
void code_read(struct line *line, struct code_entry *code, uint8_t bytes[static DRAWN_LINES_BYTES]);

/* The kind of a numbered frame, `v8` of `v8:0x1000+4~inlined`; false where it is none. */
bool numbered_frame_read(const struct line *line, const char *kind, char *word, struct frame_entry *frame);

void code_print(FILE *out, const struct code_entry *code);
void numbered_frame_print(FILE *out, const struct frame_entry *frame);

#endif
