#include "symbols/api_scope.h"

bool api_modules_of_profile(const struct profile *profile, struct api_modules *modules)
{
    for (size_t i = 0; i < profile->libs.rows.count; i++) {
        const struct lib *lib = &profile->libs.rows.items[i];
        struct api_module module = {
            .name = profile_text(profile, lib->name),
            .path = profile_text(profile, string_exists(lib->path) ? lib->path : lib->name),
            .debug_name = profile_text(profile, lib->debug_name),
            .breakpad_id = profile_text(profile, lib->breakpad_id),
            .code_id = profile_text(profile, lib->code_id),
        };
        if (!vec_push(&modules->items, module))
            return false;
    }
    return true;
}

void api_modules_free(struct api_modules *modules)
{
    vec_free(&modules->items);
}
