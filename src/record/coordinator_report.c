/* What the coordinator reports: figures, the status for `sonde ctl`, the notes of the session. */
#include "record/coordinator_private.h"

#include "record/recording_folder.h"

#include <stdio.h>

enum { MISSING_SHOWN = 10 };

void coordinator_figures(struct coordinator *coordinator, struct coordinator_figures *figures)
{
    const struct members *members = &coordinator->members;
    coordinator_take_in(coordinator);
    *figures = (struct coordinator_figures){
        .live = members_live(members),
        .ended = members->ended.count,
        .joined = members->joined + members->unknown,
        .expired = members->expired,
        .no_room = members->no_room,
        .held_bytes = members->budget.file_bytes + members->budget.others + observer_held(coordinator->observer),
        .limit_bytes = members->budget.limit + coordinator->looks_bytes,
        .recording = members->recording,
    };
    for (size_t i = 0; i < members->list.count; i++)
        figures->held_bytes += members->list.items[i]->share.used + members->list.items[i]->share.done;
}

static const char *recording_text(enum link_recording recording)
{
    return recording == LINK_RECORD ? "recording" : recording == LINK_PAUSE ? "paused" : "stopped";
}

int coordinator_put_status(struct coordinator *coordinator, char *text, size_t capacity)
{
    struct coordinator_figures figures;
    coordinator_figures(coordinator, &figures);
    int length = snprintf(text, capacity,
                          "state:      %s\n"
                          "processes:  %zu running, %zu ended, %llu in all\n"
                          "held:       %.1f of %.1f MiB\n",
                          recording_text(figures.recording), figures.live, figures.ended, (unsigned long long)figures.joined,
                          (double)figures.held_bytes / (1 << 20), (double)figures.limit_bytes / (1 << 20));
    if (figures.expired > 0)
        length += snprintf(text + length, capacity - (size_t)length,
                           "expired:    %llu ended process%s, older than all that is held\n",
                           (unsigned long long)figures.expired, figures.expired == 1 ? "" : "es");
    if (figures.no_room > 0)
        length += snprintf(text + length, capacity - (size_t)length,
                           "not recorded: %llu process%s, the memory limit leaves no room\n",
                           (unsigned long long)figures.no_room, figures.no_room == 1 ? "" : "es");
    return length;
}

struct saying {
    struct members *members;
    void (*say)(void *data, const char *line);
    void *data;
};

static bool left_file(void *data, int pid, uint32_t image)
{
    return members_left_file(((struct saying *)data)->members, pid, image);
}

static void say_missing(void *data, const char *line)
{
    struct saying *saying = data;
    saying->say(saying->data, line);
}

void coordinator_notes(struct coordinator *coordinator, void (*say)(void *data, const char *line), void *data)
{
    struct members *members = &coordinator->members;
    struct saying saying = {members, say, data};
    coordinator_take_starts(coordinator, coordinator_now());
    members->missing.disk_is_full = recording_folder_is_full(coordinator->folder);
    missing_report(&members->missing, MISSING_SHOWN, left_file, say_missing, &saying);
    if (members->expired > 0) {
        char line[160];
        snprintf(line, sizeof line, "%llu process%s ended too long ago: the room for what they left was needed for newer data",
                 (unsigned long long)members->expired, members->expired == 1 ? "" : "es");
        say(data, line);
    }
    if (members->no_room > 0) {
        char line[160];
        snprintf(line, sizeof line, "%llu process%s not recorded: the memory limit leaves no room (--buffer-size)",
                 (unsigned long long)members->no_room, members->no_room == 1 ? " was" : "es were");
        say(data, line);
    }
}
