#include "cli/load.h"

#include "cli/options.h"
#include "cli/report.h"
#include "common/progress.h"
#include "import/importer.h"
#include "import/session.h"
#include "symbols/elf_names.h"

#include <string.h>
#include <unistd.h>

const char *load_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

/* Sessions have addresses only: their names come from the files that were recorded, where they are still there. */
static int import_session(const char *path, const struct byte_progress *progress, struct profile *profile, struct error *error)
{
    struct elf_names *symbols = elf_names_open();
    if (!symbols)
        return error_out_of_memory(error);
    struct address_names names = elf_names_interface(symbols);
    int status = session_import(path, &names, progress, profile, error);
    elf_names_close(symbols);
    return status;
}

int load_profile(const char *file, struct profile *profile)
{
    struct error error = {0};
    struct progress progress;
    progress_begin(&progress, load_name(file), STDERR_FILENO);
    struct byte_progress bytes = progress_of_bytes(&progress);
    profile_init(profile);
    int status = session_recognise_path(file) ? import_session(file, &bytes, profile, &error)
                                              : import_file(file, &bytes, profile, &error);
    progress_end(&progress);
    return status == 0 ? EXIT_OK : report_file(load_name(file), &error);
}
