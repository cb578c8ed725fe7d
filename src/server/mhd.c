#include "server/mhd.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

struct mhd_library mhd;

static const struct function {
    const char *name;
    size_t offset;
} functions[] = {
#define FUNCTION(name) {"MHD_" #name, offsetof(struct mhd_library, name)},
    MHD_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

int mhd_load(struct error *error)
{
    void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, -ENOENT, "libmicrohttpd is needed to serve a profile (in Debian: libmicrohttpd12): %s",
                         dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return error_set(error, -ENOENT, "libmicrohttpd is too old: it has no %s()", functions[i].name);
        *(void **)((char *)&mhd + functions[i].offset) = function;
    }
    return 0;
}
