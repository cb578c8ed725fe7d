#include "common/progress.h"

#include "common/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SHOW_AFTER_MS = 300, REDRAW_EVERY_MS = 50, BAR_WIDTH = 30, LABEL_WIDTH = 40 };

static uint64_t now_ms(void)
{
    return clock_read(CLOCK_MONOTONIC) / 1000000;
}

/* A bar is no reason to fail: what a terminal does not take is lost. */
static void draw(const struct progress *progress, const char *text)
{
    ssize_t ignored = write(progress->fd, text, strlen(text));
    (void)ignored;
}

void progress_begin(struct progress *progress, const char *label, int fd)
{
    *progress = (struct progress){.label = label, .fd = isatty(fd) ? fd : -1, .started_ms = now_ms()};
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total)
{
    if (progress->fd < 0)
        return;
    progress->drawn_ms = now_ms();
    progress->shown = true;
    char text[160];
    if (total == 0) {
        snprintf(text, sizeof text, "\r%.*s  %" PRIu64 " MB\033[K", LABEL_WIDTH, progress->label, done / 1000000);
    } else {
        double part = done < total ? (double)done / (double)total : 1;
        char bar[BAR_WIDTH + 1];
        memset(bar, '.', BAR_WIDTH);
        memset(bar, '#', (size_t)(part * BAR_WIDTH));
        bar[BAR_WIDTH] = '\0';
        snprintf(text, sizeof text, "\r%.*s  [%s]  %d %%\033[K", LABEL_WIDTH, progress->label, bar, (int)(part * 100));
    }
    draw(progress, text);
}

void progress_report(struct progress *progress, uint64_t done, uint64_t total)
{
    uint64_t now = now_ms();
    if (now >= progress->started_ms + SHOW_AFTER_MS && now >= progress->drawn_ms + REDRAW_EVERY_MS)
        progress_show(progress, done, total);
}

static void report_bytes(void *data, uint64_t done, uint64_t total)
{
    progress_report(data, done, total);
}

struct byte_progress progress_of_bytes(struct progress *progress)
{
    return (struct byte_progress){report_bytes, progress};
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        draw(progress, "\r\033[K");
    progress->fd = -1;
    progress->shown = false;
}
