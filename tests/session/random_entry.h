/* Entries with random contents, the same ones in every run. */
#ifndef SONDE_TESTS_RANDOM_ENTRY_H
#define SONDE_TESTS_RANDOM_ENTRY_H

#include "session/entry.h"
#include "support/any_entry.h"

/* How many frames a stack has at most. */
enum { RANDOM_FRAMES = 12 };

uint64_t random_word(void);
/* Of any size, small ones as often as large ones; and the largest. */
uint64_t random_number(void);
bool random_bool(void);
/* Bytes of all kinds, NUL too. */
struct slice random_text(void);
struct frame_entry random_frame(void);
void random_entry(enum entry_kind kind, struct any_entry *entry);

#endif
