#include "import/foreign.h"

#include <stdio.h>
#include <sys/stat.h>

const struct foreign_format *foreign_recognise_folder(const char *path)
{
    static const char *const parts[] = {"form.template", "Trace1.run", "instrument_data"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[4096];
        struct stat status;
        int length = snprintf(name, sizeof name, "%s/%s", path, parts[i]);
        if (length > 0 && (size_t)length < sizeof name && stat(name, &status) == 0)
            return &foreign_instruments;
    }
    return NULL;
}
