/* Any bytes as what the looker reads about a process: the first says what it is, the rest is its text or code. */
#include "target.h"

#include "looker/proc_text.h"
#include "looker/prologue.h"

static void check_maps(struct slice text)
{
    struct maps_line line;
    if (!maps_line_parse(text, &line))
        return;
    fuzz_check(line.start < line.end);
    fuzz_check(line.path.text >= text.text && line.path.text + line.path.length <= text.text + text.length);
}

static void check_syscall(struct slice text)
{
    struct syscall_line line;
    if (syscall_line_parse(text, &line) && !line.running)
        fuzz_check(text.length >= sizeof "-1 0 0");
}

static void check_figures(struct slice text)
{
    struct schedstat_line figures, again;
    char written[128];
    if (!schedstat_line_parse(text, &figures))
        return;
    int length = snprintf(written, sizeof written, "%llu %llu %llu\n", (unsigned long long)figures.cpu_ns,
                          (unsigned long long)figures.ready_ns, (unsigned long long)figures.runs);
    fuzz_check(schedstat_line_parse((struct slice){written, (size_t)length}, &again));
    fuzz_check(again.cpu_ns == figures.cpu_ns && again.ready_ns == figures.ready_ns && again.runs == figures.runs);
}

static void check_prologue(struct slice code)
{
    struct prologue prologue;
    if (prologue_read((const uint8_t *)code.text, code.length, &prologue))
        fuzz_check((prologue.align & (prologue.align - 1)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct slice text = {(const char *)data + 1, size - 1};
    switch (data[0]) {
    case 'm':
        check_maps(text);
        break;
    case 's':
        check_syscall(text);
        break;
    case 'f':
        check_figures(text);
        break;
    case 'n':
        (void)stat_line_parse(text, &(struct stat_line){0});
        break;
    case 'w':
        (void)status_waits(text, &(uint64_t){0});
        break;
    case 'p':
        check_prologue(text);
        break;
    }
    return 0;
}
