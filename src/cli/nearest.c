#include "cli/nearest.h"

#include <ctype.h>

/* Longer names are compared by their beginnings. */
enum { COMPARED_BYTES = 63 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* How many letters must be inserted, removed or replaced to get from one to the other; upper and lower case are equal. */
static size_t edit_distance(struct slice a, struct slice b)
{
    size_t row[COMPARED_BYTES + 1];
    size_t width = b.length < COMPARED_BYTES ? b.length : COMPARED_BYTES;
    size_t height = a.length < COMPARED_BYTES ? a.length : COMPARED_BYTES;
    for (size_t x = 0; x <= width; x++)
        row[x] = x;
    for (size_t y = 1; y <= height; y++) {
        size_t diagonal = row[0];
        row[0] = y;
        for (size_t x = 1; x <= width; x++) {
            bool same = tolower((unsigned char)a.text[y - 1]) == tolower((unsigned char)b.text[x - 1]);
            size_t above = row[x];
            row[x] = smallest(row[x] + 1, row[x - 1] + 1, diagonal + !same);
            diagonal = above;
        }
    }
    return row[width];
}

void nearest_start(struct nearest *nearest, struct slice typed)
{
    /* With more than a third of the letters wrong it is another word, and so is anything but a word of one or two. */
    *nearest = (struct nearest){.typed = typed, .distance = typed.length < 3 ? 0 : typed.length / 3 + 1};
}

void nearest_offer(struct nearest *nearest, struct slice name)
{
    size_t distance = edit_distance(nearest->typed, name);
    bool begins = nearest->typed.length >= 2 && slice_starts_with(name, nearest->typed);
    if (begins && distance > 1)
        distance = 1;
    if (distance < nearest->distance || (distance == nearest->distance && !nearest->best.text)) {
        nearest->best = name;
        nearest->distance = distance;
    }
}
