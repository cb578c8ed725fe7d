#include "record/process_state.h"

#include "common/proc_file.h"

bool process_state_read(int pid, struct process_state *state)
{
    enum { STATE = 3, PARENT, STARTTIME = 22 }; /* see proc(5) */
    char path[40], text[1024];
    if (!PROC_PATH(path, "/proc/%d/stat", pid) || proc_file_read(path, text, sizeof text) <= 0)
        return false;
    const char *letter = proc_stat_field(text, STATE), *parent = proc_stat_field(text, PARENT);
    const char *start = proc_stat_field(text, STARTTIME);
    if (!parent)
        return false;
    uint64_t number = 0;
    state->letter = *letter;
    number_parse(parent, 10, &number);
    state->parent = (int)number;
    state->start_time = 0;
    if (start)
        number_parse(start, 10, &state->start_time);
    return state->letter != 'Z' && state->letter != 'X' && state->letter != 'x';
}
