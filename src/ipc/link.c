#include "ipc/link.h"

#include <stdio.h>
#include <sys/socket.h>

bool link_address(int folder, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    return snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/" LINK_NAME, folder) <
           (int)sizeof address->sun_path;
}

bool link_send(int fd, const struct link_message *message, const char *text)
{
    struct iovec parts[] = {{(void *)(uintptr_t)message, sizeof *message}, {(void *)(uintptr_t)text, message->text_bytes}};
    struct msghdr packet = {.msg_iov = parts, .msg_iovlen = message->text_bytes > 0 ? 2 : 1};
    return sendmsg(fd, &packet, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}
