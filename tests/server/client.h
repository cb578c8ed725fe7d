/* What talks to a server in tests, byte by byte. Whatever does not happen within a long time fails the test. */
#ifndef SONDE_TESTS_SERVER_CLIENT_H
#define SONDE_TESTS_SERVER_CLIENT_H

#include "common/text_buffer.h"
#include "server/server.h"

int client_connect(const struct server *server);
void client_send(int fd, const char *text);

/* A request up to the end of its headers, with these besides. `start` is method and path, where `%s` is the token. */
void client_send_head(const struct server *server, int fd, const char *start, const char *headers);

void client_wait_until_readable(int fd);

/* The first bytes of a reply. */
void client_assert_reply(int fd, const char *expected);

/* It is closed by the server, after whatever it has sent. */
void client_assert_closed(int fd);

/* A whole reply, on a connection of its own. */
void client_fetch(const struct server *server, const char *start, const char *headers, struct text_buffer *reply);

#endif
