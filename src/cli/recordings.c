#include "cli/recordings.h"

#include "cli/table.h"
#include "common/byte_sink.h"
#include "print/number.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_CANDIDATES = 1000, PRINTED_MOST = 10 };

struct candidate {
    char *name;
    struct timespec written;
    bool is_folder, has_head;
};

struct candidates {
    VEC(struct candidate) items;
};

/* `has_head`: what it is can be told from its start. */
static bool has_profile_name(const char *path, bool *has_head)
{
    static const struct slice others[] = {{".cpuprofile", 11}, {".folded", 7}, {".collapsed", 10}, {".pb", 3}, {".pprof", 6}};
    struct slice name = slice_of(path);
    if (byte_packing_of_name(path) != PACKING_NONE)
        name.length = (size_t)((const char *)memrchr(name.text, '.', name.length) - name.text);
    *has_head = slice_ends_with(name, SLICE(".json"));
    bool found = *has_head;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        found |= slice_ends_with(name, others[i]);
    return found;
}

/* A file of a process in it is enough. */
static bool is_session(const char *path)
{
    DIR *folder = opendir(path);
    bool found = false;
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = slice_ends_with(slice_of(entry->d_name), SLICE(".sonde"));
    if (folder)
        closedir(folder);
    return found;
}

static int newest_first(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->written.tv_sec != b->written.tv_sec)
        return a->written.tv_sec < b->written.tv_sec ? 1 : -1;
    if (a->written.tv_nsec != b->written.tv_nsec)
        return a->written.tv_nsec < b->written.tv_nsec ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* Whatever could be a recording by its name. */
static int collect(const char *path, struct candidates *candidates)
{
    DIR *folder = opendir(path);
    int failed = folder ? 0 : -errno;
    for (struct dirent *entry; folder && !failed && (entry = readdir(folder));) {
        struct stat status;
        if (entry->d_name[0] == '.' || fstatat(dirfd(folder), entry->d_name, &status, 0) != 0)
            continue;
        bool is_folder = S_ISDIR(status.st_mode), has_head = false;
        if (!is_folder && !(S_ISREG(status.st_mode) && has_profile_name(entry->d_name, &has_head)))
            continue;
        struct candidate candidate = {strdup(entry->d_name), status.st_mtim, is_folder, has_head};
        if (!candidate.name || !vec_push(&candidates->items, candidate)) {
            free(candidate.name);
            failed = -ENOMEM;
        }
    }
    if (folder)
        closedir(folder);
    if (candidates->items.count > 0)
        qsort(candidates->items.items, candidates->items.count, sizeof *candidates->items.items, newest_first);
    return failed;
}

static void look_at(const char *folder, struct candidate *candidate, struct recordings *recordings)
{
    char path[PATH_MAX];
    struct recording_file file = {
        .written = candidate->written, .is_session = candidate->is_folder, .head = {.duration_ms = NAN}};
    if (snprintf(path, sizeof path, "%s/%s", folder, candidate->name) >= PATH_MAX)
        return;
    if (candidate->is_folder ? !is_session(path) : candidate->has_head && !profile_head_read(path, &file.head))
        return;
    file.name = candidate->name;
    candidate->name = NULL;
    recordings->items[recordings->count++] = file;
}

int recordings_find(const char *folder, struct recordings *recordings)
{
    struct candidates candidates = {0};
    recordings->count = 0;
    int failed = collect(folder, &candidates);
    for (size_t i = 0; i < candidates.items.count; i++) {
        if (!failed && i < MOST_CANDIDATES && recordings->count < RECORDINGS_MOST)
            look_at(folder, &candidates.items.items[i], recordings);
        free(candidates.items.items[i].name);
    }
    vec_free(&candidates.items);
    return failed;
}

void recordings_free(struct recordings *recordings)
{
    for (size_t i = 0; i < recordings->count; i++)
        free(recordings->items[i].name);
    recordings->count = 0;
}

bool recordings_print(const struct recordings *recordings)
{
    static const struct table_head columns[] = {
        {"name", ALIGN_LEFT, 40, KEEP_END},
        {"written", ALIGN_LEFT, 0, KEEP_START},
        {"length", ALIGN_RIGHT, 0, KEEP_START},
        {"command", ALIGN_LEFT, 0, KEEP_START},
    };
    struct terminal terminal = terminal_of_output(SIZE_MAX, COLOUR_AUTO);
    struct table table;
    table_init(&table, &terminal, columns, 4);
    for (size_t i = 0; i < recordings->count && i < PRINTED_MOST; i++) {
        const struct recording_file *file = &recordings->items[i];
        struct tm local;
        char written[32] = "";
        if (localtime_r(&file->written.tv_sec, &local))
            strftime(written, sizeof written, "%Y-%m-%d %H:%M:%S", &local);
        table_add(&table, slice_of(file->name), STYLE_PLAIN);
        table_print(&table, STYLE_PLAIN, "%s", written);
        if (file->is_session || isnan(file->head.duration_ms))
            table_add(&table, SLICE(""), STYLE_PLAIN);
        else
            table_print(&table, STYLE_PLAIN, "%s", number_duration(file->head.duration_ms).text);
        table_add(&table, file->is_session ? SLICE("(a session)") : slice_of(file->head.command), STYLE_PLAIN);
    }
    table_write(&table);
    table_free(&table);
    return !table.failed;
}
