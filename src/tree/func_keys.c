#include "tree/func_keys.h"

void func_keys_free(struct func_keys *keys)
{
    map_free(&keys->by_texts);
    vec_free(&keys->rows);
    string_table_free(&keys->texts);
    *keys = (struct func_keys){0};
}

struct slice func_key_name(const struct func_keys *keys, uint32_t key)
{
    return string_table_get(&keys->texts, keys->rows.items[key].name);
}

struct slice func_key_lib(const struct func_keys *keys, uint32_t key)
{
    return string_table_get(&keys->texts, keys->rows.items[key].lib);
}

struct slice func_key_file(const struct func_keys *keys, uint32_t key)
{
    return string_table_get(&keys->texts, keys->rows.items[key].file);
}

static bool is_in_library(const struct func_list *funcs, uint32_t func)
{
    const struct resource_table *resources = &funcs->profile->resources;
    uint32_t resource = funcs->resource[func];
    return resource < resources->rows.count && resources->rows.items[resource].type == RESOURCE_LIBRARY;
}

/* False when the heap is empty. */
static bool intern(struct func_keys *keys, struct slice text, struct string_index *index)
{
    *index = text.length > 0 ? string_table_add(&keys->texts, text) : STRING_NONE;
    return text.length == 0 || string_exists(*index);
}

uint32_t func_keys_add(struct func_keys *keys, const struct func_list *funcs, uint32_t func, unsigned side)
{
    struct func_key key = {.same_as = (uint32_t)keys->rows.count, .sides = side};
    if (!intern(keys, func_list_name(funcs, func), &key.name) ||
        !intern(keys, func_list_resource_name(funcs, func), &key.lib) ||
        !intern(keys, func_list_filename(funcs, func), &key.file))
        return INDEX_NONE;
    /* Debug information says in which file native functions are, and only of some builds. */
    bool by_lib = is_in_library(funcs, func);
    uint64_t hash = hash_combine(key.name.i, (uint64_t)key.lib.i << 32 | (by_lib ? INDEX_NONE : key.file.i));
    uint32_t row;
    for (struct map_probe probe = map_probe(&keys->by_texts, hash); map_probe_next(&probe, &row);) {
        struct func_key *known = &keys->rows.items[row];
        if (string_same(known->name, key.name) && string_same(known->lib, key.lib) &&
            (by_lib || string_same(known->file, key.file))) {
            known->sides |= side;
            return row;
        }
    }
    if (!vec_push(&keys->rows, key) || !map_insert(&keys->by_texts, hash, key.same_as))
        return INDEX_NONE;
    return key.same_as;
}

/* ---- functions that moved ---- */

/* What compilers put behind the name of a copy of a function that they made. */
static struct slice without_clone(struct slice name)
{
    static const char *const endings[] = {".isra.", ".constprop.", ".part.", ".cold", ".lto_priv.", " [clone "};
    for (size_t i = 1; i < name.length; i++)
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
            if (slice_starts_with(slice_from(name, i), slice_of(endings[e])))
                return (struct slice){name.text, i};
    return name;
}

/* The keys on one side alone that have a name. */
struct single {
    struct string_index name;
    uint32_t key[2];   /* of either side; */
    uint32_t count[2]; /* so many there are */
};

struct singles {
    VEC(struct single) rows;
    struct map by_name;
};

static struct single *find_single(struct singles *singles, struct string_index name)
{
    uint32_t row;
    uint64_t hash = hash_u64(name.i);
    for (struct map_probe probe = map_probe(&singles->by_name, hash); map_probe_next(&probe, &row);)
        if (string_same(singles->rows.items[row].name, name))
            return &singles->rows.items[row];
    if (!vec_push(&singles->rows, ((struct single){.name = name})) ||
        !map_insert(&singles->by_name, hash, (uint32_t)singles->rows.count - 1))
        return NULL;
    return &singles->rows.items[singles->rows.count - 1];
}

/* By their names, or by what is left of them without the compiler's ending. */
static bool join_singles(struct func_keys *keys, bool without_endings)
{
    struct singles singles = {0};
    bool fits = true;
    for (uint32_t key = 0; key < keys->rows.count && fits; key++) {
        const struct func_key *row = &keys->rows.items[key];
        struct slice name = func_key_name(keys, key);
        if (row->same_as != key || (row->sides & 3) == 3 || slice_starts_with(name, SLICE("0x")))
            continue;
        struct string_index text = without_endings ? string_table_add(&keys->texts, without_clone(name)) : row->name;
        struct single *single = without_endings && !string_exists(text) ? NULL : find_single(&singles, text);
        fits = single;
        if (!fits)
            break;
        int side = row->sides & 1 ? 0 : 1;
        single->key[side] = key;
        single->count[side]++;
    }
    for (size_t i = 0; i < singles.rows.count && fits; i++) {
        const struct single *single = &singles.rows.items[i];
        if (single->count[0] != 1 || single->count[1] != 1)
            continue;
        keys->rows.items[single->key[1]].same_as = single->key[0];
        keys->rows.items[single->key[0]].sides = 3;
    }
    map_free(&singles.by_name);
    vec_free(&singles.rows);
    return fits;
}

int func_keys_join(struct func_keys *keys, struct error *error)
{
    return join_singles(keys, false) && join_singles(keys, true) ? 0 : error_out_of_memory(error);
}
