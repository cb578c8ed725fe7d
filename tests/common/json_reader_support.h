/* Documents for the tests of the JSON reader, read in one piece or many. */
#ifndef SONDE_TESTS_COMMON_JSON_READER_SUPPORT_H
#define SONDE_TESTS_COMMON_JSON_READER_SUPPORT_H

#include "common/json_reader.h"

/* A document being read. */
struct document {
    struct error error;
    struct byte_source *source;
    struct json_reader *r;
};

/* The text comes `piece` bytes at a time (0 = all at once). */
void open_pieces(struct document *d, struct slice text, size_t piece);
void open_text(struct document *d, const char *text);
void close_document(struct document *d);

/* What passing over all of `text` gives: `` or the message. To be freed. */
char *skip_all(struct slice text, size_t piece, bool ignore_repeated_keys);

/* `text` reads as `expected`, which is the value written again or `error: ` and the message, however it is cut; skipping it
 * finds the same mistakes. */
void assert_reads(struct slice text, const char *expected);

#define assert_reads_as_itself(literal) assert_reads(SLICE(literal), literal)

/* An object with keys `k0` … `kN-1` and at last the key `k<last>`, inside an object of the same kind. To be freed. */
char *object_with_keys(unsigned count, unsigned last);

/* To be freed. */
char *repeat_text(const char *text, size_t times);

#endif
