#include "capture/syscall_file.h"

#include "capture/own_files.h"
#include "session/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINE_ROOM = 256, WORDS_IN_CALL = 9, WORDS_OUTSIDE = 3, HIGH_ENOUGH = 4096, LEAVE_ABOVE = 8 };

/* --- the line ------------------------------------------------------------------------------------------------------------ */

/* A decimal number with sign, or a hexadecimal one with 0x. Moves *text behind it; false where there is none. */
static bool take_word(const char **text, uint64_t *word)
{
    const char *at = *text;
    bool negative = *at == '-';
    at += negative;
    unsigned base = 10;
    if (at[0] == '0' && at[1] == 'x') {
        base = 16;
        at += 2;
    }
    uint64_t value = 0;
    const char *start = at;
    for (;; at++) {
        unsigned digit = *at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
                         : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10
                                                    : base;
        if (digit >= base)
            break;
        value = value * base + digit;
    }
    *word = negative ? 0 - value : value;
    *text = at;
    return at != start;
}

bool syscall_place_parse(const char *text, struct syscall_place *place)
{
    uint64_t words[WORDS_IN_CALL];
    unsigned count = 0;
    while (count < WORDS_IN_CALL && take_word(&text, &words[count])) {
        count++;
        if (*text == ' ')
            text++;
    }
    if (*text != '\n' || (count != WORDS_IN_CALL && count != WORDS_OUTSIDE))
        return false;
    *place = (struct syscall_place){(int64_t)words[0], words[count - 2], words[count - 1]};
    return (place->number >= 0) == (count == WORDS_IN_CALL);
}

bool syscall_waits_for_signals(int64_t number)
{
    switch (number) {
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
#ifdef SYS_pause
    case SYS_pause:
#endif
#ifdef SYS_vfork
    case SYS_vfork:
#endif
        return true;
    default:
        return false;
    }
}

bool syscall_may_have_limit(int64_t number)
{
    switch (number) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
    case SYS_futex:
    case SYS_semtimedop:
    case SYS_recvmmsg:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
#ifdef SYS_poll
    case SYS_poll:
    case SYS_select:
    case SYS_epoll_wait:
#endif
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
        return true;
    default:
        return false;
    }
}

/* --- the file ------------------------------------------------------------------------------------------------------------ */

static int open_low(pid_t tid)
{
    /* That of the first thread is also here, two folders less deep: the kernel makes each of them for who looks into it. */
    if (tid == getpid())
        return open("/proc/self/syscall", O_RDONLY | O_CLOEXEC);
    char path[64] = "/proc/self/task/", digits[16];
    size_t length = strlen(path), count = 0;
    for (unsigned rest = (unsigned)tid; rest || !count; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    while (count)
        path[length++] = digits[--count];
    memcpy(path + length, "/syscall", sizeof "/syscall");
    return open(path, O_RDONLY | O_CLOEXEC);
}

int syscall_file_open(pid_t tid)
{
    int saved_errno = errno, moved = -1;
    struct rlimit limit;
    int fd = open_low(tid);
    if (fd >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        /* From the upper quarter of what the program may have, where few come; the very last ones are left to it. Not higher
         * than needed: the kernel has a table up to the highest one, and every fork copies it. That of the first thread, which
         * in most processes is the only one, lies with the other files of ours. */
        rlim_t high = limit.rlim_cur < HIGH_ENOUGH ? limit.rlim_cur : HIGH_ENOUGH, lowest = high - high / 4;
        if (tid == getpid() && lowest > DESCRIPTOR_LOWEST)
            lowest = DESCRIPTOR_LOWEST;
        moved = fcntl(fd, F_DUPFD_CLOEXEC, (int)lowest);
        if (moved >= 0 && (rlim_t)moved + LEAVE_ABOVE >= limit.rlim_cur) {
            close(moved);
            moved = -1;
        }
    }
    if (fd >= 0)
        close(fd);
    own_file_add(moved);
    errno = saved_errno;
    return moved;
}

void syscall_file_close(int *fd)
{
    int saved_errno = errno;
    struct statfs system;
    own_file_remove(*fd);
    /* Not through close(), where libsonde-preload stands in front of what the rest of the library still takes for ours. */
    if (*fd >= 0 && fstatfs(*fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC)
        syscall(SYS_close, *fd);
    *fd = -1;
    errno = saved_errno;
}

bool syscall_file_read(int *fd, struct syscall_place *place)
{
    char line[LINE_ROOM];
    if (*fd < 0)
        return false;
    ssize_t got = pread(*fd, line, sizeof line - 1, 0);
    line[got > 0 ? got : 0] = '\0';
    if (got > 0 && syscall_place_parse(line, place))
        return true;
    if (strcmp(line, "running\n") != 0)
        syscall_file_close(fd); /* the thread has ended; or the program closed it, and it is another file by now */
    return false;
}
