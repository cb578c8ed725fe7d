#include "top/tty.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* After an escape character the rest of a sequence comes at once, or never. */
enum { ESCAPE_MS = 50 };

/* The alternate screen; no cursor; lines that are too long are cut, so that the last column can be written. */
#define ENTER "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
#define LEAVE "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

static struct {
    int input;
    struct termios before, ours;
    volatile sig_atomic_t taken;  /* the terminal is as we want it */
    volatile sig_atomic_t redraw; /* TTY_REDRAW is due */
    struct sigaction others[NSIG];
    sigset_t while_waiting;
    unsigned char bytes[256]; /* that are no keys yet */
    size_t count;
} tty;

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};

void tty_write(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
            continue;
        }
        if (written <= 0)
            return;
        bytes += written;
        count -= (size_t)written;
    }
}

/* ---- taking and giving back; both also run in signal handlers ---- */

static void take(void)
{
    tcsetattr(tty.input, TCSANOW, &tty.ours);
    tty_write(ENTER, sizeof ENTER - 1);
    tty.taken = 1;
    tty.redraw = 1;
}

static void give_back(void)
{
    if (!tty.taken)
        return;
    tty.taken = 0;
    tty_write(LEAVE, sizeof LEAVE - 1);
    tcsetattr(tty.input, TCSANOW, &tty.before);
}

static void end_by_signal(int number)
{
    give_back();
    sigaction(number, &tty.others[number], NULL);
    raise(number); /* once this handler has returned */
}

static void stop(int number)
{
    (void)number;
    int error = errno;
    give_back();
    raise(SIGSTOP);
    errno = error;
}

static void go_on(int number)
{
    (void)number;
    int error = errno;
    take();
    errno = error;
}

static void note_size(int number)
{
    (void)number;
    tty.redraw = 1;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, NULL, &tty.others[number]);
    /* What somebody else looks after, a sanitizer or whoever had us ignore it, stays with them. */
    if (tty.others[number].sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

/* Sizes are noticed, and the process goes on, only while it waits: no key waits behind them unseen. */
static void watch_signals(void)
{
    sigset_t blocked;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        handle(ends[i], end_by_signal);
    handle(SIGTSTP, stop);
    handle(SIGCONT, go_on);
    handle(SIGWINCH, note_size);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGWINCH);
    sigaddset(&blocked, SIGCONT);
    sigprocmask(SIG_BLOCK, &blocked, &tty.while_waiting);
}

static void leave_signals(void)
{
    static const int also[] = {SIGTSTP, SIGCONT, SIGWINCH};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaction(ends[i], &tty.others[ends[i]], NULL);
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        sigaction(also[i], &tty.others[also[i]], NULL);
    sigprocmask(SIG_SETMASK, &tty.while_waiting, NULL);
}

int tty_open(int input, struct error *error)
{
    tty.input = input;
    tty.count = 0;
    if (tcgetattr(input, &tty.before) != 0)
        return error_set(error, -errno, "%s", strerror(errno));
    tty.ours = tty.before;
    tty.ours.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
    tty.ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    /* Ctrl-C ends; Ctrl-Z takes back what was done, as on the page, and Ctrl-\ and Ctrl-Y do nothing. */
    tty.ours.c_cc[VSUSP] = tty.ours.c_cc[VQUIT] = _POSIX_VDISABLE;
    tty.ours.c_cc[VMIN] = 1;
    tty.ours.c_cc[VTIME] = 0;
    watch_signals();
    take();
    return 0;
}

void tty_close(void)
{
    give_back();
    leave_signals();
}

void tty_size(size_t *rows, size_t *columns)
{
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
    *rows = known ? size.ws_row : 24;
    *columns = known ? size.ws_col : 80;
}

/* ---- keys ---- */

static bool take_key(bool all, int *key)
{
    size_t used = key_read(tty.bytes, tty.count, all, key);
    tty.count -= used;
    memmove(tty.bytes, tty.bytes + used, tty.count);
    return used > 0;
}

static struct timespec timespec_of(int milliseconds)
{
    return (struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L};
}

/* 1 = there is something to read, 0 = not so soon, -1 = interrupted. */
static int wait_for_input(int milliseconds)
{
    struct timespec time = timespec_of(milliseconds < 0 ? 0 : milliseconds);
    struct pollfd file = {.fd = tty.input, .events = POLLIN};
    return ppoll(&file, 1, milliseconds < 0 ? NULL : &time, &tty.while_waiting);
}

enum tty_event tty_wait(int milliseconds, int *key)
{
    while (!take_key(false, key)) {
        int ready = wait_for_input(tty.count > 0 ? ESCAPE_MS : milliseconds);
        if (tty.redraw) {
            tty.redraw = 0;
            return TTY_REDRAW;
        }
        if (ready == 0 && tty.count > 0)
            return take_key(true, key) ? TTY_KEY : TTY_QUIET;
        if (ready == 0)
            return TTY_QUIET;
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t got = read(tty.input, tty.bytes + tty.count, sizeof tty.bytes - tty.count);
        if (got <= 0 && errno != EINTR && errno != EAGAIN)
            return TTY_GONE;
        if (got == 0)
            return TTY_GONE;
        tty.count += got > 0 ? (size_t)got : 0;
    }
    return TTY_KEY;
}
