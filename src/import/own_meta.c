#include "import/own_meta.h"

bool own_meta_put_key(struct profile *profile, const char *key)
{
    struct string_index string = string_table_add(&profile->strings, slice_of(key));
    return string_exists(string) && value_put_key(&profile->meta.whole, string);
}

bool own_meta_begin(struct profile *profile, uint32_t members)
{
    struct value_bytes *meta = &profile->meta.whole;
    return value_put_object(meta, 4) && own_meta_put_key(profile, "processType") && value_put_integer(meta, 0) &&
           own_meta_put_key(profile, "stackwalk") && value_put_integer(meta, 1) && own_meta_put_key(profile, "version") &&
           value_put_integer(meta, 36) && own_meta_put_key(profile, "sonde") && value_put_object(meta, members);
}

bool own_meta_put_notes(struct profile *profile, const char *const *notes, uint32_t count)
{
    struct value_bytes *meta = &profile->meta.whole;
    bool ok = own_meta_put_key(profile, "quality") && value_put_object(meta, 1) && own_meta_put_key(profile, "notes") &&
              value_put_array(meta, count);
    for (uint32_t i = 0; ok && i < count; i++) {
        struct string_index note = string_table_add(&profile->strings, slice_of(notes[i]));
        ok = string_exists(note) && value_put_string(meta, note);
    }
    return ok;
}
