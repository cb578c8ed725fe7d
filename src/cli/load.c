#include "cli/load.h"

#include "cli/report.h"
#include "import/session.h"
#include "symbols/elf_file.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *load_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

/* The process that was recorded first; 0 = unknown. */
static uint32_t first_pid(const struct profile *profile)
{
    if (profile->threads.count == 0)
        return 0;
    unsigned long pid = strtoul(profile_text(profile, profile->threads.items[0].pid).text, NULL, 10);
    return pid <= INT32_MAX ? (uint32_t)pid : 0;
}

uint32_t load_find_process(const struct profile *profile, char root[PROCESS_ROOT_SIZE])
{
    uint32_t pid = first_pid(profile);
    snprintf(root, PROCESS_ROOT_SIZE, "/proc/%u/root", pid);
    if (pid == 0 || access(root, X_OK) != 0)
        root[0] = '\0';
    return pid;
}

/* ---- symbols ---- */

static atomic_bool interrupted;

static void interrupt(int signal)
{
    (void)signal;
    atomic_store_explicit(&interrupted, true, memory_order_relaxed); /* nothing else is read by it */
}

/* Servers may take their time: the first Ctrl-C goes on without them, the second is as always. Others than `sonde symbolicate`
 * do not ask them: they read a profile each time, and do not wait for a network. */
static int symbolicate_with(struct profile *profile, const struct symbolicate_options *symbolicate,
                            const struct load_options *options, struct error *error)
{
    struct sigaction before, ours = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    bool waits = symbolicate->search->debuginfod;
    if (waits && sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &ours, NULL);
    int failed = symbolicate_profile(profile, symbolicate, options->report, error);
    if (waits)
        sigaction(SIGINT, &before, NULL);
    return failed;
}

static int add_symbols(struct profile *profile, const struct load_options *options, bool is_session, struct progress *progress,
                       struct error *error)
{
    struct cli_search search;
    char root[PROCESS_ROOT_SIZE] = "";
    uint32_t pid = is_session ? load_find_process(profile, root) : 0;
    cli_search_init(options->search, &search);
    if (root[0])
        search.search.root = root;
    search.search.debuginfod = search.search.debuginfod && options->symbols == LOAD_SYMBOLS_OF_ALL;
    struct symbolicate_options symbolicate = {
        .search = &search.search,
        .mangled = options->search && options->search->mangled,
        .pid = pid,
        .stop = &interrupted,
        .progress = progress,
    };
    return symbolicate_with(profile, &symbolicate, options, error);
}

/* Of a file on this machine. */
static uint64_t address_of_offset(void *context, struct slice path, uint64_t offset)
{
    (void)context;
    struct error error = {0};
    struct elf_file *file;
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%.*s", (int)path.length, path.text) >= (int)sizeof name ||
        elf_file_open(NULL, name, &file, &error))
        return offset;
    uint64_t address = elf_file_address_of_offset(file, offset);
    elf_file_close(file);
    return address;
}

/* `bar`: where it is shown; -1 = nowhere. */
static int load(const char *file, const struct load_options *options, int bar, struct profile *profile, struct error *error)
{
    struct progress progress;
    progress_begin(&progress, load_name(file), bar);
    struct byte_progress bytes = progress_of_bytes(&progress);
    profile_init(profile);
    bool is_session = session_recognise_path(file);
    struct import_options import = options->import;
    import.files.address_of_offset = address_of_offset;
    int failed = import_file_with(file, &bytes, &import, profile, error);
    if (!failed && (options->symbols == LOAD_SYMBOLS_OF_ALL || (options->symbols == LOAD_SYMBOLS_OF_SESSIONS && is_session)))
        failed = add_symbols(profile, options, is_session, &progress, error);
    progress_end(&progress);
    return failed;
}

int load_profile_with(const char *file, const struct load_options *options, struct profile *profile)
{
    static const struct load_options usual = {0};
    struct error error = {0};
    int failed = load(file, options ? options : &usual, STDERR_FILENO, profile, &error);
    return failed ? report_file(load_name(file), &error) : EXIT_OK;
}

int load_profile_quietly(const char *file, const struct load_options *options, struct profile *profile, struct error *error)
{
    return load(file, options, -1, profile, error);
}

int load_profile(const char *file, struct profile *profile)
{
    return load_profile_with(file, NULL, profile);
}
