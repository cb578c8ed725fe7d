/* The keys of the objects that are open, to find one that occurs twice; and the keys seen lately, to know one before it is
 * read.
 *
 * Of the open objects only 64-bit hashes are kept, with secret seeds, so that no input can make two keys look the same or make
 * looking slow:
 *
 *     hashes:   [outer object ........][inner object ...][innermost]
 *     starts:    ^                      ^                 ^
 *
 * The few keys of a usual object are compared one by one, if at all: a filter of 64 bits says for most that they are new. An
 * object with more than JSON_FEW_KEYS has them in a hash set too, which all such objects share: keys leave it in the opposite
 * order of coming, so taking one out is clearing its slot.
 *
 * Files repeat the same keys in the same order thousands of times. So every key remembers which ones followed it, and comparing
 * with those is all it takes to read it: no search for its end, no check of its text, no hash. */
#ifndef SONDE_COMMON_JSON_KEYS_H
#define SONDE_COMMON_JSON_KEYS_H

#include "common/slice.h"
#include "common/vec.h"

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { JSON_FEW_KEYS = 16, JSON_KNOWN_KEYS = 1024, JSON_KNOWN_TEXT = 32 };

struct json_object_keys {
    uint32_t start; /* in hashes */
    uint64_t filter;
};

/* A key as it stands in the input: `"name":`. */
struct json_known_key {
    char text[JSON_KNOWN_TEXT];
    uint64_t hash;
    uint32_t text_bits; /* one for every byte of the text; 0 = no key here */
    uint16_t length;    /* of the key alone */
    uint16_t next;      /* the key that came after it, last time */
    uint16_t other;     /* and the last one before that was another */
    uint32_t note;      /* see json_key_note */
};

struct json_keys {
    VEC(uint64_t) hashes;
    struct json_object_keys object;
    VEC(struct json_object_keys) outer;
    uint32_t *slots;   /* index in hashes + 1; 0 = free */
    size_t slot_count; /* 0 or a power of 2 */
    size_t slots_used;
    uint64_t seeds[2];
    uint16_t last;
    struct json_known_key known[JSON_KNOWN_KEYS];
};

enum json_key_answer { JSON_KEY_NEW, JSON_KEY_TWICE, JSON_KEY_NO_MEMORY };

void json_keys_init(struct json_keys *keys);
void json_keys_free(struct json_keys *keys);

/* The innermost object ends. */
void json_keys_end(struct json_keys *keys);

uint64_t json_keys_hash(const struct json_keys *keys, struct slice key);

/* Remembers the key that was read after the last one, unless it is too long (NULL). `text` is how it stands in the input, with
 * 32 bytes readable. */
struct json_known_key *json_keys_learn(struct json_keys *keys, uint64_t hash, const char *text, size_t length);

enum json_key_answer json_keys_add_slow(struct json_keys *keys, uint64_t hash);

/* An object starts. False when the heap is empty. */
static inline bool json_keys_begin(struct json_keys *keys)
{
    if (!vec_push(&keys->outer, keys->object))
        return false;
    keys->object = (struct json_object_keys){(uint32_t)keys->hashes.count, 0};
    return true;
}

/* Whether this key is what stands at `text`, where 32 bytes must be readable. */
static inline bool json_known_key_is(const struct json_known_key *key, const char *text)
{
#ifdef __SSE2__
    const __m128i *there = (const __m128i *)text, *known = (const __m128i *)key->text;
    __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128(there), _mm_loadu_si128(known));
    __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128(there + 1), _mm_loadu_si128(known + 1));
    uint32_t equal = (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
    return (equal & key->text_bits) == key->text_bits && key->text_bits != 0;
#else
    return key->text_bits != 0 && memcmp(text, key->text, key->length + 3u) == 0;
#endif
}

/* One of the keys expected now, if it is what stands at `text`; NULL otherwise. 32 bytes must be readable there. */
static inline struct json_known_key *json_keys_expected(struct json_keys *keys, const char *text)
{
    struct json_known_key *last = &keys->known[keys->last];
    uint16_t index = last->next;
    if (__builtin_expect(!json_known_key_is(&keys->known[index], text), 0)) {
        index = last->other;
        if (!json_known_key_is(&keys->known[index], text))
            return NULL;
        last->other = last->next;
        last->next = index;
    }
    keys->last = index;
    return &keys->known[index];
}

static inline enum json_key_answer json_keys_add(struct json_keys *keys, uint64_t hash)
{
    uint64_t bit = (uint64_t)1 << (hash >> 58);
    size_t count = keys->hashes.count;
    if (__builtin_expect((keys->object.filter & bit) != 0 || count - keys->object.start >= JSON_FEW_KEYS ||
                             count == keys->hashes.capacity,
                         0))
        return json_keys_add_slow(keys, hash);
    keys->object.filter |= bit;
    keys->hashes.items[count] = hash;
    keys->hashes.count = count + 1;
    return JSON_KEY_NEW;
}

#endif
