#include "tree/source_find.h"

#include <errno.h>

int source_find(const struct profile *profile, struct slice name, uint32_t *source, struct error *error)
{
    size_t near = 0;
    for (uint32_t i = 0; i < profile->sources.rows.count; i++) {
        struct slice filename = profile_text(profile, profile->sources.rows.items[i].filename);
        if (slice_equal(filename, name)) {
            *source = i;
            return 0;
        }
        bool ends = filename.length > name.length && slice_ends_with(filename, name) &&
                    filename.text[filename.length - name.length - 1] == '/';
        if (ends && near++ == 0)
            *source = i;
    }
    if (near == 1)
        return 0;
    if (near == 0)
        return error_set(error, -ENOENT, "no function of the profile is in such a file");
    return error_set(error, -ENOENT, "%zu files of the profile end like this", near);
}
