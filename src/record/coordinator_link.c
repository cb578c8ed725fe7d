/* The socket of the coordinator: who connects, what members say and what they are told. */
#include "record/coordinator_private.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    MEMBERS_MOST = 4096,
    PACKETS_AT_ONCE = 16, /* of one member: the others have a turn, too */
    ACCEPTS_AT_ONCE = 64,
};
static const uint64_t silence_ns = 5000000000; /* that is allowed before the first message */

/* ---- listening ---- */

bool coordinator_listen(struct coordinator *coordinator)
{
    struct sockaddr_un address;
    coordinator->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (coordinator->listener < 0 || !link_address(coordinator->folder, &address))
        return false;
    /* Left by a recorder that was killed. */
    (void)unlinkat(coordinator->folder, LINK_NAME, 0);
    mode_t mask = umask(0177);
    bool bound = bind(coordinator->listener, (struct sockaddr *)&address, sizeof address) == 0;
    umask(mask);
    return bound && listen(coordinator->listener, MEMBERS_MOST) == 0;
}

/* ---- what members are told ---- */

void coordinator_send_states(struct coordinator *coordinator)
{
    struct members *members = &coordinator->members;
    for (size_t i = 0; i < members->list.count; i++) {
        struct member *member = members->list.items[i];
        if (member->role != MEMBER_JOINED || !(member->share.to_tell || member->answer_due))
            continue;
        struct link_message state = members_state(members, member);
        /* One that does not read has its queue full, and gets the latest when it has read. */
        if (link_send(member->fd, &state, ""))
            member->share.to_tell = member->answer_due = false;
    }
}

static void answer_command(struct coordinator *coordinator, struct member *member)
{
    char text[LINK_TEXT_MAX] = "";
    struct link_message answer = {.kind = LINK_ANSWER, .version = LINK_VERSION, .command = member->command};
    switch (member->command) {
    case LINK_COMMAND_STATUS:
        answer.text_bytes = (uint32_t)coordinator_put_status(coordinator, text, sizeof text);
        break;
    case LINK_COMMAND_PAUSE:
    case LINK_COMMAND_RESUME:
        quota_set_paused(coordinator->quota, member->command == LINK_COMMAND_PAUSE);
        observer_pause(coordinator->observer, member->command == LINK_COMMAND_PAUSE, coordinator_now());
        members_tell(&coordinator->members, member->command == LINK_COMMAND_PAUSE ? LINK_PAUSE : LINK_RECORD);
        break;
    case LINK_COMMAND_STOP:
    case LINK_COMMAND_DUMP:
        coordinator->stop_asked = member->command == LINK_COMMAND_STOP;
        break;
    }
    answer.recording = coordinator->members.recording;
    member->command = 0;
    (void)link_send(member->fd, &answer, text);
}

/* ---- what members say ---- */

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
            !members_receive(&coordinator->members, member, coordinator->packet, (size_t)length, coordinator_now())) {
            coordinator->members.refused++;
            return false;
        }
    }
    return true;
}

void coordinator_receive(struct coordinator *coordinator, struct member *member)
{
    bool stays = read_packets(coordinator, member);
    if (stays && member->role == MEMBER_COMMANDS && member->command != 0)
        answer_command(coordinator, member);
    coordinator_observe(coordinator, member);
    if (stays && !member->is_watched)
        stays = member->is_watched = coordinator_watch(coordinator, member->fd, member);
    if (!stays)
        hang_up(coordinator, member);
}

void coordinator_drop_silent(struct coordinator *coordinator, uint64_t now)
{
    struct members *members = &coordinator->members;
    for (size_t i = members->list.count; i-- > 0;)
        if (members->list.items[i]->role == MEMBER_CONNECTED && now - members->list.items[i]->since_ns > silence_ns) {
            members->refused++;
            hang_up(coordinator, members->list.items[i]);
        }
}

/* ---- who connects ---- */

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

void coordinator_set_accepting(struct coordinator *coordinator, bool accepting)
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

void coordinator_accept(struct coordinator *coordinator)
{
    struct members *members = &coordinator->members;
    if (coordinator->files_most == 0)
        coordinator->files_most = allow_more_files();
    for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
        if (members->list.count >= coordinator->files_most) {
            coordinator_set_accepting(coordinator, false);
            return;
        }
        int pid, fd = accept4(coordinator->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE)
                coordinator_set_accepting(coordinator, false);
            return;
        }
        struct member *member = is_one_of_us(fd, &pid) ? members_add(members, pid, coordinator_now()) : NULL;
        if (!member) {
            close(fd);
            members->refused++;
            continue;
        }
        member->fd = fd;
        coordinator->newcomers++;
        /* Most have said all by now, and many have ended: those need not be watched. */
        coordinator_receive(coordinator, member);
    }
}
