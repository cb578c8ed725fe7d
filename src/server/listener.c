#include "server/listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 128, MOST_TRIES = 20 };

/* A socket that listens there, or a negative errno. */
static int listen_at(const struct sockaddr *address, socklen_t length)
{
    static const int one = 1;
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    /* A server that was just ended does not keep its port; one that runs does. */
    bool ready = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
                 (address->sa_family != AF_INET6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one) == 0) &&
                 bind(fd, address, length) == 0 && listen(fd, BACKLOG) == 0;
    int code = -errno;
    if (ready)
        return fd;
    close(fd);
    return code;
}

static int listen_ipv4(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return listen_at((const struct sockaddr *)&address, sizeof address);
}

static int listen_ipv6(uint16_t port)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    return listen_at((const struct sockaddr *)&address, sizeof address);
}

static uint16_t port_of(int fd)
{
    struct sockaddr_in address = {0};
    socklen_t length = sizeof address;
    return getsockname(fd, (struct sockaddr *)&address, &length) == 0 ? ntohs(address.sin_port) : 0;
}

int listener_open(uint16_t port, struct listener *listener, struct error *error)
{
    int code = -EADDRINUSE;
    /* A port that is free for one may be taken for the other; `localhost` must not lead to somebody else. */
    for (int tries = 0; code == -EADDRINUSE && tries < (port ? 1 : MOST_TRIES); tries++) {
        code = listener->ipv4 = listen_ipv4(port);
        if (code < 0)
            break;
        listener->port = port_of(listener->ipv4);
        code = listener->ipv6 = listen_ipv6(listener->port);
        if (code == -EADDRINUSE) {
            close(listener->ipv4);
            listener->ipv4 = -1;
        }
    }
    if (code == -EADDRINUSE && port == 0)
        return error_set(error, code, "no port is free for both 127.0.0.1 and ::1");
    if (code == -EADDRINUSE)
        return error_set(error, code, "port %u is taken: another program listens there", port);
    if (listener->ipv4 < 0)
        return error_set(error, code, "cannot listen on 127.0.0.1, port %u: %s", port, error_text(-code));
    if (listener->ipv6 < 0)
        listener->ipv6 = -1;
    return 0;
}

void listener_close(struct listener *listener)
{
    if (listener->ipv4 >= 0)
        close(listener->ipv4);
    if (listener->ipv6 >= 0)
        close(listener->ipv6);
    listener->ipv4 = listener->ipv6 = -1;
}
