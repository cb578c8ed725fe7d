/* Text, line by line, from a byte source that may cut it anywhere. */
#ifndef SONDE_IMPORT_LINE_READER_H
#define SONDE_IMPORT_LINE_READER_H

#include "common/byte_source.h"
#include "common/error.h"
#include "common/slice.h"
#include "common/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* No profile has longer lines; a file that does is something else, and need not be held in memory to be refused. */
enum { LINE_MAX_BYTES = 64 << 20 };

struct line_reader {
    struct byte_source *source;
    struct error *error;
    VEC(char) buffer;
    VEC(char) mended; /* the last line, where it had to be changed */
    size_t start;     /* of what was not handed out yet */
    size_t searched;  /* up to here there is no end of line */
    uint64_t number;  /* of the line handed out last, counted from 1 */
    bool at_end;      /* the source is empty */
};

/* `source` and `error` stay the caller's and must outlive the reader, which line_reader_free() gives back. */
void line_reader_init(struct line_reader *reader, struct byte_source *source, struct error *error);
void line_reader_free(struct line_reader *reader);

/* The next line without its `\n` or `\r\n`; it lives until the next call. Each byte that is not part of valid UTF-8 reads as
 * U+FFFD. False at the end, where the last line need not end
 * with a newline, and after an error, which is then in `error`. */
bool line_reader_next(struct line_reader *reader, struct slice *line);

#endif
