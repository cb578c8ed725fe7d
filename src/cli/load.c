#include "cli/load.h"

#include "cli/report.h"
#include "import/importer.h"
#include "import/session.h"

#include <string.h>
#include <unistd.h>

const char *load_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

static int add_symbols(struct profile *profile, const struct load_options *options, struct error *error)
{
    struct progress progress;
    struct cli_search search;
    progress_begin(&progress, "symbols", STDERR_FILENO);
    cli_search_init(options->search, &search);
    struct symbolicate_options symbolicate = {
        .search = &search.search,
        .mangled = options->search && options->search->mangled,
        .progress = &progress,
    };
    int failed = symbolicate_profile(profile, &symbolicate, options->report, error);
    progress_end(&progress);
    return failed;
}

int load_profile_with(const char *file, const struct load_options *options, struct profile *profile)
{
    static const struct load_options usual = {0};
    struct error error = {0};
    struct progress progress;
    if (!options)
        options = &usual;
    progress_begin(&progress, load_name(file), STDERR_FILENO);
    struct byte_progress bytes = progress_of_bytes(&progress);
    profile_init(profile);
    bool is_session = session_recognise_path(file);
    int failed = import_file(file, &bytes, profile, &error);
    progress_end(&progress);
    if (!failed && (options->symbols == LOAD_SYMBOLS_OF_ALL || (options->symbols == LOAD_SYMBOLS_OF_SESSIONS && is_session)))
        failed = add_symbols(profile, options, &error);
    return failed ? report_file(load_name(file), &error) : EXIT_OK;
}

int load_profile(const char *file, struct profile *profile)
{
    return load_profile_with(file, NULL, profile);
}
