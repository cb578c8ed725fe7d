/* Text on its way to a sink, and names that are made harmless in it.
 *
 * A name is whatever a file says. In no format does it keep control characters (they become spaces) or bytes that are not
 * UTF-8 (U+FFFD), and each format escapes what means something there. */
#ifndef SONDE_API_EXPORT_OUT_H
#define SONDE_API_EXPORT_OUT_H

#include "common/byte_sink.h"
#include "common/text_buffer.h"

struct export_out {
    struct byte_sink *sink;
    struct error *error;
    struct text_buffer text; /* not written yet */
};

enum name_escapes {
    NAME_PLAIN,
    NAME_XML,    /* & < > " as entities */
    NAME_CSV,    /* between quotes; behind a ' where a spreadsheet would take it for a formula */
    NAME_FOLDED, /* ; is : */
};

/* `out` needs no more than its sink and its error. */
void export_name(struct export_out *out, struct slice name, enum name_escapes escapes);
void export_print(struct export_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes what is complete so far, once it is worth it. 0 or a negative errno with the error filled. */
int export_flush(struct export_out *out);

/* Writes the rest and frees. */
int export_end(struct export_out *out);

#endif
