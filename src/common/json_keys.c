#include "common/json_keys.h"

#include "common/hash_seed.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_SLOTS = 64 };

void json_keys_init(struct json_keys *keys)
{
    *keys = (struct json_keys){0};
    hash_seed(keys->seeds);
}

void json_keys_free(struct json_keys *keys)
{
    vec_free(&keys->hashes);
    vec_free(&keys->outer);
    memory_release(keys->slots);
}

static void slot_place(struct json_keys *keys, uint32_t index)
{
    size_t mask = keys->slot_count - 1;
    size_t at = keys->hashes.items[index] & mask;
    while (keys->slots[at] != 0)
        at = (at + 1) & mask;
    keys->slots[at] = index + 1;
    keys->slots_used++;
}

static void slot_clear(struct json_keys *keys, uint32_t index)
{
    size_t mask = keys->slot_count - 1;
    size_t at = keys->hashes.items[index] & mask;
    while (keys->slots[at] != index + 1)
        at = (at + 1) & mask;
    keys->slots[at] = 0;
    keys->slots_used--;
}

void json_keys_end(struct json_keys *keys)
{
    size_t count = keys->hashes.count;
    uint32_t start = keys->object.start;
    if (count - start > JSON_FEW_KEYS)
        for (size_t i = count; i > start; i--)
            slot_clear(keys, (uint32_t)(i - 1));
    keys->hashes.count = start;
    keys->object = keys->outer.items[--keys->outer.count];
}

static void slots_place_object(struct json_keys *keys, uint32_t from, size_t to)
{
    if (to - from > JSON_FEW_KEYS)
        for (uint32_t i = from; i < to; i++)
            slot_place(keys, i);
}

/* A set with twice the slots. The keys go in again in the order they came, outer objects first. */
static bool slots_grow(struct json_keys *keys)
{
    size_t slot_count = keys->slot_count > 0 ? keys->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = memory_zeroed(slot_count, sizeof *slots);
    if (!slots)
        return false;
    memory_release(keys->slots);
    keys->slots = slots;
    keys->slot_count = slot_count;
    keys->slots_used = 0;
    for (size_t i = 1; i < keys->outer.count; i++)
        slots_place_object(keys, keys->outer.items[i - 1].start, keys->outer.items[i].start);
    slots_place_object(keys, keys->outer.items[keys->outer.count - 1].start, keys->object.start);
    slots_place_object(keys, keys->object.start, keys->hashes.count);
    return true;
}

uint64_t json_keys_hash(const struct json_keys *keys, struct slice key)
{
    if (key.length > 16)
        return XXH3_64bits_withSeed(key.text, key.length, keys->seeds[0]);
    uint64_t words[2] = {0, 0};
    memcpy(words, key.text, key.length);
    __extension__ unsigned __int128 product =
        (unsigned __int128)(words[0] ^ keys->seeds[0]) * (words[1] ^ keys->seeds[1] ^ key.length);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static bool slots_have(const struct json_keys *keys, uint64_t hash)
{
    size_t mask = keys->slot_count - 1;
    for (size_t at = hash & mask; keys->slots[at] != 0; at = (at + 1) & mask) {
        uint32_t index = keys->slots[at] - 1;
        if (index >= keys->object.start && keys->hashes.items[index] == hash)
            return true;
    }
    return false;
}

static bool few_have(const uint64_t *hashes, size_t count, uint64_t hash)
{
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= hashes[i] == hash;
    return found;
}

enum json_key_answer json_keys_add_slow(struct json_keys *keys, uint64_t hash)
{
    uint32_t start = keys->object.start;
    size_t count = keys->hashes.count - start;
    bool many = count > JSON_FEW_KEYS;
    if (many ? slots_have(keys, hash) : count > 0 && few_have(keys->hashes.items + start, count, hash))
        return JSON_KEY_TWICE;
    if (keys->hashes.count == UINT32_MAX - 1 || !vec_push(&keys->hashes, hash))
        return JSON_KEY_NO_MEMORY;
    keys->object.filter |= (uint64_t)1 << (hash >> 58);
    if (count < JSON_FEW_KEYS)
        return JSON_KEY_NEW;

    bool grown = false;
    while ((keys->slots_used + JSON_FEW_KEYS + 1) * 2 > keys->slot_count) {
        if (!slots_grow(keys))
            return JSON_KEY_NO_MEMORY;
        grown = true;
    }
    if (!grown && many)
        slot_place(keys, (uint32_t)(keys->hashes.count - 1));
    else if (!grown)
        slots_place_object(keys, start, keys->hashes.count);
    return JSON_KEY_NEW;
}

/* There are two places for each key, so that two that come again and again do not drive each other out. A new one takes the
 * first; what was there moves to the second. That other keys say that it comes next, and now mean another one, is no more than
 * a wrong guess. */
static uint16_t place_of_known(struct json_keys *keys, uint64_t hash)
{
    uint16_t first = (uint16_t)(hash % JSON_KNOWN_KEYS), second = first ^ 1;
    if (keys->known[first].hash == hash)
        return first;
    if (keys->known[second].hash == hash)
        return second;
    if (keys->known[first].text_bits != 0)
        keys->known[second] = keys->known[first];
    return first;
}

struct json_known_key *json_keys_learn(struct json_keys *keys, uint64_t hash, const char *text, size_t length)
{
    size_t whole = length + 3;
    if (whole > JSON_KNOWN_TEXT)
        return NULL;
    uint16_t index = place_of_known(keys, hash);
    struct json_known_key *key = &keys->known[index];
    if (key->hash != hash || key->text_bits == 0) {
        memcpy(key->text, text, JSON_KNOWN_TEXT);
        key->hash = hash;
        key->text_bits = (uint32_t)(((uint64_t)1 << whole) - 1);
        key->length = (uint16_t)length;
        key->note = 0;
        key->next = key->other = index;
    }
    struct json_known_key *last = &keys->known[keys->last];
    last->other = last->next;
    last->next = index;
    keys->last = index;
    return key;
}
