/* Lower case, for searches that do not care about case.
 *
 * As JavaScript's toLowerCase for Latin, Greek, Cyrillic, Armenian and full-width letters (a sigma at the end of a word
 * becomes the ordinary small one); letters of other scripts with case, and bytes that are not UTF-8, stay as they are. */
#ifndef SONDE_COMMON_LOWER_CASE_H
#define SONDE_COMMON_LOWER_CASE_H

#include "common/slice.h"

/* Writes `text` in lower case and returns its length; `out` has room for lower_case_room(). */
size_t lower_case(struct slice text, char *out);

static inline size_t lower_case_room(struct slice text)
{
    return text.length * 2;
}

/* Whether `text` holds `part`, both compared as they are. */
static inline bool slice_contains(struct slice text, struct slice part)
{
    return part.length == 0 || (text.length > 0 && memmem(text.text, text.length, part.text, part.length) != NULL);
}

#endif
