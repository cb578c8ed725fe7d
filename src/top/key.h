/* Keys, out of the bytes that a terminal sends for them. */
#ifndef SONDE_TOP_KEY_H
#define SONDE_TOP_KEY_H

#include <stdbool.h>
#include <stddef.h>

/* A character of ASCII, a byte of another one from 128 on, or one of these. */
enum key {
    KEY_NONE = 256, /* bytes that are no key that we know */
    KEY_UP,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_SHIFT_RIGHT,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_ESCAPE,
    /* Control characters under their names. */
    KEY_TAB = '\t',
    KEY_ENTER = '\r',
    KEY_BACKSPACE = 127,
};

/* A letter with Ctrl. */
#define KEY_CTRL(letter) ((letter)&0x1f)

/* The key that `bytes` begin with, and how many of them are its own. 0 bytes: more may belong to it, as in the middle of an
 * escape sequence; with `all` nothing more comes, and what is there is taken for what it is. */
size_t key_read(const unsigned char *bytes, size_t count, bool all, int *key);

#endif
