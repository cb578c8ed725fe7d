#include "top/key.h"

#include <string.h>

enum { ESCAPE = 0x1b };

/* Between "ESC [" or "ESC O" and the last byte: numbers. */
static int key_of_sequence(const unsigned char *arguments, size_t count, unsigned char last)
{
    bool shift = count >= 2 && arguments[count - 2] == ';' && arguments[count - 1] == '2';
    switch (last) {
    case 'A':
        return KEY_UP;
    case 'B':
        return KEY_DOWN;
    case 'C':
        return shift ? KEY_SHIFT_RIGHT : KEY_RIGHT;
    case 'D':
        return KEY_LEFT;
    case 'H':
        return KEY_HOME;
    case 'F':
        return KEY_END;
    case 'M': /* Enter of the keypad */
        return KEY_ENTER;
    default:
        break;
    }
    if (last != '~' || count == 0 || (count > 1 && arguments[1] != ';'))
        return KEY_NONE;
    switch (arguments[0]) {
    case '1':
    case '7':
        return KEY_HOME;
    case '4':
    case '8':
        return KEY_END;
    case '5':
        return KEY_PAGE_UP;
    case '6':
        return KEY_PAGE_DOWN;
    default:
        return KEY_NONE;
    }
}

static size_t read_escape(const unsigned char *bytes, size_t count, bool all, int *key)
{
    *key = KEY_ESCAPE;
    if (count == 1)
        return all;
    if (bytes[1] == ESCAPE)
        return 1;
    if (bytes[1] != '[' && bytes[1] != 'O') {
        *key = KEY_NONE; /* a letter with Alt */
        return 2;
    }
    for (size_t i = 2; i < count; i++) {
        unsigned char byte = bytes[i];
        if (byte >= '0' && byte <= '?')
            continue;
        *key = byte >= '@' && byte <= '~' ? key_of_sequence(bytes + 2, i - 2, byte) : KEY_NONE;
        /* What is no end of a sequence begins the next key. */
        return byte >= '@' && byte <= '~' ? i + 1 : i;
    }
    if (!all && count < 32)
        return 0;
    *key = KEY_NONE;
    return count;
}

size_t key_read(const unsigned char *bytes, size_t count, bool all, int *key)
{
    *key = KEY_NONE;
    if (count == 0)
        return 0;
    if (bytes[0] == ESCAPE)
        return read_escape(bytes, count, all, key);
    *key = bytes[0] == '\n' ? KEY_ENTER : bytes[0] == '\b' ? KEY_BACKSPACE : bytes[0];
    return 1;
}
