#include "fake_recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

int fake_recorder_open(const char *folder)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_true(folder_fd >= 0);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" LINK_NAME, folder_fd);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 128), 0);
    close(folder_fd);
    return listener;
}

static bool is_ready(int fd, int patience_ms)
{
    struct pollfd poll_for = {.fd = fd, .events = POLLIN};
    int ready;
    /* The test itself is sampled. */
    do
        ready = poll(&poll_for, 1, patience_ms);
    while (ready < 0 && errno == EINTR);
    return ready == 1;
}

int fake_recorder_accept(int listener, int patience_ms)
{
    return is_ready(listener, patience_ms) ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
}

bool fake_recorder_receive(int fd, struct link_message *message, char text[LINK_TEXT_MAX + 1], int patience_ms)
{
    char packet[sizeof *message + LINK_TEXT_MAX];
    ssize_t length = is_ready(fd, patience_ms) ? recv(fd, packet, sizeof packet, MSG_DONTWAIT | MSG_TRUNC) : -1;
    if (length <= 0)
        return false;
    assert_in_range(length, sizeof *message, sizeof packet);
    memcpy(message, packet, sizeof *message);
    assert_int_equal(message->version, LINK_VERSION);
    assert_int_equal(message->text_bytes, (size_t)length - sizeof *message);
    if (text) {
        memcpy(text, packet + sizeof *message, message->text_bytes);
        text[message->text_bytes] = '\0';
    }
    return true;
}

void fake_recorder_send_state(int fd, uint32_t number, uint64_t limit_bytes, enum link_recording recording)
{
    struct link_message message = {
        .kind = LINK_STATE, .version = LINK_VERSION, .number = number, .limit_bytes = limit_bytes, .recording = recording};
    assert_int_equal(send(fd, &message, sizeof message, MSG_NOSIGNAL), sizeof message);
}
