#include "record/missing.h"

#include "record/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void missing_note(struct missing *missing, const char *path, size_t length, int pid, uint32_t image, uint32_t reason)
{
    /* What a hostile process says without end is counted, not kept. */
    char *copy = missing->starts.count < MISSING_MOST && length < PATH_MAX ? memory_array(length + 1, 1) : NULL;
    if (copy) {
        memcpy(copy, path, length);
        copy[length] = '\0';
        /* It goes to a terminal. */
        for (char *at = copy; *at; at++)
            if ((unsigned char)*at < ' ' || *at == 0x7f)
                *at = '?';
    }
    if (!copy || !vec_push(&missing->starts, ((struct missing_start){copy, pid, image, reason}))) {
        memory_release(copy);
        missing->more++;
    }
}

/* NULL where nothing speaks against its recording. */
static const char *reason_of(const struct missing_start *start)
{
    struct program program;
    program_inspect(start->path, &program);
    switch (program.kind) {
    case PROGRAM_STATIC:
        return "statically linked";
    case PROGRAM_PRIVILEGED:
        return "runs with more rights (setuid, setgid or capabilities)";
    case PROGRAM_FOREIGN:
        return "for another CPU or for 32 bits";
    case PROGRAM_DAMAGED:
        return "damaged";
    case PROGRAM_RECORDABLE:
    case PROGRAM_UNKNOWN:
        break;
    }
    return start->reason == LINK_REASON_ENVIRONMENT ? "started with an environment of its own" : NULL;
}

static int compare_starts(const void *a, const void *b)
{
    const struct missing_start *first = a, *second = b;
    int order = strcmp(first->path, second->path);
    if (order == 0)
        order = (first->reason > second->reason) - (first->reason < second->reason);
    return order != 0 ? order : first->pid - second->pid;
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
        size_t times = 0;
        for (next = i;
             next < count && strcmp(starts[next].path, starts[i].path) == 0 && starts[next].reason == starts[i].reason; next++)
            times += !left_file(data, starts[next].pid, starts[next].image);
        const char *reason = times > 0 && said < most ? reason_of(&starts[i]) : "";
        if (times == 0)
            continue;
        if (said == most) {
            more += times;
            continue;
        }
        said++;
        char often[40] = "";
        if (times > 1)
            snprintf(often, sizeof often, " (%zu times)", times);
        snprintf(line, sizeof line, "%.300s%s was not recorded: %s", starts[i].path, often,
                 reason ? reason : "it ended before, or could not be executed");
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
