#include "cli/viewed_files.h"

#include "cli/exit_status.h"
#include "cli/load.h"
#include "cli/report.h"
#include "common/memory.h"
#include "import/session.h"
#include "server/late_symbols.h"
#include "server/profile_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct viewed_file {
    const char *file; /* as the user wrote it */
    char *path;       /* from the root of the file system */
    const struct view_search *how;
    bool loaded;
    struct profile profile;
    struct cli_search search;
    struct source_search sources;
    struct api_modules modules;
    struct symbol_api symbols;
    struct source_store *store;
    struct api *api;
    struct opened_profile opened;
    pthread_mutex_t lock; /* of what follows */
    struct late_symbols *late;
    bool stopped;
    char root[PROCESS_ROOT_SIZE];
};

enum { STOP_MS = 2000 };

/* A session is shown before it has symbols, unless it is compared by the names of its functions. */
static bool is_late(const struct viewed_file *viewed)
{
    return !viewed->how->at_once && session_recognise_path(viewed->file);
}

static struct load_options load_options(const struct viewed_file *viewed)
{
    return (struct load_options){
        .symbols = is_late(viewed) ? LOAD_NO_SYMBOLS : LOAD_SYMBOLS_OF_SESSIONS,
        .search = viewed->how->symbols,
    };
}

/* ---- opening ---- */

/* After it was loaded. */
static int make_answers(struct viewed_file *viewed, struct error *error)
{
    const struct text_list *folders = viewed->how->source_folders;
    cli_search_init(viewed->how->symbols, &viewed->search);
    viewed->sources = (struct source_search){.folders = folders->values.items, .folder_count = folders->values.count};
    if (!api_modules_of_profile(&viewed->profile, &viewed->modules))
        return error_out_of_memory(error);
    viewed->symbols = (struct symbol_api){
        .search = &viewed->search.search,
        .sources = &viewed->sources,
        .modules = viewed->modules.items.items,
        .module_count = viewed->modules.items.count,
    };
    if (is_late(viewed)) {
        viewed->symbols.pid = load_find_process(&viewed->profile, viewed->root);
        if (viewed->root[0])
            viewed->search.search.root = viewed->root;
        /* Nobody who looks waits for a network. */
        viewed->search.search.debuginfod = false;
    }
    viewed->store = source_store_open(&viewed->symbols);
    if (!viewed->store)
        return error_out_of_memory(error);
    viewed->api = api_open(&viewed->profile, 1, error);
    if (!viewed->api)
        return error->code;
    api_use_sources(viewed->api, source_store_sources(viewed->store));
    viewed->opened = (struct opened_profile){viewed->api, &viewed->symbols, viewed->store};
    return 0;
}

/* Where that fails the profile is shown as it is. */
static void begin_symbols(void *data, struct served_profile *served)
{
    struct viewed_file *viewed = data;
    struct error error = {0};
    struct late_symbols_options options = {
        .served = served,
        .profile = &viewed->profile,
        .api = viewed->api,
        .symbolicate =
            {
                .search = &viewed->search.search,
                .mangled = viewed->how->symbols->mangled,
                .pid = viewed->symbols.pid,
            },
    };
    pthread_mutex_lock(&viewed->lock);
    if (is_late(viewed) && !viewed->stopped)
        viewed->late = late_symbols_begin(&options, &error);
    pthread_mutex_unlock(&viewed->lock);
}

static int open_later(void *data, struct opened_profile *opened, struct error *error)
{
    struct viewed_file *viewed = data;
    struct load_options options = load_options(viewed);
    viewed->loaded = true;
    int failed = load_profile_quietly(viewed->file, &options, &viewed->profile, error);
    if (!failed)
        failed = make_answers(viewed, error);
    *opened = viewed->opened;
    return failed;
}

/* NULL where none has begun; with `stop` none will. */
static struct late_symbols *find_late(struct viewed_file *viewed, bool stop)
{
    pthread_mutex_lock(&viewed->lock);
    struct late_symbols *late = viewed->late;
    viewed->stopped |= stop;
    pthread_mutex_unlock(&viewed->lock);
    return late;
}

/* With all symbols. */
static int pack(void *data, struct error *error)
{
    struct viewed_file *viewed = data;
    struct late_symbols *late = find_late(viewed, false);
    if (late)
        late_symbols_wait(late);
    return profile_file_make(&viewed->profile, error);
}

static int open_now(struct viewed_files *files, size_t number)
{
    struct viewed_file *viewed = &files->items[number];
    struct load_options options = load_options(viewed);
    struct error error = {0};
    viewed->loaded = true;
    int status = load_profile_with(viewed->file, &options, &viewed->profile);
    if (status != EXIT_OK)
        return status;
    if (make_answers(viewed, &error))
        return report_file(load_name(viewed->file), &error);
    files->listings[number].opened = &viewed->opened;
    return EXIT_OK;
}

int viewed_files_compare(struct viewed_files *files)
{
    struct viewed_file *first = &files->items[0], *base = &files->items[1];
    struct error error = {0};
    int status = open_now(files, 1);
    if (status == EXIT_OK && api_compare_with(first->api, &base->profile, files->listings[1].name, &error))
        status = report_file(load_name(base->file), &error);
    return status;
}

/* ---- looking ---- */

/* What the files of a session have together. */
static uint64_t bytes_of_folder(const char *path)
{
    DIR *folder = opendir(path);
    uint64_t bytes = 0;
    struct stat status;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
            bytes += (uint64_t)status.st_size;
    if (folder)
        closedir(folder);
    return bytes;
}

static int look_at(struct viewed_file *viewed, struct profile_listing *listing, struct error *error)
{
    struct stat status;
    *listing = (struct profile_listing){
        .name = load_name(viewed->file), .open = open_later, .pack = pack, .asked = begin_symbols, .data = viewed};
    if (strcmp(viewed->file, "-") == 0)
        return 0;
    if (stat(viewed->file, &status) != 0)
        return error_set(error, -errno, "cannot open: %s", strerror(errno));
    viewed->path = realpath(viewed->file, NULL);
    if (!viewed->path)
        return error_set(error, -errno, "cannot open: %s", strerror(errno));
    const char *slash = strrchr(viewed->path, '/');
    listing->path = viewed->path;
    listing->name = slash[1] ? slash + 1 : viewed->path;
    listing->bytes = S_ISDIR(status.st_mode) ? bytes_of_folder(viewed->path) : (uint64_t)status.st_size;
    listing->modified_ms = (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000;
    return 0;
}

int viewed_files_open(const char *const *paths, size_t count, const struct view_search *search, struct viewed_files *files)
{
    struct error error = {0};
    *files = (struct viewed_files){.items = memory_zeroed(count, sizeof *files->items),
                                   .listings = memory_zeroed(count, sizeof *files->listings)};
    if (!files->items || !files->listings) {
        report("out of memory");
        return EXIT_DATA;
    }
    for (; files->count < count; files->count++) {
        struct viewed_file *viewed = &files->items[files->count];
        viewed->file = paths[files->count];
        viewed->how = search;
        pthread_mutex_init(&viewed->lock, NULL);
        if (look_at(viewed, &files->listings[files->count], &error))
            return report_file(load_name(viewed->file), &error);
    }
    return open_now(files, 0);
}

bool viewed_files_stop(struct viewed_files *files)
{
    bool stopped = true;
    for (size_t i = 0; i < files->count; i++) {
        struct late_symbols *late = find_late(&files->items[i], true);
        stopped &= !late || late_symbols_stop(late, STOP_MS);
    }
    return stopped;
}

void viewed_files_free(struct viewed_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct viewed_file *viewed = &files->items[i];
        late_symbols_free(viewed->late);
        api_close(viewed->api);
        source_store_close(viewed->store);
        api_modules_free(&viewed->modules);
        if (viewed->loaded)
            profile_free(&viewed->profile);
        free(viewed->path);
    }
    memory_release(files->items);
    memory_release(files->listings);
}
