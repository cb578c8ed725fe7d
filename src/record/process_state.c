#include "record/process_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool process_state_read(int pid, struct process_state *state)
{
    enum { FIELDS_TO_START_TIME = 19 }; /* from the state on; see proc(5) */
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0)
        return false;
    text[length] = '\0';
    /* The name stands in parentheses and may have some itself. */
    char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || at[2] == '\0')
        return false;
    at += 2;
    state->letter = *at;
    state->parent = (int)strtol(at + 1, NULL, 10);
    for (int i = 0; i < FIELDS_TO_START_TIME && at; i++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    state->start_time = at ? strtoull(at, NULL, 10) : 0;
    return state->letter != 'Z' && state->letter != 'X' && state->letter != 'x';
}
