/* Formats of other profilers that are not read: they are recognised all the same, to say what a file is and how it becomes one
 * that is. */
#ifndef SONDE_IMPORT_FOREIGN_H
#define SONDE_IMPORT_FOREIGN_H

#include "common/error.h"
#include "common/slice.h"

struct foreign_format {
    const char *name; /* plural, as in `perf.data files` */
    const char *way;  /* what to do instead */
};

/* By the first bytes of a file; NULL where they are of none of them. */
const struct foreign_format *foreign_recognise(struct slice start);

/* By a key at the top of a JSON file. */
const struct foreign_format *foreign_recognise_key(struct slice key);

/* By a key of the root node in `head`, which old CPU profiles have, too. */
const struct foreign_format *foreign_recognise_head(struct slice key);

/* Instruments writes folders; NULL where this is none of them. */
extern const struct foreign_format foreign_instruments;
const struct foreign_format *foreign_recognise_folder(const char *path);

/* -ENOTSUP, with both in the message. */
int foreign_refuse(const struct foreign_format *format, struct error *error);

#endif
