#include "record/coordinator.h"

#include "record/members.h"
#include "record/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    MEMBERS_MOST = 4096,
    EVENTS_AT_ONCE = 64,
    PACKETS_AT_ONCE = 16, /* of one member: the others have a turn, too */
    ACCEPTS_AT_ONCE = 64,
    TIMER_MS = 100,                   /* while something is to be looked at again … */
    TIMER_CALM_MS = 1000,             /* … and while nothing is */
    PAUSE_MS = 5,                     /* between turns where somebody may wait for an answer … */
    PAUSE_CALM_MS = 100,              /* … and where nobody does */
    NEWCOMERS_AT_ONCE = 32,           /* after a pause: the queue of the socket may be short … */
    STARTS_AT_ONCE = START_SLOTS / 2, /* … and the slots of the room are few */
    BYTES_A_MS_BITS = 21,             /* more than two million bytes a millisecond nobody writes */
    MISSING_SHOWN = 10,
    LOOKS_SHARE = 16, /* of the memory, for what is seen from outside */
};
static const uint64_t silence_ns = 5000000000; /* that is allowed before the first word */

struct coordinator {
    struct members members;
    int folder, listener, events, timer;
    struct room *room; /* NULL = the file system has no shared mappings */
    struct observer *observer;
    uint64_t looks_bytes; /* of the limit, that are the observer's */
    int look_timer;       /* when the observer has its next turn */
    bool accepting;
    bool stop_asked;
    unsigned timer_ms;
    unsigned pause_ms;
    size_t newcomers;               /* in this turn */
    size_t starts;                  /* taken from the room in this turn */
    uint64_t searched_ns;           /* when the folder was searched last … */
    struct timespec folder_changed; /* … what it said about its last change … */
    uint64_t starts_before;         /* … and how many starts had been told of */
    size_t files_most;              /* connections that we may have open */
    uint64_t balanced_ns;           /* when the memory was last shared out */
    char packet[sizeof(struct link_message) + LINK_TEXT_MAX + 1];
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- beginning ---- */

/* Through the folder's descriptor: the name of a socket is short, and that of a folder need not be. */
static bool address_of(int folder, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    return snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", folder, LINK_NAME) <
           (int)sizeof address->sun_path;
}

static bool watch_descriptor(const struct coordinator *coordinator, int fd, void *whose)
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

static bool open_socket(struct coordinator *coordinator)
{
    struct sockaddr_un address;
    coordinator->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (coordinator->listener < 0 || !address_of(coordinator->folder, &address))
        return false;
    /* Left by a recorder that was killed. */
    (void)unlinkat(coordinator->folder, LINK_NAME, 0);
    mode_t mask = umask(0177);
    bool bound = bind(coordinator->listener, (struct sockaddr *)&address, sizeof address) == 0;
    umask(mask);
    return bound && listen(coordinator->listener, MEMBERS_MOST) == 0;
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
    coordinator->room = coordinator->folder >= 0 ? room_make(coordinator->folder) : NULL;
    coordinator->looks_bytes = options->limit_bytes / LOOKS_SHARE;
    members_init(&coordinator->members, coordinator->folder, options->limit_bytes, coordinator->room);
    budget_leave_out(&coordinator->members.budget, coordinator->looks_bytes);
    members_balance(&coordinator->members, now_ns());
    coordinator->accepting = true;
    coordinator->pause_ms = PAUSE_MS;
    if (coordinator->folder >= 0 && open_socket(coordinator) && (coordinator->events = epoll_create1(EPOLL_CLOEXEC)) >= 0 &&
        (coordinator->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) >= 0 &&
        watch_descriptor(coordinator, coordinator->listener, &coordinator->listener) &&
        watch_descriptor(coordinator, coordinator->timer, &coordinator->timer) &&
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
    set_look_timer(coordinator, observer_turn(coordinator->observer, now_ns()));
}

/* A process has joined: it is looked after from now on. */
static void observe(struct coordinator *coordinator, struct member *member)
{
    if (member->role != MEMBER_JOINED || member->is_observed || member->no_room)
        return;
    member->is_observed = true;
    observer_add(coordinator->observer, member->pid, member->image, member->peer, now_ns());
    set_look_timer(coordinator, 1);
}

/* ---- what they are told ---- */

static bool send_message(int fd, const struct link_message *message, const char *text)
{
    struct iovec parts[] = {{(void *)message, sizeof *message}, {(void *)text, message->text_bytes}};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = 2};
    return sendmsg(fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

static void send_states(struct coordinator *coordinator)
{
    struct members *members = &coordinator->members;
    for (size_t i = 0; i < members->list.count; i++) {
        struct member *member = members->list.items[i];
        if (member->role != MEMBER_JOINED || !(member->share.to_tell || member->answer_due))
            continue;
        struct link_message state = members_state(members, member);
        /* One that does not read has its queue full, and gets the latest when it has read. */
        if (send_message(member->fd, &state, ""))
            member->share.to_tell = member->answer_due = false;
    }
}

static const char *recording_text(enum link_recording recording)
{
    return recording == LINK_RECORD ? "recording" : recording == LINK_PAUSE ? "paused" : "stopped";
}

static int put_status(struct coordinator *coordinator, char *text, size_t room)
{
    struct coordinator_figures figures;
    coordinator_figures(coordinator, &figures);
    int length = snprintf(text, room,
                          "state:      %s\n"
                          "processes:  %zu running, %zu ended, %llu in all\n"
                          "held:       %.1f of %.1f MiB\n",
                          recording_text(figures.recording), figures.live, figures.ended, (unsigned long long)figures.joined,
                          (double)figures.held_bytes / (1 << 20), (double)figures.limit_bytes / (1 << 20));
    if (figures.expired > 0)
        length +=
            snprintf(text + length, room - (size_t)length, "expired:    %llu ended process%s, older than all that is held\n",
                     (unsigned long long)figures.expired, figures.expired == 1 ? "" : "es");
    if (figures.no_room > 0)
        length +=
            snprintf(text + length, room - (size_t)length, "not recorded: %llu process%s, the memory limit leaves no room\n",
                     (unsigned long long)figures.no_room, figures.no_room == 1 ? "" : "es");
    return length;
}

static void answer_command(struct coordinator *coordinator, struct member *member)
{
    char text[LINK_TEXT_MAX] = "";
    struct link_message answer = {.kind = LINK_ANSWER, .version = LINK_VERSION, .command = member->command};
    switch (member->command) {
    case LINK_COMMAND_STATUS:
        answer.text_bytes = (uint32_t)put_status(coordinator, text, sizeof text);
        break;
    case LINK_COMMAND_PAUSE:
    case LINK_COMMAND_RESUME:
        room_say_paused(coordinator->room, member->command == LINK_COMMAND_PAUSE);
        observer_pause(coordinator->observer, member->command == LINK_COMMAND_PAUSE, now_ns());
        members_tell(&coordinator->members, member->command == LINK_COMMAND_PAUSE ? LINK_PAUSE : LINK_RECORD);
        break;
    case LINK_COMMAND_STOP:
    case LINK_COMMAND_DUMP:
        coordinator->stop_asked = member->command == LINK_COMMAND_STOP;
        break;
    }
    answer.recording = coordinator->members.recording;
    member->command = 0;
    (void)send_message(member->fd, &answer, text);
}

/* ---- what they say ---- */

static void hang_up(struct coordinator *coordinator, struct member *member)
{
    /* Closing alone would not do where a child that was just forked has the descriptor, too. */
    if (member->is_watched)
        (void)epoll_ctl(coordinator->events, EPOLL_CTL_DEL, member->fd, NULL);
    close(member->fd);
    member->fd = -1;
    if (member->is_observed)
        observer_left(coordinator->observer, member->pid, member->image, member->peer);
    members_hang_up(&coordinator->members, member);
}

/* False: it has hung up, or has to be. */
static bool read_packets(struct coordinator *coordinator, struct member *member)
{
    for (int i = 0; i < PACKETS_AT_ONCE; i++) {
        ssize_t length = recv(member->fd, coordinator->packet, sizeof coordinator->packet, MSG_DONTWAIT | MSG_TRUNC);
        /* It hung up without having read all: that is said once, and then comes what it said before. */
        if (length < 0 && errno == ECONNRESET)
            continue;
        if (length < 0)
            return errno == EAGAIN || errno == EINTR;
        if (length == 0)
            return false;
        if ((size_t)length > sizeof coordinator->packet ||
            !members_receive(&coordinator->members, member, coordinator->packet, (size_t)length, now_ns())) {
            coordinator->members.refused++;
            return false;
        }
    }
    return true;
}

static void listen_to(struct coordinator *coordinator, struct member *member)
{
    bool stays = read_packets(coordinator, member);
    if (stays && member->role == MEMBER_COMMANDS && member->command != 0)
        answer_command(coordinator, member);
    observe(coordinator, member);
    if (stays && !member->is_watched)
        stays = member->is_watched = watch_descriptor(coordinator, member->fd, member);
    if (!stays)
        hang_up(coordinator, member);
}

/* ---- who comes ---- */

/* As many as the system allows: the program was started before, and has its own limit. */
static size_t allow_more_files(void)
{
    struct rlimit limit;
    enum { OTHERS = 64 };
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return OTHERS;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= 2 * OTHERS)
        return OTHERS;
    return limit.rlim_cur - OTHERS < MEMBERS_MOST ? limit.rlim_cur - OTHERS : MEMBERS_MOST;
}

/* Those for whom there is no room wait in the queue of the socket, and hold the least meanwhile. */
static void set_accepting(struct coordinator *coordinator, bool accepting)
{
    struct epoll_event event = {.events = accepting ? EPOLLIN : 0, .data.ptr = &coordinator->listener};
    if (accepting != coordinator->accepting &&
        epoll_ctl(coordinator->events, EPOLL_CTL_MOD, coordinator->listener, &event) == 0)
        coordinator->accepting = accepting;
}

static bool is_one_of_us(int fd, int *pid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())
        return false;
    *pid = peer.pid;
    return true;
}

static void accept_members(struct coordinator *coordinator)
{
    struct members *members = &coordinator->members;
    if (coordinator->files_most == 0)
        coordinator->files_most = allow_more_files();
    for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
        if (members->list.count >= coordinator->files_most) {
            set_accepting(coordinator, false);
            return;
        }
        int pid, fd = accept4(coordinator->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE)
                set_accepting(coordinator, false);
            return;
        }
        struct member *member = is_one_of_us(fd, &pid) ? members_add(members, pid, now_ns()) : NULL;
        if (!member) {
            close(fd);
            members->refused++;
            continue;
        }
        member->fd = fd;
        coordinator->newcomers++;
        /* Most have said all by now, and many have ended: those need not be watched. */
        listen_to(coordinator, member);
    }
}

/* ---- files of those that did not join ---- */

/* Once a second is often enough, and too often for thousands of files where there is room for whatever may be found. */
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

static void note_start(void *data, const struct room_start *start)
{
    members_note_start(data, start);
}

/* Most that were started have a file by now, which nobody has seen if they were too short to join. It is searched for when the
 * list gets full, but no more often than the list can have become fuller: many may be really missing. */
static void take_starts(struct coordinator *coordinator, uint64_t now)
{
    const uint64_t pause = 100000000;
    const struct missing *missing = &coordinator->members.missing;
    coordinator->starts = room_take_starts(coordinator->room, note_start, &coordinator->members);
    if (missing->starts.count >= MISSING_MOST / 2 && missing->noted - coordinator->starts_before >= MISSING_MOST / 8)
        look_for_others(coordinator, pause, now);
}

/* ---- a turn ---- */

static void take_event(struct coordinator *coordinator, const struct epoll_event *event)
{
    if (event->data.ptr == &coordinator->listener) {
        accept_members(coordinator);
    } else if (event->data.ptr == &coordinator->timer) {
        uint64_t times;
        (void)!read(coordinator->timer, &times, sizeof times);
        look_for_others(coordinator, search_pause(&coordinator->members), now_ns());
    } else {
        listen_to(coordinator, event->data.ptr);
    }
}

static void hang_up_on_silent(struct coordinator *coordinator, uint64_t now)
{
    struct members *members = &coordinator->members;
    for (size_t i = members->list.count; i-- > 0;)
        if (members->list.items[i]->role == MEMBER_CONNECTED && now - members->list.items[i]->since_ns > silence_ns) {
            members->refused++;
            hang_up(coordinator, members->list.items[i]);
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

/* Nobody waits for a turn while the session has room, of which everybody takes what it needs: then it is enough that the room
 * cannot be used up before the next one, and that not too many stand at the door. What has come meanwhile is done at once, with
 * caches that a build would have to itself otherwise. */
static unsigned pause_after_turn(const struct coordinator *coordinator)
{
    uint64_t most = coordinator->room ? room_free(coordinator->room) >> BYTES_A_MS_BITS : 0, last = coordinator->pause_ms;
    uint64_t newcomers = coordinator->newcomers + coordinator->starts * NEWCOMERS_AT_ONCE / STARTS_AT_ONCE;
    uint64_t pause = newcomers > NEWCOMERS_AT_ONCE / 2 ? last * NEWCOMERS_AT_ONCE / newcomers : 2 * last;
    pause = pause < most ? pause : most;
    if (coordinator->members.recording != LINK_RECORD || pause < PAUSE_MS)
        return PAUSE_MS;
    return pause < PAUSE_CALM_MS ? (unsigned)pause : PAUSE_CALM_MS;
}

/* Who tells of a start through the room wakes nobody. */
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
    uint64_t now = now_ns();
    take_starts(coordinator, now);
    hang_up_on_silent(coordinator, now);
    members_let_go(members, now);
    balance(coordinator, now);
    send_states(coordinator);
    if (members->list.count < coordinator->files_most)
        set_accepting(coordinator, true);
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
    room_say_over(coordinator->room);
    members_tell(&coordinator->members, LINK_STOP);
    for (int i = 0; i < TURNS; i++) {
        coordinator_turn(coordinator);
        struct pollfd ready = {coordinator->events, POLLIN, 0};
        if (poll(&ready, 1, 0) <= 0)
            break;
    }
    observer_stop(coordinator->observer, now_ns());
}

void coordinator_take_in(struct coordinator *coordinator)
{
    uint64_t now = now_ns();
    members_let_go(&coordinator->members, now);
    members_count_others(&coordinator->members, now);
    members_take_in(&coordinator->members, SIZE_MAX);
}

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
    take_starts(coordinator, now_ns());
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
    if (coordinator->room)
        (void)unlinkat(coordinator->folder, ROOM_NAME, 0);
    room_close(coordinator->room);
    int others[] = {coordinator->events, coordinator->timer, coordinator->look_timer, coordinator->folder};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] >= 0)
            close(others[i]);
    memory_release(coordinator);
}
