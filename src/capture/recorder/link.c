#include "capture/recorder/link.h"

#include "capture/core/clock.h"
#include "capture/core/log.h"
#include "capture/core/sandbox.h"
#include "capture/sampler/live.h"
#include "common/proc_file.h"
#include "ipc/quota.h"
#include "session/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    RECEIVE_MOST = 16,
    RECEIVE_EVERY_NS = 16000000, /* each look is two system calls */
    RECEIVE_FIRST_NS = 4000000,  /* until the recorder has answered */
    WISH_MOST = 1 << 20
};

enum { LINK_NONE, LINK_WAITS /* nobody had time for us, or we for them */, LINK_JOINED };

/* Guarded by the core lock. */
static struct {
    int state;
    bool answered;                 /* ever */
    bool awaits;                   /* an answer to the last LINK_USAGE */
    uint32_t told;                 /* number of the last LINK_STATE … */
    uint32_t goes_by;              /* … and of the one that is obeyed, as we said */
    uint64_t changes;              /* of the chunks, when we said so */
    uint64_t received_ns;          /* when we last looked for messages */
    enum link_recording recording; /* as told */
} link_state;

/* Read without the lock by who starts programs and closes files; believed only if it still leads to our socket. */
static struct descriptor connection = {.fd = -1};
static _Atomic bool tells_children;

/* What this process has a file as, for who tells of itself without a connection that says so. */
static _Atomic int known_pid;
static _Atomic uint32_t known_image;

/* Of children; written before tells_children. The quota is mapped for good: children have it, too. */
static const char *session_folder;
static struct quota *session_quota;

/* --- connecting -------------------------------------------------------------------------------------------------------- */

/* Where the path is longer than an address may be, through a descriptor of the folder, which is to be closed. */
static bool make_address(const char *folder, struct sockaddr_un *address, int *folder_fd)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    *folder_fd = -1;
    if (PROC_PATH(address->sun_path, "%s/" LINK_NAME, folder))
        return true;
    *folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return *folder_fd >= 0 && link_address(*folder_fd, address);
}

/* A descriptor, or a negative errno: -EAGAIN where nobody has time. */
static int connect_to(const char *folder)
{
    struct sockaddr_un address;
    int folder_fd, result = -ENOENT;
    if (make_address(folder, &address, &folder_fd)) {
        int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        result = fd < 0 ? -errno : fd;
        if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
            result = -errno;
            close(fd);
        }
    }
    if (folder_fd >= 0)
        close(folder_fd);
    return result;
}

static void hang_up(void)
{
    struct descriptor closed = connection;
    connection = DESCRIPTOR_NONE; /* first: libsonde-preload lets nobody close it */
    descriptor_close(&closed);
    link_state.state = LINK_NONE;
}

static void join(struct active_state *active)
{
    int fd = connect_to(active->settings.folder);
    link_state.state = fd == -EAGAIN ? LINK_WAITS : LINK_NONE;
    if (fd < 0)
        return;
    connection = descriptor_keep(fd);
    struct link_message message = {
        .kind = LINK_JOIN, .version = LINK_VERSION, .pid = getpid(), .image = chunk_manager_image(active->chunks)};
    if (!link_send(connection.fd, &message, NULL)) {
        hang_up();
        return;
    }
    link_state.state = LINK_JOINED;
    link_state.awaits = true;
    link_state.received_ns = clock_now();
}

/* NULL = another one than that of the children, or none. */
static struct quota *quota_of(const char *folder)
{
    return session_quota && strcmp(folder, session_folder) == 0 ? session_quota : NULL;
}

/* Where only parents may look at their children (Yama), the recorder may look at this process, too. Refused elsewhere. */
static void allow_looks(void)
{
    if (session_quota)
        (void)prctl(PR_SET_PTRACER, session_quota->recorder, 0, 0, 0);
}

bool link_owns(int fd)
{
    return fd >= 0 && fd == connection.fd && descriptor_get(&connection) == fd;
}

int link_descriptor(void)
{
    return descriptor_get(&connection);
}

bool link_is_observed(const struct core_locked *locked)
{
    (void)locked;
    return link_state.state != LINK_NONE;
}

void link_begin(const struct core_locked *locked, struct active_state *active)
{
    memset(&link_state, 0, sizeof link_state);
    if (active->folder_is_ours)
        return;
    int saved_errno = errno;
    atomic_store_explicit(&known_image, chunk_manager_image(active->chunks), memory_order_relaxed);
    atomic_store_explicit(&known_pid, core_state(locked)->pid, memory_order_relaxed);
    join(active);
    /* Somebody is there, and will say how much. */
    if (link_state.state != LINK_NONE) {
        chunk_manager_set_limit(active->chunks, link_first_bytes(active->settings.buffer_bytes));
        chunk_manager_share_quota(active->chunks, quota_of(active->settings.folder));
        atomic_store_explicit(&live_quota, quota_of(active->settings.folder), memory_order_relaxed);
        allow_looks();
    }
    errno = saved_errno;
}

void link_end(const struct core_locked *locked)
{
    (void)locked;
    atomic_store_explicit(&live_quota, NULL, memory_order_relaxed);
    hang_up();
}

/* --- now and then -------------------------------------------------------------------------------------------------------- */

static void take_state(struct active_state *active, const struct link_message *message)
{
    if (message->recording > LINK_STOP)
        return;
    link_state.answered = true;
    link_state.awaits = false;
    link_state.told = message->number;
    if (message->result == -ENOSPC && link_state.recording != LINK_STOP)
        log_line(LOG_WARNING, "not recorded: the memory limit leaves no room");
    link_state.recording = (enum link_recording)message->recording;
    chunk_manager_set_share(active->chunks, message->limit_bytes, message->taken_bytes);
}

static void receive(struct active_state *active)
{
    uint64_t now = clock_now(), pause = link_state.answered ? RECEIVE_EVERY_NS : RECEIVE_FIRST_NS;
    if (link_state.state == LINK_NONE || now - link_state.received_ns < pause)
        return;
    link_state.received_ns = now;
    int saved_errno = errno;
    if (link_state.state == LINK_WAITS)
        join(active);
    for (int i = 0; i < RECEIVE_MOST && link_state.state == LINK_JOINED; i++) {
        struct link_message message;
        int fd = descriptor_get(&connection);
        ssize_t length = fd < 0 ? 0 : recv(fd, &message, sizeof message, MSG_DONTWAIT | MSG_TRUNC);
        if (length < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (length <= 0)
            hang_up();
        else if (length == sizeof message && message.kind == LINK_STATE && message.version == LINK_VERSION)
            take_state(active, &message);
    }
    /* It went away before it said anything: then nobody shares the memory out. */
    if (link_state.state == LINK_NONE && !link_state.answered)
        chunk_manager_set_limit(active->chunks, active->settings.buffer_bytes);
    errno = saved_errno;
}

static void report(const struct core_locked *locked, struct active_state *active, bool obeyed)
{
    if (link_state.state != LINK_JOINED || link_state.awaits)
        return;
    uint64_t changes = chunk_manager_changes(active->chunks);
    uint32_t number = obeyed ? link_state.told : link_state.goes_by;
    if (changes == link_state.changes && number == link_state.goes_by)
        return;
    struct chunk_manager_usage usage;
    chunk_manager_usage(active->chunks, &usage);
    struct link_message message = {
        .kind = LINK_USAGE,
        .version = LINK_VERSION,
        .pid = core_state(locked)->pid,
        .number = number,
        .limit_bytes = usage.bytes_limit,
        .used_bytes = usage.bytes_held - usage.bytes_done,
        .done_bytes = usage.bytes_done,
        .wanted_bytes = usage.bytes_wished < WISH_MOST ? usage.bytes_wished : WISH_MOST,
        .taken_bytes = usage.bytes_taken,
        .oldest_ns = usage.oldest_done_ns > 0 ? clock_origin + usage.oldest_done_ns : 0,
    };
    int saved_errno = errno, fd = descriptor_get(&connection);
    bool sent = fd >= 0 && link_send(fd, &message, NULL);
    if (fd < 0 || (!sent && errno != EAGAIN && errno != EINTR)) {
        hang_up();
    } else if (sent) {
        link_state.awaits = true;
        link_state.changes = changes;
        link_state.goes_by = number;
        chunk_manager_wish_told(active->chunks, usage.bytes_wished);
    }
    errno = saved_errno;
}

void link_housekeep(void)
{
    int saved_errno = errno;
    const struct core_locked *locked = core_may_lock() ? core_try_lock() : NULL;
    if (!locked)
        return;
    struct active_state *active = active_state(locked);
    if (active && link_state.state != LINK_NONE) {
        receive(active);
        report(locked, active, chunk_manager_obey(active->chunks));
    }
    core_unlock(locked);
    errno = saved_errno;
}

/* --- children ---------------------------------------------------------------------------------------------------------- */

void link_tell_children_of(const char *folder)
{
    session_folder = folder;
    session_quota = quota_open(folder);
    atomic_store_explicit(&tells_children, true, memory_order_release);
}

bool link_recorder_has_left(void)
{
    char path[PATH_ROOM + sizeof LINK_NAME];
    int saved_errno = errno;
    bool left = !session_quota && snprintf(path, sizeof path, "%s/" LINK_NAME, session_folder) < (int)sizeof path &&
                access(path, F_OK) != 0 && errno == ENOENT;
    errno = saved_errno;
    return left;
}

bool link_is_over(void)
{
    /* Acquire: the quota is there. */
    return atomic_load_explicit(&tells_children, memory_order_acquire) && quota_is_over(session_quota);
}

void link_tell_unreached(void)
{
    /* Where it is one: programs that set a title write their arguments behind it. */
    char name[START_PATH];
    size_t length = strcspn(program_invocation_name, " ");
    length = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, program_invocation_name, length);
    name[length] = '\0';
    struct start_notice start = {.pid = getpid(), .reason = LINK_REASON_FOLDER, .path = name};
    if (atomic_load_explicit(&tells_children, memory_order_acquire))
        (void)quota_tell_start(session_quota, &start);
}

static const char *value_of(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 ? word + length : NULL;
}

/* Whether the library can be found from here: the process may have changed its root folder. `list` is as in LD_PRELOAD. */
static bool reaches_library(const char *list)
{
    static const char name[] = "/libsonde-preload.so";
    const char *found = strstr(list, name);
    if (!found)
        return false;
    const char *start = found;
    while (start > list && start[-1] != ':' && start[-1] != ' ')
        start--;
    size_t length = (size_t)(found - start) + sizeof name - 1;
    char path[PATH_ROOM];
    if (length >= sizeof path)
        return true;
    memcpy(path, start, length);
    path[length] = '\0';
    return sandbox_is_closed() || access(path, R_OK) == 0;
}

/* Why a program that is started with these variables may not be recorded. */
static enum link_reason reason_of(char *const *environment)
{
    bool preload = false, session = false, startup = false, is_reached = false;
    for (; environment && *environment; environment++) {
        const char *value;
        if ((value = value_of(*environment, "LD_PRELOAD=")))
            preload |= (is_reached = reaches_library(value)) || strstr(value, "libsonde-preload.so") != NULL;
        else if ((value = value_of(*environment, "SONDE_SESSION=")))
            session |= strcmp(value, session_folder) == 0;
        else if (value_of(*environment, "SONDE_STARTUP="))
            startup = true;
    }
    if (!preload || !session || !startup)
        return LINK_REASON_ENVIRONMENT;
    return is_reached ? LINK_REASON_UNKNOWN : LINK_REASON_FOLDER;
}

static void send_start(const struct start_notice *start)
{
    struct link_message message = {
        .kind = LINK_CHILD,
        .version = LINK_VERSION,
        .pid = start->pid,
        .image = start->image,
        .reason = start->reason,
        .text_bytes = (uint32_t)strnlen(start->path, LINK_TEXT_MAX),
    };
    struct descriptor known = connection;
    int fd = descriptor_get(&known);
    int own_fd = fd < 0 ? connect_to(session_folder) : -1;
    if (fd >= 0 || own_fd >= 0)
        (void)link_send(fd >= 0 ? fd : own_fd, &message, start->path);
    if (own_fd >= 0)
        close(own_fd);
}

void link_tell_child(int pid, const char *path, char *const *environment)
{
    /* Acquire: the folder is there. */
    if (!path || !*path || !atomic_load_explicit(&tells_children, memory_order_acquire))
        return;
    int saved_errno = errno;
    int who = pid ? pid : getpid();
    /* If it is this process it has a file already, and needs the next one. */
    bool has_file = who == atomic_load_explicit(&known_pid, memory_order_relaxed);
    struct start_notice start = {
        .pid = who,
        .image = has_file ? atomic_load_explicit(&known_image, memory_order_relaxed) + 1 : 0,
        .reason = reason_of(environment),
        .path = path,
    };
    /* A connection costs many times as much, and is there where all slots are taken, or there are none. */
    if (!quota_tell_start(session_quota, &start))
        send_start(&start);
    errno = saved_errno;
}
