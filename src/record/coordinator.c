#include "record/coordinator_private.h"

#include "common/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    EVENTS_AT_ONCE = 64,
    TIMER_MS = 100,                   /* while something is to be looked at again … */
    TIMER_CALM_MS = 1000,             /* … and while nothing is */
    PAUSE_MS = 5,                     /* between turns where somebody may wait for an answer … */
    PAUSE_CALM_MS = 20,               /* … and where nobody does: but who joins gets its events only then … */
    PAUSE_CROWDED_MS = 100,           /* … unless most are too short for that */
    NEWCOMERS_AT_ONCE = 32,           /* after a pause: the queue of the socket may be short … */
    STARTS_AT_ONCE = START_SLOTS / 2, /* … and the slots for notices are few */
    BYTES_A_MS_BITS = 21,             /* more than two million bytes a millisecond nobody writes */
    LOOKS_SHARE = 16,                 /* of the memory, for what is seen from outside */
};

uint64_t coordinator_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* ---- beginning ---- */

bool coordinator_watch(const struct coordinator *coordinator, int fd, void *whose)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = whose};
    return epoll_ctl(coordinator->events, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void set_timer(struct coordinator *coordinator, unsigned ms)
{
    if (coordinator->timer_ms == ms)
        return;
    struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
    struct itimerspec setting = {.it_interval = time, .it_value = time};
    if (timerfd_settime(coordinator->timer, 0, &setting, NULL) == 0)
        coordinator->timer_ms = ms;
}

struct coordinator *coordinator_open(const struct coordinator_options *options, struct error *error)
{
    const char *folder = options->folder;
    struct coordinator *coordinator = memory_zeroed(1, sizeof *coordinator);
    if (!coordinator) {
        error_out_of_memory(error);
        return NULL;
    }
    coordinator->listener = coordinator->events = coordinator->timer = coordinator->look_timer = -1;
    coordinator->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    coordinator->quota = coordinator->folder >= 0 ? quota_make(coordinator->folder) : NULL;
    coordinator->looks_bytes = options->limit_bytes / LOOKS_SHARE;
    members_init(&coordinator->members, coordinator->folder, options->limit_bytes, coordinator->quota);
    budget_leave_out(&coordinator->members.budget, coordinator->looks_bytes);
    members_balance(&coordinator->members, coordinator_now());
    coordinator->accepting = true;
    coordinator->pause_ms = PAUSE_MS;
    if (coordinator->folder >= 0 && coordinator_listen(coordinator) &&
        (coordinator->events = epoll_create1(EPOLL_CLOEXEC)) >= 0 &&
        (coordinator->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) >= 0 &&
        coordinator_watch(coordinator, coordinator->listener, &coordinator->listener) &&
        coordinator_watch(coordinator, coordinator->timer, &coordinator->timer) &&
        (coordinator->look_timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) >= 0) {
        struct observer_options observed = {
            .folder = folder,
            .folder_fd = coordinator->folder,
            .budget = &coordinator->members.budget,
            .looks_bytes = coordinator->looks_bytes,
            .interval_ns = options->interval_ns,
            .counts_cpu = options->counts_cpu,
        };
        coordinator->observer = observer_create(&observed, error);
        if (!coordinator->observer) {
            coordinator_close(coordinator);
            return NULL;
        }
        set_timer(coordinator, TIMER_CALM_MS);
        return coordinator;
    }
    error_set(error, -errno, "%.300s: no socket can be made here: %s", folder, strerror(errno));
    coordinator_close(coordinator);
    return NULL;
}

int coordinator_fd(const struct coordinator *coordinator)
{
    return coordinator->events;
}

/* ---- looks ---- */

int coordinator_look_fd(const struct coordinator *coordinator)
{
    return coordinator->look_timer;
}

static void set_look_timer(const struct coordinator *coordinator, uint64_t ns)
{
    struct itimerspec setting = {.it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};
    (void)timerfd_settime(coordinator->look_timer, TFD_TIMER_ABSTIME, &setting, NULL);
}

void coordinator_look(struct coordinator *coordinator)
{
    uint64_t times;
    (void)!read(coordinator->look_timer, &times, sizeof times);
    coordinator->look_is_due = false;
    set_look_timer(coordinator, observer_turn(coordinator->observer, coordinator_now()));
}

void coordinator_observe(struct coordinator *coordinator, struct member *member)
{
    if (member->role != MEMBER_JOINED || member->is_observed || member->no_room)
        return;
    member->is_observed = true;
    observer_add(coordinator->observer, member->pid, member->image, member->peer, coordinator_now());
    if (!coordinator->look_is_due) /* a timer that fires at once costs more than all else here, and many may come in a turn */
        set_look_timer(coordinator, 1);
    coordinator->look_is_due = true;
}

/* ---- files of those that did not join ---- */

/* Once a second is often enough, and too often for thousands of files where there is quota for whatever may be found. */
static uint64_t search_pause(const struct members *members)
{
    const uint64_t least = 1000000000, most = 10 * least, for_a_file = least / 500;
    uint64_t pause = members_are_short(members) ? least : least + members->names.count * for_a_file;
    return pause < most ? pause : most;
}

/* Only where the folder has changed or has some. */
static void look_for_others(struct coordinator *coordinator, uint64_t pause, uint64_t now)
{
    struct stat status;
    if (now - coordinator->searched_ns < pause || fstat(coordinator->folder, &status) != 0)
        return;
    bool changed = memcmp(&status.st_mtim, &coordinator->folder_changed, sizeof status.st_mtim) != 0;
    coordinator->searched_ns = now;
    coordinator->folder_changed = status.st_mtim;
    coordinator->starts_before = coordinator->members.missing.noted;
    if (changed || coordinator->members.budget.others > 0)
        members_count_others(&coordinator->members, now);
}

/* ---- what is started ---- */

static void note_start(void *data, const struct start_notice *start)
{
    members_note_start(data, start);
}

/* Most that were started have a file by now, which nobody has seen if they were too short to join. It is searched for when the
 * list gets full, but no more often than the list can have become fuller: many may be really missing. */
void coordinator_take_starts(struct coordinator *coordinator, uint64_t now)
{
    const uint64_t pause = 100000000;
    const struct missing *missing = &coordinator->members.missing;
    coordinator->starts = quota_take_starts(coordinator->quota, note_start, &coordinator->members);
    if (missing->starts.count >= MISSING_MOST / 2 && missing->noted - coordinator->starts_before >= MISSING_MOST / 8)
        look_for_others(coordinator, pause, now);
}

/* ---- a turn ---- */

static void take_event(struct coordinator *coordinator, const struct epoll_event *event)
{
    if (event->data.ptr == &coordinator->listener) {
        coordinator_accept(coordinator);
    } else if (event->data.ptr == &coordinator->timer) {
        uint64_t times;
        (void)!read(coordinator->timer, &times, sizeof times);
        look_for_others(coordinator, search_pause(&coordinator->members), coordinator_now());
    } else {
        coordinator_receive(coordinator, event->data.ptr);
    }
}

static bool anything_pending(const struct members *members)
{
    for (size_t i = 0; i < members->list.count; i++) {
        const struct member *member = members->list.items[i];
        if (member->role == MEMBER_LEAVING || member->share.asked_ns > 0 || member->share.to_tell || member->answer_due)
            return true;
    }
    return false;
}

/* While the session has quota left, no process waits for a turn: each takes what it needs. Then it is enough that the quota
 * cannot be used up before the next turn, and that the queue of the socket does not overflow. Fewer turns also leave the CPU
 * caches to the recorded programs. */
static unsigned pause_after_turn(const struct coordinator *coordinator)
{
    uint64_t most = coordinator->quota ? quota_free(coordinator->quota) >> BYTES_A_MS_BITS : 0, last = coordinator->pause_ms;
    uint64_t newcomers = coordinator->newcomers + coordinator->starts * NEWCOMERS_AT_ONCE / STARTS_AT_ONCE;
    uint64_t pause = newcomers > NEWCOMERS_AT_ONCE / 2 ? last * NEWCOMERS_AT_ONCE / newcomers : 2 * last;
    pause = pause < most ? pause : most;
    if (coordinator->members.recording != LINK_RECORD || pause < PAUSE_MS)
        return PAUSE_MS;
    uint64_t calm = observer_is_crowded(coordinator->observer) ? PAUSE_CROWDED_MS : PAUSE_CALM_MS;
    return (unsigned)(pause < calm ? pause : calm);
}

/* A notice of a started program wakes nobody: where some came, the next turn comes by the timer. */
static unsigned timer_after_turn(const struct coordinator *coordinator)
{
    if (coordinator->starts > STARTS_AT_ONCE / 2)
        return coordinator->pause_ms;
    return coordinator->starts > 0 || anything_pending(&coordinator->members) ? TIMER_MS : TIMER_CALM_MS;
}

unsigned coordinator_pause_ms(const struct coordinator *coordinator)
{
    return coordinator->pause_ms;
}

/* What it costs grows with the number of processes: where there are many, it is done less often. */
static void balance(struct coordinator *coordinator, uint64_t now)
{
    const uint64_t pause_for_each = 100000;
    struct members *members = &coordinator->members;
    if (now - coordinator->balanced_ns < members->budget.processes.count * pause_for_each)
        return;
    coordinator->balanced_ns = now;
    members_balance(members, now);
}

bool coordinator_turn(struct coordinator *coordinator)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    struct members *members = &coordinator->members;
    coordinator->newcomers = 0;
    int count = epoll_wait(coordinator->events, events, EVENTS_AT_ONCE, 0);
    for (int i = 0; i < count; i++)
        take_event(coordinator, &events[i]);
    uint64_t now = coordinator_now();
    coordinator_take_starts(coordinator, now);
    coordinator_drop_silent(coordinator, now);
    members_let_go(members, now);
    balance(coordinator, now);
    coordinator_send_states(coordinator);
    if (members->list.count < coordinator->files_most)
        coordinator_set_accepting(coordinator, true);
    coordinator->pause_ms = pause_after_turn(coordinator);
    set_timer(coordinator, timer_after_turn(coordinator));
    return !coordinator->stop_asked;
}

/* ---- the end ---- */

/* What was said before is heard, however late it is on a machine that is busy; the number of turns is enough for all but a
 * flood. */
void coordinator_stop(struct coordinator *coordinator)
{
    enum { TURNS = 200 };
    quota_set_over(coordinator->quota);
    members_tell(&coordinator->members, LINK_STOP);
    for (int i = 0; i < TURNS; i++) {
        coordinator_turn(coordinator);
        struct pollfd ready = {coordinator->events, POLLIN, 0};
        if (poll(&ready, 1, 0) <= 0)
            break;
    }
    observer_stop(coordinator->observer, coordinator_now());
}

void coordinator_take_in(struct coordinator *coordinator)
{
    uint64_t now = coordinator_now();
    members_let_go(&coordinator->members, now);
    members_count_others(&coordinator->members, now);
    members_take_in(&coordinator->members, SIZE_MAX);
}

void coordinator_close(struct coordinator *coordinator)
{
    if (!coordinator)
        return;
    for (size_t i = 0; i < coordinator->members.list.count; i++)
        if (coordinator->members.list.items[i]->fd >= 0)
            close(coordinator->members.list.items[i]->fd);
    observer_free(coordinator->observer);
    members_free(&coordinator->members);
    if (coordinator->listener >= 0) {
        close(coordinator->listener);
        (void)unlinkat(coordinator->folder, LINK_NAME, 0);
    }
    if (coordinator->quota)
        (void)unlinkat(coordinator->folder, QUOTA_NAME, 0);
    quota_close(coordinator->quota);
    int others[] = {coordinator->events, coordinator->timer, coordinator->look_timer, coordinator->folder};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] >= 0)
            close(others[i]);
    memory_release(coordinator);
}
