/* Texts of entries live as long as the entry; what is needed later is kept. */
#ifndef SONDE_EXPORT_GECKO_TEXT_H
#define SONDE_EXPORT_GECKO_TEXT_H

#include "common/arena.h"
#include "common/json_writer.h"
#include "common/slice.h"

/* Points `text` to a copy in `arena`. False when the heap is empty. */
static inline bool gecko_keep(struct arena *arena, struct slice *text)
{
    const char *copy = text->length > 0 ? arena_copy(arena, text->text, text->length) : "";
    text->text = copy;
    return copy;
}

/* The items of a comma-separated list as an array; empty ones are left out. */
static inline void gecko_write_list(struct json_writer *w, struct slice list)
{
    json_write_begin_array(w);
    while (list.length > 0) {
        const char *comma = memchr(list.text, ',', list.length);
        size_t length = comma ? (size_t)(comma - list.text) : list.length;
        if (length > 0)
            json_write_string(w, slice_until(list, length));
        list = slice_from(list, comma ? length + 1 : length);
    }
    json_write_end_array(w);
}

#endif
