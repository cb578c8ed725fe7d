/* Connections that take too long, hold too much, or are too many; and a server whose end comes while they are open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROFILE_BYTES = 16 << 20 };

static const struct symbol_search search = {.debug_folder = "/nowhere"};
static const struct source_search sources;
static const struct api_module module = {{"[vdso]", 6}, {"[vdso]", 6}, {"[vdso]", 6}, {"", 0}, {"", 0}};
static const struct symbol_api symbols = {&search, &sources, &module, 1, 0};
static struct site site;
static int profile = -1;

static int duplicate(void *data, struct error *error)
{
    (void)data, (void)error;
    return dup(profile);
}

static const struct opened_profile opened = {.symbols = &symbols};
static const struct profile_listing listing = {.name = "test", .opened = &opened, .pack = duplicate};

static struct server *start(struct server_limits limits)
{
    struct error error = {0};
    if (profile < 0) {
        /* More than sockets hold. */
        profile = memfd_create("profile", MFD_CLOEXEC);
        assert_int_equal(ftruncate(profile, PROFILE_BYTES), 0);
        assert_int_equal(site_parse(SLICE(SITE_USUAL), &site, &error), 0);
    }
    struct server_options options = {.profiles = &listing, .profile_count = 1, .site = &site, .limits = limits};
    struct server *server = server_start(&options, &error);
    if (!server)
        fail_msg("%s", error.message);
    return server;
}

static void assert_serves(const struct server *server)
{
    int fd = client_connect(server);
    client_send_head(server, fd, "GET /%s/profile.json.gz", "");
    client_assert_reply(fd, "HTTP/1.1 200 OK\r\n");
    close(fd);
}

static struct server_limits limits(unsigned connections, unsigned request_ms, unsigned idle_seconds, size_t body_bytes)
{
    return (struct server_limits){connections, request_ms, idle_seconds, body_bytes, 1000};
}

static void a_request_that_takes_too_long_is_cut_off(void **state)
{
    (void)state;
    struct server *server = start(limits(20, 100, 60, 1000));
    int silent = client_connect(server), half = client_connect(server), body = client_connect(server);
    client_send(half, "GET /profile");
    client_send_head(server, body, "POST /%s/asm/v1", "Content-Length: 100\r\n");
    client_send(body, "{");
    client_assert_closed(silent);
    client_assert_closed(half);
    client_assert_closed(body);
    assert_true(server_stop(server));
}

static void an_answer_that_nobody_fetches_holds_up_no_other(void **state)
{
    (void)state;
    struct server *server = start(limits(20, 60000, 60, 1000));
    int fd = client_connect(server);
    client_send_head(server, fd, "GET /%s/profile.json.gz", "");
    client_wait_until_readable(fd);
    assert_serves(server);
    close(fd);
    assert_true(server_stop(server));
}

static void an_answer_that_nobody_fetches_is_given_up(void **state)
{
    (void)state;
    struct server *server = start(limits(1, 60000, 1, 1000));
    int fd = client_connect(server);
    client_send_head(server, fd, "GET /%s/profile.json.gz", "");
    client_wait_until_readable(fd);
    /* There is place for one connection: until then this one waits. */
    assert_serves(server);
    close(fd);
    assert_true(server_stop(server));
}

static void an_answer_may_take_longer_than_a_connection_may_be_idle(void **state)
{
    (void)state;
    enum { STACKS = 1300, FRAMES = 3000, MOST = 64 << 20 };
    struct server *server = start(limits(20, 60000, 1, MOST));
    /* This keeps it busy for more than a second, mostly. */
    char *body = malloc(MOST), *end = body, length[40];
    end += sprintf(end, "{\"memoryMap\":[[\"[vdso]\",\"AB0\"]],\"stacks\":[");
    for (size_t i = 0; i < STACKS; i++) {
        *end++ = i > 0 ? ',' : ' ';
        for (size_t k = 0; k < FRAMES; k++)
            end += sprintf(end, "%c[0,%zu]", k > 0 ? ',' : '[', 1000 + k);
        *end++ = ']';
    }
    strcpy(end, "]}");
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
    int fd = client_connect(server);
    client_send_head(server, fd, "POST /%s/symbolicate/v5", length);
    client_send(fd, body);
    client_assert_reply(fd, "HTTP/1.1 200 OK\r\n");
    free(body);
    close(fd);
    assert_true(server_stop(server));
}

static void when_there_are_many_those_that_waited_longest_make_place(void **state)
{
    (void)state;
    enum { MANY = 100 };
    struct server *server = start(limits(20, 600000, 600, 1000));
    int idle[MANY];
    for (size_t i = 0; i < MANY; i++)
        idle[i] = client_connect(server);
    assert_serves(server);
    client_assert_closed(idle[0]);
    for (size_t i = 1; i < MANY; i++)
        close(idle[i]);
    assert_true(server_stop(server));
}

static void bodies_have_a_limit_together(void **state)
{
    (void)state;
    struct server *server = start(limits(20, 60000, 60, 1000));
    int first = client_connect(server), second = client_connect(server);
    client_send_head(server, first, "POST /%s/asm/v1", "Content-Length: 600\r\nExpect: 100-continue\r\n");
    client_assert_reply(first, "HTTP/1.1 100 Continue\r\n");
    client_send_head(server, second, "POST /%s/asm/v1", "Content-Length: 600\r\n");
    client_assert_reply(second, "HTTP/1.1 503 ");
    client_assert_closed(second);
    /* What is refused or given up counts no more. */
    close(first);
    for (bool taken = false; !taken;) {
        char start[12] = "";
        int third = client_connect(server);
        client_send_head(server, third, "POST /%s/asm/v1", "Content-Length: 600\r\nExpect: 100-continue\r\n");
        client_wait_until_readable(third);
        assert_int_equal(recv(third, start, sizeof start, MSG_WAITALL), sizeof start);
        taken = memcmp(start, "HTTP/1.1 100", sizeof start) == 0;
        close(third);
    }
    assert_true(server_stop(server));
}

static void a_WebSocket_may_be_silent_for_as_long_as_it_wants(void **state)
{
    (void)state;
    char headers[500];
    struct server *server = start(limits(20, 100, 1, 1000));
    snprintf(headers, sizeof headers,
             "Origin: http://127.0.0.1:%u\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sonde.v1, token.%s\r\n",
             server_port(server), server_token(server)->text);
    int fd = client_connect(server), silent = client_connect(server);
    client_send_head(server, fd, "GET /api/v1/socket", headers);
    client_assert_reply(fd, "HTTP/1.1 101 Switching Protocols\r\n");
    /* One that came later, and sends nothing, is closed before. */
    client_assert_closed(silent);
    usleep(1500000);
    client_send(fd, "\x89\x84\1\1\1\1qqqq");
    char bytes[2000] = "";
    for (size_t length = 0; !memmem(bytes, length, "\x8a\x04pppp", 6);) {
        client_wait_until_readable(fd);
        ssize_t got = recv(fd, bytes + length, sizeof bytes - length, 0);
        assert_true(got > 0);
        length += (size_t)got;
    }
    server_push(server, SLICE("{}"));
    client_assert_reply(fd, "\x81\x02{}");
    assert_true(server_stop(server));
    client_assert_closed(fd);
}

static void it_ends_with_connections_in_every_state(void **state)
{
    (void)state;
    struct server *server = start(SERVER_LIMITS);
    int silent = client_connect(server), half = client_connect(server), body = client_connect(server),
        unread = client_connect(server);
    int asking[8];
    client_send(half, "GET /profile");
    client_send_head(server, body, "POST /%s/asm/v1", "Content-Length: 100\r\n");
    client_send_head(server, unread, "GET /%s/profile.json.gz", "");
    for (size_t i = 0; i < 8; i++) {
        asking[i] = client_connect(server);
        client_send_head(server, asking[i], "POST /%s/symbolicate/v5", "Content-Length: 59\r\n");
        client_send(asking[i], "{\"memoryMap\":[[\"[vdso]\",\"AB0\"]],\"stacks\":[[[0,16],[0,32]]]}");
    }
    assert_true(server_stop(server));
    client_assert_closed(silent);
    client_assert_closed(half);
    client_assert_closed(body);
    client_assert_closed(unread);
    for (size_t i = 0; i < 8; i++)
        client_assert_closed(asking[i]);
}

static void symbols_are_asked_for_by_many_at_once(void **state)
{
    (void)state;
    enum { MANY = 16 };
    struct server *server = start(SERVER_LIMITS);
    int asking[MANY];
    for (size_t round = 0; round < 4; round++) {
        for (size_t i = 0; i < MANY; i++) {
            asking[i] = client_connect(server);
            client_send_head(server, asking[i], "POST /%s/asm/v1", "Content-Length: 55\r\nConnection: close\r\n");
            client_send(asking[i], "{\"name\":\"[vdso]\",\"startAddress\":\"0x600\",\"size\":\"0x100\"}");
        }
        for (size_t i = 0; i < MANY; i++) {
            client_assert_reply(asking[i], "HTTP/1.1 200 OK\r\n");
            client_assert_closed(asking[i]);
        }
    }
    assert_true(server_stop(server));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_that_takes_too_long_is_cut_off),
        cmocka_unit_test(an_answer_that_nobody_fetches_holds_up_no_other),
        cmocka_unit_test(an_answer_that_nobody_fetches_is_given_up),
        cmocka_unit_test(an_answer_may_take_longer_than_a_connection_may_be_idle),
        cmocka_unit_test(when_there_are_many_those_that_waited_longest_make_place),
        cmocka_unit_test(bodies_have_a_limit_together),
        cmocka_unit_test(a_WebSocket_may_be_silent_for_as_long_as_it_wants),
        cmocka_unit_test(it_ends_with_connections_in_every_state),
        cmocka_unit_test(symbols_are_asked_for_by_many_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
