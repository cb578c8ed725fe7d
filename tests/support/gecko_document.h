/* Drawn sessions exported in the Gecko format, and looked at.
 *
 *     struct gecko_document document;
 *     gecko_document_draw(&document, "thread 1 Main tid=1 main sampled\n" …, NULL);
 *     assert_gecko(&document, "threads/0/samples/data", "[[0,1,null,null,0]]");
 *     gecko_document_close(&document);
 *
 * Every document is held against the rules of the format when it is made. Whatever goes wrong fails the test. */
#ifndef SONDE_TESTS_GECKO_DOCUMENT_H
#define SONDE_TESTS_GECKO_DOCUMENT_H

#include "common/byte_sink.h"
#include "export/gecko.h"
#include "support/json_document.h"

struct gecko_document {
    struct byte_sink *sink;
    struct json_document json;
};

/* `options` may be NULL. */
void gecko_document_draw(struct gecko_document *document, const char *text, const struct gecko_options *options);
void gecko_document_open(struct gecko_document *document, const char *path, const struct gecko_options *options);
void gecko_document_close(struct gecko_document *document);

/* The text that was written. */
struct slice gecko_document_text(const struct gecko_document *document);

/* The value at a path of keys and indices, as JSON. */
void assert_gecko(const struct gecko_document *document, const char *path, const char *expected);
void assert_gecko_absent(const struct gecko_document *document, const char *path);
const uint8_t *gecko_at(const struct gecko_document *document, const char *path); /* NULL = it is not there */

/* Fails the test unless `json` is what readers of Gecko profiles rely on: one line, keys in order, the main thread first, every
 * index in its table, parents before children, times with six decimals at most. */
void assert_gecko_rules(struct slice json);

#endif
