/* Sockets that only this machine can reach: 127.0.0.1 and, where there is IPv6, ::1, at the same port. */
#ifndef SONDE_SERVER_LISTENER_H
#define SONDE_SERVER_LISTENER_H

#include "common/error.h"

#include <stdint.h>

struct listener {
    int ipv4, ipv6; /* -1 = none */
    uint16_t port;
};

/* `port` 0 = one that is free. */
int listener_open(uint16_t port, struct listener *listener, struct error *error);
void listener_close(struct listener *listener);

#endif
