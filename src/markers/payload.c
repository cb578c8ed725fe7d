#include "markers/payload.h"

/* Objects with more fields are looked up through a map: two of 100,000 fields each shall not take minutes. */
enum { SMALL_OBJECT = 32 };

struct field_value {
    struct string_index key;
    const uint8_t *value;
};

/* The fields of an object by key. */
struct field_index {
    const uint8_t *object;
    VEC(struct field_value) fields; /* without rows for a small object */
    struct map by_key;
};

static bool field_index_init(struct field_index *index, const uint8_t *object)
{
    *index = (struct field_index){.object = object};
    struct value value = value_read(object);
    if (value.count <= SMALL_OBJECT)
        return true;
    const uint8_t *at = value.rest;
    for (uint32_t i = 0; i < value.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        if (!vec_push(&index->fields, ((struct field_value){key, at})) || !map_insert(&index->by_key, hash_u64(key.i), i))
            return false;
    }
    return true;
}

static void field_index_free(struct field_index *index)
{
    vec_free(&index->fields);
    map_free(&index->by_key);
}

static const uint8_t *field_find(const struct field_index *index, struct string_index key)
{
    if (index->fields.count == 0)
        return value_find(index->object, key);
    uint32_t row;
    for (struct map_probe probe = map_probe(&index->by_key, hash_u64(key.i)); map_probe_next(&probe, &row);)
        if (string_same(index->fields.items[row].key, key))
            return index->fields.items[row].value;
    return NULL;
}

static bool is_object(const uint8_t *at)
{
    return value_read(at).kind == VALUE_OBJECT;
}

static bool put_overlay(struct value_bytes *out, const struct field_index *base, const struct field_index *over)
{
    struct value under = value_read(base->object), top = value_read(over->object);
    uint32_t count = under.count;
    const uint8_t *at = top.rest;
    for (uint32_t i = 0; i < top.count; i++, at = value_skip(at))
        count += !field_find(base, value_read_key(&at));
    if (!value_put_object(out, count))
        return false;
    at = under.rest;
    for (uint32_t i = 0; i < under.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        const uint8_t *value = field_find(over, key);
        if (!value_put_key(out, key) || !value_put_copy(out, value ? value : at))
            return false;
    }
    at = top.rest;
    for (uint32_t i = 0; i < top.count; i++, at = value_skip(at)) {
        struct string_index key = value_read_key(&at);
        if (!field_find(base, key) && (!value_put_key(out, key) || !value_put_copy(out, at)))
            return false;
    }
    return true;
}

static const uint8_t *keep(const struct value_bytes *scratch, struct arena *arena)
{
    uint8_t *kept = (uint8_t *)arena_bytes(arena, scratch->bytes.count);
    if (kept)
        memcpy(kept, scratch->bytes.items, scratch->bytes.count);
    return kept;
}

const uint8_t *payload_overlay(const uint8_t *base, const uint8_t *over, struct value_bytes *scratch, struct arena *arena)
{
    if (!is_object(base) || !is_object(over))
        return over;
    struct field_index under, top;
    scratch->bytes.count = 0;
    bool ok = field_index_init(&under, base);
    ok = field_index_init(&top, over) && ok && put_overlay(scratch, &under, &top);
    field_index_free(&under);
    field_index_free(&top);
    return ok ? keep(scratch, arena) : NULL;
}

const uint8_t *payload_without(const uint8_t *object, struct string_index key, struct value_bytes *scratch, struct arena *arena)
{
    if (!value_find(object, key))
        return object;
    struct value value = value_read(object);
    scratch->bytes.count = 0;
    bool ok = value_put_object(scratch, value.count - 1);
    const uint8_t *at = value.rest;
    for (uint32_t i = 0; ok && i < value.count; i++, at = value_skip(at)) {
        struct string_index each = value_read_key(&at);
        ok = string_same(each, key) || (value_put_key(scratch, each) && value_put_copy(scratch, at));
    }
    return ok ? keep(scratch, arena) : NULL;
}
