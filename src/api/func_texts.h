/* The texts of a function as ids, which a client keeps. */
#ifndef SONDE_API_FUNC_TEXTS_H
#define SONDE_API_FUNC_TEXTS_H

#include "tree/func_list.h"

struct func_texts {
    struct string_index name, library, file; /* STRING_NONE = none */
};

static inline struct func_texts func_texts_of(const struct func_list *funcs, uint32_t func)
{
    const struct profile *profile = funcs->profile;
    uint32_t resource = funcs->resource[func], source = funcs->source[func];
    return (struct func_texts){
        .name = string_at(funcs->name[func]),
        .library = resource == INDEX_NONE ? STRING_NONE : profile->resources.rows.items[resource].name,
        .file = source == INDEX_NONE ? STRING_NONE : profile->sources.rows.items[source].filename,
    };
}

/* A label that the program gave, not a function: it comes from nowhere. */
static inline bool func_is_label(const struct func_texts *texts)
{
    return !string_exists(texts->library) && !string_exists(texts->file);
}

#endif
