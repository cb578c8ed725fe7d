#include "common/lower_case.h"

#include <stdint.h>

/* Capital letters of a range: each has its small letter `distance` further on; with `every_other` capitals and small letters
 * take turns, starting with a capital. */
struct capitals {
    uint16_t first, last;
    int16_t distance;
    bool every_other;
};

/* Ascending. */
static const struct capitals capitals[] = {
    {0x00c0, 0x00d6, 32, false},    {0x00d8, 0x00de, 32, false},    {0x0100, 0x012e, 1, true},
    {0x0132, 0x0136, 1, true},      {0x0139, 0x0147, 1, true},      {0x014a, 0x0176, 1, true},
    {0x0178, 0x0178, -121, false},  {0x0179, 0x017d, 1, true},      {0x01cd, 0x01db, 1, true},
    {0x01de, 0x01ee, 1, true},      {0x01f8, 0x021e, 1, true},      {0x0222, 0x0232, 1, true},
    {0x0370, 0x0372, 1, true},      {0x0386, 0x0386, 38, false},    {0x0388, 0x038a, 37, false},
    {0x038c, 0x038c, 64, false},    {0x038e, 0x038f, 63, false},    {0x0391, 0x03a1, 32, false},
    {0x03a3, 0x03ab, 32, false},    {0x03d8, 0x03ee, 1, true},      {0x0400, 0x040f, 80, false},
    {0x0410, 0x042f, 32, false},    {0x0460, 0x0480, 1, true},      {0x048a, 0x04be, 1, true},
    {0x04c0, 0x04c0, 15, false},    {0x04c1, 0x04cd, 1, true},      {0x04d0, 0x052e, 1, true},
    {0x0531, 0x0556, 48, false},    {0x1e00, 0x1e94, 1, true},      {0x1e9e, 0x1e9e, -7615, false},
    {0x1ea0, 0x1efe, 1, true},      {0x2126, 0x2126, -7517, false}, {0x212a, 0x212a, -8383, false},
    {0x212b, 0x212b, -8262, false}, {0xff21, 0xff3a, 32, false},
};

static uint32_t letter_lower(uint32_t letter)
{
    for (size_t i = 0; i < sizeof capitals / sizeof *capitals && capitals[i].first <= letter; i++)
        if (letter <= capitals[i].last && !(capitals[i].every_other && (letter - capitals[i].first) % 2 == 1))
            return (uint32_t)((int32_t)letter + capitals[i].distance);
    return letter;
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* A letter of two or three bytes; 0 where there is none. Longer ones have no lower case here. */
static size_t letter_decode(struct slice text, uint32_t *letter)
{
    const unsigned char *bytes = (const unsigned char *)text.text;
    if (text.length >= 2 && bytes[0] >= 0xc2 && bytes[0] <= 0xdf && is_continuation(text.text[1])) {
        *letter = (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3fu);
        return 2;
    }
    if (text.length >= 3 && bytes[0] >= 0xe0 && bytes[0] <= 0xef && is_continuation(text.text[1]) &&
        is_continuation(text.text[2])) {
        *letter = (bytes[0] & 0x0fu) << 12 | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3fu);
        return 3;
    }
    return 0;
}

static size_t letter_encode(uint32_t letter, char *out)
{
    if (letter < 0x80) {
        out[0] = (char)letter;
        return 1;
    }
    if (letter < 0x800) {
        out[0] = (char)(0xc0 | letter >> 6);
        out[1] = (char)(0x80 | (letter & 0x3f));
        return 2;
    }
    out[0] = (char)(0xe0 | letter >> 12);
    out[1] = (char)(0x80 | (letter >> 6 & 0x3f));
    out[2] = (char)(0x80 | (letter & 0x3f));
    return 3;
}

size_t lower_case(struct slice text, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < text.length;) {
        unsigned char byte = (unsigned char)text.text[i];
        uint32_t letter;
        size_t taken = byte < 0x80 ? 0 : letter_decode(slice_from(text, i), &letter);
        if (taken == 0) {
            out[length++] = (char)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
            i++;
        } else if (letter == 0x130) { /* the one capital whose small form is two characters: i and a dot above */
            memcpy(out + length, "i\xcc\x87", 3);
            length += 3;
            i += taken;
        } else {
            length += letter_encode(letter_lower(letter), out + length);
            i += taken;
        }
    }
    return length;
}
