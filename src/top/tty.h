/* The terminal: keys as they are pressed, a screen of its own, and how it was before, whatever ends us.
 *
 *     tty_open()      keys are not shown any more; the alternate screen
 *     tty_wait()      the next key, or that the screen has to be drawn
 *     tty_close()     as it was
 *
 * Signals that end the process put the terminal back first, and so does SIGTSTP; after SIGCONT it is taken again. */
#ifndef SONDE_TOP_TTY_H
#define SONDE_TOP_TTY_H

#include "common/error.h"
#include "top/key.h"

/* There is one terminal. `input` is where keys come from; it stays the caller's. 0 or a negative errno. */
int tty_open(int input, struct error *error);
void tty_close(void);

/* 24 x 80 where it does not say. */
void tty_size(size_t *rows, size_t *columns);

void tty_write(const char *bytes, size_t count);

enum tty_event {
    TTY_KEY,    /* one was pressed */
    TTY_REDRAW, /* the size changed, or others have written on the screen */
    TTY_QUIET,  /* nothing, for as long as was waited */
    TTY_GONE,   /* no key will ever come */
};

/* Waits for `milliseconds`, -1 = for ever; 0 = only looks whether there is something. */
enum tty_event tty_wait(int milliseconds, int *key);

#endif
