/* Functions of several profiles under one number each, so that they can be compared: those with the same name in the same
 * library, or without a library in the same file. */
#ifndef SONDE_TREE_FUNC_KEYS_H
#define SONDE_TREE_FUNC_KEYS_H

#include "common/error.h"
#include "tree/func_list.h"

struct func_key {
    struct string_index name, lib, file; /* of texts; STRING_NONE where there is none */
    unsigned sides;                      /* the bits that func_keys_add() was told */
    uint32_t same_as;                    /* the key that stands for this one; usually itself */
};

struct func_keys {
    struct string_table texts;
    VEC(struct func_key) rows;
    struct map by_texts;
};

/* A zeroed value is empty. */
void func_keys_free(struct func_keys *keys);

/* The key of `func`, which was seen on the side with this bit; INDEX_NONE when the heap is empty. */
uint32_t func_keys_add(struct func_keys *keys, const struct func_list *funcs, uint32_t func, unsigned side);

/* Once all are there: what has its name alone on either of the two sides is the same function, in a library or a file that was
 * renamed (app.old and app.new), or as another clone of the compiler's (draw.isra.0 and draw.constprop.0). Addresses are no
 * names. 0 or -ENOMEM. */
int func_keys_join(struct func_keys *keys, struct error *error);

static inline uint32_t func_keys_of(const struct func_keys *keys, uint32_t key)
{
    return keys->rows.items[key].same_as;
}

struct slice func_key_name(const struct func_keys *keys, uint32_t key);
struct slice func_key_lib(const struct func_keys *keys, uint32_t key);
struct slice func_key_file(const struct func_keys *keys, uint32_t key);

#endif
