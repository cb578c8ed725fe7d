/* Marks: markers as they are drawn, in device pixels. A row of them has no more than one in each pixel. */
#ifndef SONDE_API_MARKS_H
#define SONDE_API_MARKS_H

#include "api/ask.h"

enum { MARKS_MOST = 500000 };

enum mark_flag {
    MARK_MOMENT = 1,
    MARK_FROM_BEFORE = 2, /* it starts before the range … */
    MARK_GOES_ON = 4,     /* … or ends after it */
    MARK_OF_SEVERAL = 8,  /* others have no pixel of their own */
    MARK_CUT_OFF = 16,    /* its start or end was not recorded */
};

struct mark {
    struct marker_ref marker;
    uint32_t row;
    uint16_t left, width;
    uint8_t flags;
};

struct mark_list {
    struct time_range range; /* not empty */
    uint32_t width;          /* of the range */
    VEC(struct mark) items;
};

/* A row that is being drawn. */
struct mark_row {
    struct mark_list *list;
    uint32_t row;
    uint32_t free; /* the first pixel without a mark; there are none behind it */
    size_t last;   /* the last mark, SIZE_MAX = none yet */
};

struct mark_row mark_row_start(struct mark_list *list, uint32_t row);

/* Draws a marker that touches the range, or notes with the last mark that it stands for this one, too. Markers are to come in
 * the order of their ends. 0, -ENOMEM, or -E2BIG when there are MARKS_MOST. */
int mark_row_add(struct mark_row *row, struct marker_ref ref, const struct marker *marker);

/* Whether a marker would get a pixel of its own. */
bool mark_row_shows(const struct mark_row *row, const struct marker *marker);

/* The flags that a marker has anywhere. */
uint8_t marker_flags(const struct marker *marker);

/* The columns that all marks have, within `columns` of a part. 0 or -ENOMEM. */
int marks_put(struct asking *asking, const struct mark_list *list);

#endif
