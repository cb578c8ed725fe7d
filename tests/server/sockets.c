/* WebSockets whose other end is a pair of ours, and whose messages are answered when a test wants it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/sockets.h"
#include "server/websocket_frame.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DEADLINE_MS = 60000, MANY = 100000 };

static struct sockets sockets;
static struct work_queue queue, look_queue;
static sem_t begun, may_end, may_look;
static _Atomic bool looked;
static bool waits; /* for `may_end` before each answer */
static struct text_buffer buffered;

/* In place of libmicrohttpd's: the handle is the descriptor. */
static enum MHD_Result close_handle(struct MHD_UpgradeResponseHandle *handle, enum MHD_UpgradeAction action, ...)
{
    assert_int_equal(action, MHD_UPGRADE_ACTION_CLOSE);
    close((int)(intptr_t)handle - 1);
    return MHD_YES;
}

/* The message itself, or for "long" a lot. */
static int answer(void *data, struct slice message, struct text_buffer *reply)
{
    (void)data;
    sem_post(&begun);
    if (waits)
        sem_wait(&may_end);
    if (slice_is(message, "fail"))
        return -ENOMEM;
    if (slice_is(message, "look") && !looked)
        return -EAGAIN;
    text_add(reply, message);
    for (size_t i = 0; slice_is(message, "long") && i < MANY; i++)
        text_add(reply, SLICE("0123456789"));
    return 0;
}

static void look(void *data)
{
    (void)data;
    sem_wait(&may_look);
    looked = true;
}

static const struct socket_service service = {&queue, answer, &look_queue, look, NULL};

static void start(size_t queued_bytes, unsigned patience_ms, bool waiting)
{
    struct error error = {0};
    mhd.upgrade_action = close_handle;
    waits = waiting;
    sem_init(&begun, 0, 0);
    sem_init(&may_end, 0, 0);
    sem_init(&may_look, 0, 0);
    looked = false;
    assert_int_equal(work_start(&queue, 1, &error), 0);
    assert_int_equal(work_start(&look_queue, 1, &error), 0);
    assert_int_equal(sockets_start(&sockets, (struct socket_limits){queued_bytes, patience_ms}, &error), 0);
}

static void stop(void)
{
    sockets_end(&sockets);
    assert_true(work_end(&queue, DEADLINE_MS));
    assert_true(work_end(&look_queue, DEADLINE_MS));
    sockets_free(&sockets);
    work_free(&queue);
    work_free(&look_queue);
    text_free(&buffered);
}

/* The client's end of a new one. */
static int connect_with(struct slice early)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    sockets_add(&sockets, ends[1], (void *)(intptr_t)(ends[1] + 1), early, &service);
    return ends[0];
}

static void send_frame(int fd, enum websocket_opcode opcode, struct slice payload)
{
    char frame[200];
    assert_true(payload.length <= WEBSOCKET_CONTROL_MOST);
    frame[0] = (char)(0x80 | (int)opcode);
    frame[1] = (char)(0x80 | (int)payload.length);
    memset(frame + 2, 0, 4);
    memcpy(frame + 6, payload.text, payload.length);
    assert_int_equal(send(fd, frame, 6 + payload.length, MSG_NOSIGNAL), (ssize_t)(6 + payload.length));
}

static void read_bytes(int fd, void *bytes, size_t count)
{
    for (size_t have = 0; have < count;) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        if (poll(&poll_fd, 1, DEADLINE_MS) != 1)
            fail_msg("nothing came");
        ssize_t got = read(fd, (char *)bytes + have, count - have);
        if (got <= 0)
            fail_msg("closed");
        have += (size_t)got;
    }
}

/* The next frame; its payload lives until the next call. */
static enum websocket_opcode read_frame(int fd, struct slice *payload)
{
    unsigned char head[10];
    read_bytes(fd, head, 2);
    assert_int_equal(head[0] & 0xf0, 0x80);
    assert_true(head[1] <= 127);
    size_t length = head[1], more = length == 126 ? 2 : length == 127 ? 8 : 0;
    read_bytes(fd, head + 2, more);
    for (size_t i = 0; i < more; i++)
        length = (i ? length << 8 : 0) | head[2 + i];
    text_free(&buffered);
    assert_true(vec_reserve(&buffered.bytes, length + 1));
    read_bytes(fd, buffered.bytes.items, length);
    buffered.bytes.count = length;
    *payload = text_slice(&buffered);
    return (enum websocket_opcode)(head[0] & 15);
}

static void assert_frame(int fd, enum websocket_opcode opcode, struct slice expected)
{
    struct slice payload;
    assert_int_equal(read_frame(fd, &payload), opcode);
    if (!slice_equal(payload, expected))
        fail_msg("'%.*s' came, not '%.*s'", (int)payload.length, payload.text, (int)expected.length, expected.text);
}

/* After whatever was sent before. */
static void assert_closed(int fd)
{
    char bytes[65536];
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    do {
        if (poll(&poll_fd, 1, DEADLINE_MS) != 1)
            fail_msg("not closed");
    } while (read(fd, bytes, sizeof bytes) > 0);
    close(fd);
}

/* ---- */

static void messages_are_answered_in_order(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, false);
    /* One that came together with the handshake. */
    int fd = connect_with(SLICE("\x81\x85\0\0\0\0early"));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("one"));
    send_frame(fd, WEBSOCKET_BINARY, SLICE("two"));
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("early"));
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("one"));
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("two"));
    close(fd);
    stop();
}

static void what_waits_is_replaced_by_the_next_of_its_lane(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, true);
    int fd = connect_with(SLICE(""));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("{\"seq\":1,\"lane\":\"rows\"}"));
    sem_wait(&begun); /* it is worked on, and stays */
    send_frame(fd, WEBSOCKET_TEXT, SLICE("{\"seq\":2,\"lane\":\"rows\"}"));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("{\"seq\":3,\"lane\":\"tracks\"}"));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("{\"seq\":4}"));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("{\"seq\":5,\"lane\":\"rows\"}"));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("{\"seq\":6}"));
    send_frame(fd, WEBSOCKET_PING, SLICE("all taken?"));
    assert_frame(fd, WEBSOCKET_PONG, SLICE("all taken?"));
    for (size_t i = 0; i < 5; i++)
        sem_post(&may_end);
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("{\"seq\":1,\"lane\":\"rows\"}"));
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("{\"seq\":5,\"lane\":\"rows\"}"));
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("{\"seq\":3,\"lane\":\"tracks\"}"));
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("{\"seq\":4}"));
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("{\"seq\":6}"));
    close(fd);
    stop();
}

static void what_is_looked_for_holds_up_no_other_message(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, false);
    int fd = connect_with(SLICE(""));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("look"));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("other"));
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("other"));
    sem_post(&may_look);
    assert_frame(fd, WEBSOCKET_BINARY, SLICE("look"));
    close(fd);
    stop();
}

static void lanes_of_others_are_their_own(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, true);
    int one = connect_with(SLICE("")), other = connect_with(SLICE(""));
    send_frame(one, WEBSOCKET_TEXT, SLICE("wait"));
    sem_wait(&begun);
    send_frame(one, WEBSOCKET_TEXT, SLICE("{\"seq\":1,\"lane\":\"rows\"}"));
    send_frame(other, WEBSOCKET_TEXT, SLICE("{\"seq\":2,\"lane\":\"rows\"}"));
    for (size_t i = 0; i < 3; i++)
        sem_post(&may_end);
    assert_frame(one, WEBSOCKET_BINARY, SLICE("wait"));
    assert_frame(one, WEBSOCKET_BINARY, SLICE("{\"seq\":1,\"lane\":\"rows\"}"));
    assert_frame(other, WEBSOCKET_BINARY, SLICE("{\"seq\":2,\"lane\":\"rows\"}"));
    close(one);
    close(other);
    stop();
}

static void a_client_that_does_not_read_is_closed(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, false);
    int fd = connect_with(SLICE("")), reader = connect_with(SLICE(""));
    /* The first is larger than what is queued, and goes as far as it can; the next is too much. */
    send_frame(fd, WEBSOCKET_TEXT, SLICE("long"));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("long"));
    sem_wait(&begun);
    sem_wait(&begun);
    send_frame(reader, WEBSOCKET_TEXT, SLICE("short"));
    assert_frame(reader, WEBSOCKET_BINARY, SLICE("short"));
    assert_closed(fd);
    close(reader);
    stop();
}

static void a_client_that_stops_reading_is_closed_some_time_later(void **state)
{
    (void)state;
    start(SIZE_MAX, 50, false);
    int fd = connect_with(SLICE(""));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("long"));
    /* Nothing is read until it is too late. */
    struct pollfd poll_fd = {.fd = fd, .events = 0};
    assert_int_equal(poll(&poll_fd, 1, DEADLINE_MS), 1);
    assert_true(poll_fd.revents & POLLHUP);
    assert_closed(fd);
    stop();
}

static void a_client_that_says_goodbye_is_answered(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, false);
    int fd = connect_with(SLICE(""));
    send_frame(fd, WEBSOCKET_CLOSE, SLICE("\x0f\xa0see you"));
    send_frame(fd, WEBSOCKET_TEXT, SLICE("not answered"));
    assert_frame(fd, WEBSOCKET_CLOSE, SLICE("\x0f\xa0"));
    assert_closed(fd);
    stop();
}

static void what_is_no_frame_closes_with_the_reason(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, false);
    static const struct {
        struct slice bytes, close;
    } wrong[] = {
        {SLICE("\x81\x01x"), SLICE("\x03\xea")},
        {SLICE("\x81\x81\0\0\0\0\xff"), SLICE("\x03\xef")},
        {SLICE("\x81\xff\0\0\0\0\0\x50\0\x01\0\0\0\0"), SLICE("\x03\xf1")},
        {SLICE("\x81\x84\0\0\0\0fail"), SLICE("\x03\xf3")},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int fd = connect_with(SLICE(""));
        assert_int_equal(write(fd, wrong[i].bytes.text, wrong[i].bytes.length), (ssize_t)wrong[i].bytes.length);
        assert_frame(fd, WEBSOCKET_CLOSE, wrong[i].close);
        assert_closed(fd);
    }
    stop();
}

static void there_is_place_for_four(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, false);
    int fds[SOCKETS_MOST];
    for (size_t i = 0; i < SOCKETS_MOST; i++) {
        assert_true(sockets_has_place(&sockets));
        fds[i] = connect_with(SLICE(""));
    }
    assert_false(sockets_has_place(&sockets));
    assert_closed(connect_with(SLICE("")));
    sockets_push(&sockets, SLICE("{\"event\": \"test\"}"));
    for (size_t i = 0; i < SOCKETS_MOST; i++)
        assert_frame(fds[i], WEBSOCKET_TEXT, SLICE("{\"event\": \"test\"}"));
    close(fds[2]);
    while (!sockets_has_place(&sockets))
        usleep(1000);
    for (size_t i = 0; i < SOCKETS_MOST; i++)
        if (i != 2)
            close(fds[i]);
    stop();
}

static void the_end_is_said(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, false);
    int fd = connect_with(SLICE(""));
    sockets_end(&sockets);
    assert_frame(fd, WEBSOCKET_TEXT, SLICE("{\"event\": \"bye\"}"));
    assert_frame(fd, WEBSOCKET_CLOSE, SLICE("\x03\xe9"));
    assert_closed(fd);
    assert_closed(connect_with(SLICE("")));
    assert_true(work_end(&queue, DEADLINE_MS));
    assert_true(work_end(&look_queue, DEADLINE_MS));
    sockets_free(&sockets);
    work_free(&queue);
    work_free(&look_queue);
    text_free(&buffered);
}

static void it_ends_while_asks_run_and_wait(void **state)
{
    (void)state;
    start(MANY, DEADLINE_MS, true);
    int gone = connect_with(SLICE("")), there = connect_with(SLICE(""));
    send_frame(there, WEBSOCKET_TEXT, SLICE("{\"lane\":\"a\"}"));
    sem_wait(&begun);
    send_frame(there, WEBSOCKET_TEXT, SLICE("waits"));
    send_frame(gone, WEBSOCKET_TEXT, SLICE("waits"));
    close(gone);
    sockets_end(&sockets);
    assert_false(work_end(&queue, 1));
    sem_post(&may_end);
    assert_true(work_end(&queue, DEADLINE_MS));
    assert_true(work_end(&look_queue, DEADLINE_MS));
    sockets_free(&sockets);
    work_free(&queue);
    work_free(&look_queue);
    assert_closed(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_answered_in_order),
        cmocka_unit_test(what_waits_is_replaced_by_the_next_of_its_lane),
        cmocka_unit_test(what_is_looked_for_holds_up_no_other_message),
        cmocka_unit_test(lanes_of_others_are_their_own),
        cmocka_unit_test(a_client_that_does_not_read_is_closed),
        cmocka_unit_test(a_client_that_stops_reading_is_closed_some_time_later),
        cmocka_unit_test(a_client_that_says_goodbye_is_answered),
        cmocka_unit_test(what_is_no_frame_closes_with_the_reason),
        cmocka_unit_test(there_is_place_for_four),
        cmocka_unit_test(the_end_is_said),
        cmocka_unit_test(it_ends_while_asks_run_and_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
