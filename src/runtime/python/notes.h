/* What walks of Python frames remember from one to the next, in raw_stack.notes: zeros at the beginning.
 *
 * Nothing in it is trusted: the thread state says by itself whose it is, and a code object is looked at before its texts are
 * used again. */
#ifndef SONDE_RUNTIME_PYTHON_NOTES_H
#define SONDE_RUNTIME_PYTHON_NOTES_H

#include "runtime/python/layout.h"

enum {
    PYTHON_THREADS = 4, /* thread states of one thread: one for each interpreter that it runs */
    KNOWN_CODES = 256,  /* a power of 2 */
    KNOWN_TEXT_BYTES = 176,
    KNOWN_LINES = 4,
};

/* The texts of a code object, as long as it is that one: its address and what it leads to are the same. */
struct known_code {
    uint64_t code, name, file, line_table;
    uint32_t first_line;
    uint32_t walk;                        /* the last one in which it was met: */
    struct raw_text name_text, file_text; /* … in that stack */
    uint16_t name_length, file_length;    /* in `text`, one behind the other */
    uint32_t next_line;
    struct {
        uint32_t offset, line;
    } lines[KNOWN_LINES]; /* where it was met before; offset 0 is not among them: a function is hardly ever there */
    char text[KNOWN_TEXT_BYTES];
};

struct python_notes {
    uint64_t owner; /* the _PyRuntime and the process that this is about */
    uint64_t threads[PYTHON_THREADS];
    uint32_t walk;      /* counts them */
    uint8_t bytes[512]; /* for what is being read */
    struct known_code codes[KNOWN_CODES];
};
_Static_assert(sizeof(struct python_notes) <= RAW_NOTES_BYTES, "the notes fit");

/* One walk. */
struct python_state {
    const struct python_layout *layout;
    struct runtime_walk *walk;
    struct python_notes *notes;
    uint64_t page_start; /* of what raw->copy holds of frames; 1 = nothing */
    uint32_t cursor;     /* the native frame where the search for a place goes on */
    uint32_t matched;    /* native frames of the interpreter's loop whose Python frames were found */
    uint32_t last_match;
    bool is_split; /* a native frame that runs Python is outside of what is known of the loop's function */
};

struct python_frame {
    uint64_t previous, code;
    int64_t instruction; /* address, or index */
    uint8_t owner, is_entry;
};

/* frame.c */
bool python_frame_read(struct python_state *state, uint64_t address, struct python_frame *frame);
/* Adds the frame at this place. False: it has no code object, or there is no room. */
bool python_frame_add(struct python_state *state, const struct python_frame *frame, uint64_t place);
/* Whether `address` is a code object. */
bool python_is_code(struct python_state *state, uint64_t address);

/* lines.c: the line of the instruction at this offset in bytes; 0 = it has none. */
uint32_t python_line(struct python_state *state, uint64_t line_table, uint32_t first_line, int64_t offset);

/* text.c: appends a string object as UTF-8 to the texts of the stack. */
struct raw_text python_text(struct python_state *state, uint64_t string);

/* thread.c: fills in the thread states of the thread, each as PYTHON_THREAD_BYTES in … Returns how many; `anew`: looks for them
 * in the lists of the interpreters, also where some are known. */
size_t python_threads_find(struct python_state *state, bool anew);
/* Whether there are several interpreters. */
bool python_has_interpreters(struct python_state *state);

#endif
