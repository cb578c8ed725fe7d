/* What a server answers to the key of a client that wants a WebSocket (RFC 6455, 4.2.2): it shows that it knows the protocol,
 * and is no secret. */
#ifndef SONDE_SERVER_WEBSOCKET_ACCEPT_H
#define SONDE_SERVER_WEBSOCKET_ACCEPT_H

#include "common/slice.h"

enum { WEBSOCKET_KEY_LENGTH = 24, WEBSOCKET_ACCEPT_LENGTH = 28 };

/* Whether it is 16 bytes in base64. */
bool websocket_is_key(struct slice key);

/* For a key that is one. */
void websocket_accept(struct slice key, char accept[WEBSOCKET_ACCEPT_LENGTH + 1]);

#endif
