/* The keys of the objects that are open, to find one that occurs twice.
 *
 * Only 64-bit hashes are kept, with secret seeds, so that no input can make two keys look the same or make looking slow:
 *
 *     hashes:   [outer object ........][inner object ...][innermost]
 *     starts:    ^                      ^                 ^
 *
 * The few keys of a usual object are compared one by one. An object with more than JSON_FEW_KEYS has them in a hash set too,
 * which all such objects share: keys leave it in the opposite order of coming, so taking one out is clearing its slot. */
#ifndef SONDE_COMMON_JSON_KEYS_H
#define SONDE_COMMON_JSON_KEYS_H

#include "common/slice.h"
#include "common/vec.h"

#include <stdint.h>

enum { JSON_FEW_KEYS = 16 };

struct json_keys {
    VEC(uint64_t) hashes;
    VEC(uint32_t) starts; /* of each open object, in hashes */
    uint32_t start;       /* of the innermost one */
    uint32_t *slots;      /* index in hashes + 1; 0 = free */
    size_t slot_count;    /* 0 or a power of 2 */
    size_t slots_used;
    uint64_t seeds[2];
};

enum json_key_answer { JSON_KEY_NEW, JSON_KEY_TWICE, JSON_KEY_NO_MEMORY };

void json_keys_init(struct json_keys *keys);
void json_keys_free(struct json_keys *keys);

/* False when the heap is empty. */
bool json_keys_begin(struct json_keys *keys);
void json_keys_end(struct json_keys *keys);

/* At least 16 bytes must be readable at `key.text`, whatever its length. */
enum json_key_answer json_keys_add(struct json_keys *keys, struct slice key);

#endif
