#include "cli/record_status.h"

#include "cli/number.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Short commands end without ever having shown it. */
static const double quiet_ms = 1000;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

void record_status_begin(struct record_status *status, const char *folder, uint64_t buffer_bytes)
{
    *status = (struct record_status){
        .shown = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO),
        .buffer_bytes = buffer_bytes,
        .started = now_ms(),
    };
    live_session_begin(&status->live, folder);
}

/* The terminal takes lines from us: we are in the foreground, and no program has switched it to single keys. */
static bool terminal_is_ours(void)
{
    struct termios settings;
    return tcgetpgrp(STDERR_FILENO) == getpgrp() && tcgetattr(STDERR_FILENO, &settings) == 0 && settings.c_lflag & ICANON;
}

static size_t terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void put(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* there is nobody to tell */
}

void record_status_draw(void *data)
{
    struct record_status *status = data;
    struct live_figures figures;
    double ms = now_ms() - status->started;
    if (ms < quiet_ms || !terminal_is_ours() || !live_session_read(&status->live, &figures))
        return;
    char text[340], line[360];
    snprintf(text, sizeof text, "sonde: %s  %u process%s  %u thread%s  %s samples  buffer %s of %s MiB  %s lost",
             number_duration(ms).text, figures.processes, figures.processes == 1 ? "" : "es", figures.threads,
             figures.threads == 1 ? "" : "s", number_grouped((double)figures.samples, 0).text,
             number_grouped((double)figures.buffer_bytes / (1 << 20), 0).text,
             number_grouped((double)status->buffer_bytes / (1 << 20), 0).text, number_grouped((double)figures.lost, 0).text);
    /* The cursor goes back to the start, so that what the program prints next covers it. */
    snprintf(line, sizeof line, "\r%.*s\x1b[K\r", (int)terminal_width() - 1, text);
    put(line);
    status->drawn = true;
}

void record_status_end(struct record_status *status)
{
    if (status->drawn && terminal_is_ours())
        put("\r\x1b[K");
    live_session_end(&status->live);
}
