#include "api/func_hash.h"

#include "api/func_texts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { BITS_A_LETTER = 6 };

static uint64_t add_text(uint64_t hash, const struct string_table *strings, struct string_index string)
{
    struct slice text = string_table_get(strings, string);
    return XXH3_64bits_withSeed(text.text, text.length, hash);
}

struct func_hash func_hash_of(const struct func_list *funcs, uint32_t func)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const struct string_table *strings = &funcs->profile->strings;
    struct func_texts texts = func_texts_of(funcs, func);
    uint64_t hash = add_text(add_text(add_text(0, strings, texts.name), strings, texts.library), strings, texts.file);
    struct func_hash key = {{0}};
    for (size_t i = 0; i < FUNC_HASH_LENGTH; i++)
        key.text[i] = letters[hash >> (BITS_A_LETTER * i) & 63];
    return key;
}
