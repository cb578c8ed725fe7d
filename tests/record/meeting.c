#include "meeting.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/count.h"
#include "support/session_draw.h"

static int begin_with(void **state, uint64_t limit)
{
    struct meeting *meeting = calloc(1, sizeof *meeting);
    struct error error = {0};
    session_folder_make(meeting->folder);
    struct coordinator_options options = {.folder = meeting->folder, .limit_bytes = limit, .interval_ns = 1000000};
    meeting->coordinator = coordinator_open(&options, &error);
    assert_non_null(meeting->coordinator);
    alarm(DEADLINE_SECONDS);
    *state = meeting;
    return 0;
}

int meeting_begin(void **state)
{
    return begin_with(state, LIMIT);
}

int meeting_begin_tight(void **state)
{
    return begin_with(state, TIGHT);
}

int meeting_end(void **state)
{
    struct meeting *meeting = *state;
    coordinator_close(meeting->coordinator);
    session_folder_remove(meeting->folder);
    alarm(0);
    free(meeting);
    return 0;
}

int connect_to(const char *folder)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/" LINK_NAME, folder);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

bool turn(struct meeting *meeting)
{
    bool goes_on = true;
    struct pollfd ready = {coordinator_fd(meeting->coordinator), POLLIN, 0};
    while (goes_on && poll(&ready, 1, 20) > 0)
        goes_on = coordinator_turn(meeting->coordinator);
    /* Those that are observed, too: a turn more than is due does no harm. */
    coordinator_look(meeting->coordinator);
    return goes_on;
}

struct coordinator_figures figures(const struct meeting *meeting)
{
    struct coordinator_figures figures;
    coordinator_figures(meeting->coordinator, &figures);
    return figures;
}

void say(int fd, struct link_message message, const char *text)
{
    char packet[sizeof message + LINK_TEXT_MAX];
    message.version = LINK_VERSION;
    message.text_bytes = (uint32_t)strlen(text);
    memcpy(packet, &message, sizeof message);
    memcpy(packet + sizeof message, text, message.text_bytes);
    (void)!send(fd, packet, sizeof message + message.text_bytes, MSG_NOSIGNAL);
}

bool hear(int fd, struct link_message *message)
{
    bool heard = false;
    while (recv(fd, message, sizeof *message, MSG_DONTWAIT) == sizeof *message)
        heard = true;
    return heard;
}

bool is_hung_up(int fd)
{
    char byte[1];
    ssize_t length;
    while ((length = recv(fd, byte, sizeof byte, MSG_DONTWAIT)) > 0)
        ;
    return length == 0 || errno == ECONNRESET;
}

void add_line(void *data, const char *line)
{
    struct lines *lines = data;
    assert_true(lines->count < (int)COUNT(lines->text));
    snprintf(lines->text[lines->count++], sizeof lines->text[0], "%s", line);
}

int join(struct meeting *meeting, int pid, uint32_t image)
{
    int fd = connect_to(meeting->folder);
    assert_true(fd >= 0);
    say(fd, (struct link_message){.kind = LINK_JOIN, .pid = pid, .image = image}, "");
    turn(meeting);
    return fd;
}
