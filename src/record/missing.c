#include "record/missing.h"

#include "record/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A path that is none from the root is meant from where the process is. */
static char *copy_path(const char *path, size_t length, int pid)
{
    char from[40], folder[PATH_MAX] = "";
    size_t before = 0;
    if (path[0] != '/') {
        snprintf(from, sizeof from, "/proc/%d/cwd", pid);
        ssize_t got = readlink(from, folder, sizeof folder - 1);
        before = got > 0 ? (size_t)got : 0;
        if (before == 0 || folder[before - 1] != '/')
            folder[before++] = '/';
        for (; length > 2 && path[0] == '.' && path[1] == '/'; length -= 2)
            path += 2;
    }
    char *copy = before + length < PATH_MAX ? memory_array(before + length + 1, 1) : NULL;
    if (copy) {
        memcpy(copy, folder, before);
        memcpy(copy + before, path, length);
        copy[before + length] = '\0';
    }
    return copy;
}

void missing_note(struct missing *missing, const char *path, size_t length, int pid, uint32_t image, uint32_t reason)
{
    missing->noted++;
    /* What a hostile process says without end is counted, not kept. */
    char *copy = missing->starts.count < MISSING_MOST && length > 0 ? copy_path(path, length, pid) : NULL;
    if (!copy || !vec_push(&missing->starts, ((struct missing_start){copy, pid, image, reason}))) {
        memory_release(copy);
        missing->more++;
    }
}

void missing_joined(struct missing *missing, int pid, uint32_t image)
{
    /* Most were started just now. */
    for (size_t i = missing->starts.count; i-- > 0;) {
        struct missing_start *start = &missing->starts.items[i];
        if (start->pid == pid && start->image <= image) {
            memory_release(start->path);
            *start = missing->starts.items[--missing->starts.count];
        }
    }
}

/* It goes to a terminal. */
static void make_harmless(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static const char *reason_of(const struct missing *missing, const struct missing_start *start)
{
    /* The file at that path may be another one for us. */
    if (start->reason == LINK_REASON_FOLDER)
        return "it cannot reach the recording from where it runs (another root folder, or another user)";
    struct program program;
    program_inspect(start->path, &program);
    const char *reason = program_kind_reason(program.kind);
    if (reason)
        return reason;
    if (start->reason == LINK_REASON_ENVIRONMENT)
        return "started with an environment of its own";
    if (missing->disk_is_full)
        return "the disk of the session is full";
    return "it did not join: it was killed first, could not be executed, or runs as another user, in another root folder, or "
           "in valgrind";
}

static int compare_starts(const void *a, const void *b)
{
    const struct missing_start *first = a, *second = b;
    int order = strcmp(first->path, second->path);
    return order != 0 ? order : (first->pid > second->pid) - (first->pid < second->pid);
}

void missing_report(struct missing *missing, size_t most, bool (*left_file)(void *data, int pid, uint32_t image),
                    void (*say)(void *data, const char *line), void *data)
{
    char line[MISSING_TEXT];
    size_t said = 0, count = missing->starts.count;
    uint64_t more = missing->more;
    struct missing_start *starts = missing->starts.items;
    if (count > 0)
        qsort(starts, count, sizeof *starts, compare_starts);
    for (size_t i = 0, next; i < count; i = next) {
        struct missing_start *last = NULL; /* of this program, and without a file */
        size_t times = 0;
        for (next = i; next < count && strcmp(starts[next].path, starts[i].path) == 0; next++)
            if (!left_file(data, starts[next].pid, starts[next].image)) {
                last = &starts[next];
                times++;
            }
        /* Who looks for a program tries one path after the other. */
        if (!last || (last->reason != LINK_REASON_FOLDER && access(last->path, F_OK) != 0))
            continue;
        if (said == most) {
            more += times;
            continue;
        }
        said++;
        char often[40] = "";
        if (times > 1)
            snprintf(often, sizeof often, " (%zu times)", times);
        snprintf(line, sizeof line, "%.300s%s was not recorded: %s", last->path, often, reason_of(missing, last));
        make_harmless(line);
        say(data, line);
    }
    if (more > 0) {
        snprintf(line, sizeof line, "… and %llu more", (unsigned long long)more);
        say(data, line);
    }
}

void missing_free(struct missing *missing)
{
    for (size_t i = 0; i < missing->starts.count; i++)
        memory_release(missing->starts.items[i].path);
    vec_free(&missing->starts);
}
