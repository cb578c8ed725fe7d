#include "cli/load.h"

#include "cli/options.h"
#include "cli/report.h"
#include "common/progress.h"
#include "import/importer.h"

#include <string.h>
#include <unistd.h>

const char *load_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

int load_profile(const char *file, struct profile *profile)
{
    struct error error = {0};
    struct progress progress;
    progress_begin(&progress, load_name(file), STDERR_FILENO);
    struct byte_progress bytes = progress_of_bytes(&progress);
    profile_init(profile);
    int status = import_file(file, &bytes, profile, &error);
    progress_end(&progress);
    return status == 0 ? EXIT_OK : report_file(load_name(file), &error);
}
