/* The text of a label, as it is shown: "label dynamic", or as its flags say. */
#ifndef SONDE_STACK_LABEL_TEXT_H
#define SONDE_STACK_LABEL_TEXT_H

#include "stack/raw_stack.h"

/* Appends to raw->text. What does not fit is cut, and raw->cut set. Safe in a signal handler. */
struct raw_text raw_text_copy(struct raw_stack *raw, const char *text); /* NULL = empty */
struct raw_text label_text(struct raw_stack *raw, const char *label, const char *dynamic, unsigned flags);

#endif
