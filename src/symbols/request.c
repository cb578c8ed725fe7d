#include "symbols/request.h"

#include "common/count.h"

static const char *const status_names[] = {
    [SYMBOLS_FULL] = "full",       [SYMBOLS_NAMES_ONLY] = "names-only", [SYMBOLS_EXPORTS_ONLY] = "exports-only",
    [SYMBOLS_NONE] = "none",       [SYMBOLS_NO_FILE] = "no-file",       [SYMBOLS_OTHER_BUILD] = "other-build",
    [SYMBOLS_DAMAGED] = "damaged",
};

const char *symbol_status_name(enum symbol_status status)
{
    return status_names[status];
}

bool symbol_status_parse(struct slice name, enum symbol_status *status)
{
    for (size_t i = 0; i < COUNT(status_names); i++)
        if (slice_equal(name, slice_of(status_names[i]))) {
            *status = (enum symbol_status)i;
            return true;
        }
    return false;
}
