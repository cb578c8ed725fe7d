#include "record/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_SECONDS = 10 };

static int connect_to(int folder, int *fd)
{
    struct sockaddr_un address;
    struct timeval wait = {.tv_sec = ANSWER_SECONDS};
    struct ucred peer;
    socklen_t size = sizeof peer;
    *fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (*fd < 0)
        return -errno;
    if (!link_address(folder, &address) || setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) != 0 ||
        setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) != 0 ||
        connect(*fd, (struct sockaddr *)&address, sizeof address) != 0)
        return errno == ENOENT ? -ECONNREFUSED : -errno;
    if (getsockopt(*fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())
        return -EPERM;
    return 0;
}

static int exchange(int fd, enum link_command command, struct control_answer *answer)
{
    struct link_message question = {.kind = LINK_COMMAND, .version = LINK_VERSION, .command = command};
    if (send(fd, &question, sizeof question, MSG_NOSIGNAL) < 0)
        return -errno;
    struct iovec parts[] = {{&answer->message, sizeof answer->message}, {answer->text, sizeof answer->text - 1}};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t length = recvmsg(fd, &header, 0);
    if (length < 0)
        return errno == EAGAIN ? -ETIMEDOUT : -errno;
    if (length < (ssize_t)sizeof answer->message || answer->message.kind != LINK_ANSWER)
        return length == 0 ? -ECONNREFUSED : -EPROTO;
    answer->text[(size_t)length - sizeof answer->message] = '\0';
    return answer->message.result;
}

int control_ask(const char *folder, enum link_command command, struct control_answer *answer, struct error *error)
{
    int folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
    if (folder_fd < 0)
        return error_set(error, -errno, "%s", strerror(errno));
    int failed = connect_to(folder_fd, &fd);
    if (!failed)
        failed = exchange(fd, command, answer);
    if (failed == -ECONNREFUSED)
        error_set(error, failed, "nobody records this session any more");
    else if (failed == -ETIMEDOUT || failed == -EAGAIN)
        error_set(error, -ETIMEDOUT, "its recorder does not answer");
    else if (failed)
        error_set(error, failed, "its recorder: %s", strerror(-failed));
    if (fd >= 0)
        close(fd);
    close(folder_fd);
    return error->code;
}
