#include "export/gecko_machine.h"

#include "common/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

enum { MOST_PACKAGES = 256 };

struct cpuinfo {
    struct gecko_machine *machine;
    unsigned package;                  /* of the CPU that is described */
    uint64_t seen[MOST_PACKAGES / 64]; /* packages whose cores are counted */
};

/* `key   : value`, without white space around either. */
static bool split(struct slice line, struct slice *key, struct slice *value)
{
    const char *colon = memchr(line.text, ':', line.length);
    if (!colon)
        return false;
    *key = slice_until(line, (size_t)(colon - line.text));
    *value = slice_from(line, key->length + 1);
    while (key->length > 0 && (key->text[key->length - 1] == ' ' || key->text[key->length - 1] == '\t'))
        key->length--;
    while (value->length > 0 && value->text[0] == ' ')
        *value = slice_from(*value, 1);
    return true;
}

static unsigned number_of(struct slice text)
{
    unsigned number = 0;
    for (size_t i = 0; i < text.length && i < 6 && text.text[i] >= '0' && text.text[i] <= '9'; i++)
        number = number * 10 + (unsigned)(text.text[i] - '0');
    return number;
}

/* `physical id` stands before `cpu cores`, which is said again by every CPU of the package. */
static void read_line(struct cpuinfo *info, struct slice line)
{
    struct gecko_machine *machine = info->machine;
    struct slice key, value;
    if (!split(line, &key, &value))
        return;
    if (slice_is(key, "processor")) {
        machine->logical_cpus++;
        info->package = 0;
    } else if (slice_is(key, "physical id")) {
        info->package = number_of(value) % MOST_PACKAGES;
    } else if (slice_is(key, "cpu cores")) {
        uint64_t bit = UINT64_C(1) << info->package % 64, *seen = &info->seen[info->package / 64];
        machine->physical_cpus += *seen & bit ? 0 : number_of(value);
        *seen |= bit;
    } else if (slice_is(key, "model name") && machine->cpu_name[0] == '\0') {
        size_t length = value.length < sizeof machine->cpu_name ? value.length : sizeof machine->cpu_name - 1;
        memcpy(machine->cpu_name, value.text, length);
        machine->cpu_name[length] = '\0';
    }
}

/* Lines longer than the buffer (those of flags) are not wanted, and go by in pieces. */
static void read_lines(int fd, struct cpuinfo *info)
{
    char buffer[4096];
    size_t count = 0;
    for (;;) {
        ssize_t length = read(fd, buffer + count, sizeof buffer - count);
        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            return;
        count += (size_t)length;
        size_t start = 0;
        for (const char *end; (end = memchr(buffer + start, '\n', count - start)) != NULL;) {
            read_line(info, (struct slice){buffer + start, (size_t)(end - buffer) - start});
            start = (size_t)(end - buffer) + 1;
        }
        count = start == 0 && count == sizeof buffer ? 0 : count - start;
        memmove(buffer, buffer + start, count);
    }
}

void gecko_machine_read(struct gecko_machine *machine, const char *cpuinfo)
{
    *machine = (struct gecko_machine){0};
    if (uname(&machine->system) != 0)
        machine->system.sysname[0] = machine->system.machine[0] = '\0';
    int fd = open(cpuinfo, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    read_lines(fd, &(struct cpuinfo){.machine = machine});
    close(fd);
}
