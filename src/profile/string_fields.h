/* Which fields of marker payloads files give as indices of their strings.
 *
 * In the profile such values are strings like any others; importers turn indices into strings and exporters turn them back,
 * and both ask here for every payload, so the answer is a look into an array. */
#ifndef SONDE_PROFILE_STRING_FIELDS_H
#define SONDE_PROFILE_STRING_FIELDS_H

#include "common/vec.h"
#include "profile/indices.h"
#include "profile/marker_schema.h"

struct string_fields_of_type {
    VEC(struct string_index) keys;
};

struct string_fields {
    VEC(struct string_fields_of_type) types;
    VEC(uint32_t) by_type; /* row of `types` by the string of the type, INDEX_NONE = none; types beyond its end have none */
};

/* From the schemas, and what is known without one: the `url` of "CompositorScreenshot", if `strings` has these words.
 * `fields` is zeroed; to be freed also when the heap was empty, which is when this says false. */
bool string_fields_collect(struct string_fields *fields, const struct marker_schema_list *schemas,
                           const struct string_table *strings);
void string_fields_free(struct string_fields *fields);

/* Those of payloads of a type, or NULL. */
static inline const struct string_fields_of_type *string_fields_of(const struct string_fields *fields, struct string_index type)
{
    uint32_t row = type.i < fields->by_type.count ? fields->by_type.items[type.i] : INDEX_NONE;
    return row == INDEX_NONE ? NULL : &fields->types.items[row];
}

static inline bool string_fields_have(const struct string_fields_of_type *fields, struct string_index key)
{
    for (size_t i = 0; i < fields->keys.count; i++)
        if (string_same(fields->keys.items[i], key))
            return true;
    return false;
}

#endif
