/* JSON files of tests (vectors, expected results) as values to look things up in.
 *
 *     struct json_document document;
 *     json_document_open(&document, TEST_DATA "/vectors-import.json.gz");
 *     for (const uint8_t *vector = json_items(&document, json_root(&document), &count); count > 0; …)
 *
 * Whatever goes wrong fails the test. */
#ifndef SONDE_TESTS_JSON_DOCUMENT_H
#define SONDE_TESTS_JSON_DOCUMENT_H

#include "profile/value.h"

struct json_document {
    struct string_table strings;
    struct value_bytes bytes;
};

void json_document_open(struct json_document *document, const char *path);   /* plain, gzip or zstd */
void json_document_parse(struct json_document *document, struct slice json); /* from memory */
void json_document_close(struct json_document *document);

static inline const uint8_t *json_root(const struct json_document *document)
{
    return document->bytes.bytes.items;
}

/* The value under `key`; json_get() fails the test where there is none, json_find() says NULL. */
const uint8_t *json_get(const struct json_document *document, const uint8_t *object, const char *key);
const uint8_t *json_find(const struct json_document *document, const uint8_t *object, const char *key);

/* The first of the `*count` items of an array; value_skip() gives the next one. */
const uint8_t *json_items(const uint8_t *array, uint32_t *count);
const uint8_t *json_item(const uint8_t *array, uint32_t index);

bool json_is_null(const uint8_t *value);
bool json_is_true(const uint8_t *value);
struct slice json_text(const struct json_document *document, const uint8_t *string);
double json_double(const uint8_t *number);
uint32_t json_u32(const uint8_t *number);

/* The value as JSON text, to be given to memory_release(). `indent` as for the JSON writer. */
char *json_dump(const struct json_document *document, const uint8_t *value, int indent);

#endif
