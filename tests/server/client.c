#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DEADLINE_MS = 60000 };

int client_connect(const struct server *server)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(server_port(server)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

void client_send(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

void client_send_head(const struct server *server, int fd, const char *start, const char *headers)
{
    char text[1000];
    snprintf(text, sizeof text, start, server_token(server)->text);
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, " HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%s\r\n", server_port(server), headers);
    client_send(fd, text);
}

void client_wait_until_readable(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    if (poll(&poll_fd, 1, DEADLINE_MS) != 1)
        fail_msg("nothing came");
}

void client_assert_reply(int fd, const char *expected)
{
    char text[100] = "";
    size_t length = 0;
    while (length < strlen(expected)) {
        client_wait_until_readable(fd);
        ssize_t got = recv(fd, text + length, strlen(expected) - length, 0);
        if (got <= 0)
            fail_msg("closed after '%s'", text);
        length += (size_t)got;
    }
    assert_string_equal(text, expected);
}

void client_assert_closed(int fd)
{
    char bytes[4096];
    ssize_t got;
    do {
        client_wait_until_readable(fd);
        got = recv(fd, bytes, sizeof bytes, 0);
    } while (got > 0);
    assert_true(got == 0 || errno == ECONNRESET);
    close(fd);
}

void client_fetch(const struct server *server, const char *start, const char *headers, struct text_buffer *reply)
{
    char bytes[4096], all[500];
    int fd = client_connect(server);
    snprintf(all, sizeof all, "Connection: close\r\n%s", headers);
    client_send_head(server, fd, start, all);
    for (ssize_t got = 1; got > 0;) {
        client_wait_until_readable(fd);
        got = recv(fd, bytes, sizeof bytes, 0);
        if (got > 0)
            text_add(reply, (struct slice){bytes, (size_t)got});
    }
    close(fd);
}
