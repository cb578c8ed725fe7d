#include "alone_seen.h"

#include "alone_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

bool was_busy;

static void add_row(void *data, const struct row *row)
{
    struct seen *seen = data;
    bool is_first = row_has_function(row, alone_facts->first, ALONE_FUNCTION_BYTES);
    bool is_later = row_has_function(row, alone_facts->later, ALONE_FUNCTION_BYTES);
    bool is_waiting = alone_facts->waiting && row_has_function(row, alone_facts->waiting, ALONE_FUNCTION_BYTES);
    if (row->thread != 0) {
        seen->helper_later += is_later;
        return;
    }
    seen->first += is_first;
    seen->later += is_later;
    seen->waiting += is_waiting;
    seen->waiting_cpu_ns += is_waiting ? row->cpu_ns : 0;
    seen->uneven += seen->last_tick && row->tick - seen->last_tick != seen->rows.header.interval_ns;
    seen->last_tick = row->tick;
}

const struct seen *see(const struct left_file *file)
{
    static struct seen seen;
    seen = (struct seen){.first = 0};
    rows_read_file(file->path, &seen.rows, add_row, &seen);
    return &seen;
}

uint64_t statistic(const struct left_file *file, enum session_statistic which)
{
    return file->header.statistics[which];
}

typedef unsigned long long number; /* to print one */

static void show(const struct played *played)
{
    print_message("status %x, joined %u, %zu files, tasks %llu then %llu, waited %llu us in %llu, signals %llu\n",
                  (unsigned)played->status, played->joined_itself, played->file_count, (number)alone_facts->tasks_early,
                  (number)alone_facts->tasks, (number)alone_facts->waited_ns / 1000, (number)alone_facts->gave_up,
                  (number)alone_facts->signals);
    for (size_t i = 0; i < played->file_count; i++) {
        const struct left_file *file = &played->files[i];
        const struct seen *seen = see(file);
        print_message("    %d-%u: state %u, ticks %llu, signalled %llu, remote %llu, same %llu, held %llu, lost %llu; "
                      "rows: first %llu, later %llu, waiting %llu, uneven %llu; CPU %llu us of %llu us\n",
                      (int)file->pid, file->image, file->header.state, (number)seen->rows.ticks,
                      (number)statistic(file, STATISTIC_SAMPLES_SIGNALLED), (number)statistic(file, STATISTIC_SAMPLES_REMOTE),
                      (number)statistic(file, STATISTIC_SAMPLES_SAME), (number)statistic(file, STATISTIC_SAMPLES_HELD),
                      (number)statistic(file, STATISTIC_SAMPLES_LOST), (number)seen->first, (number)seen->later,
                      (number)seen->waiting, (number)seen->uneven, (number)seen->rows.threads[0].cpu_ns / 1000,
                      (number)played->used_ns / 1000);
    }
}

struct played play(const char *scene)
{
    *alone_facts = (struct alone_facts){.first = 0};
    uint64_t begun = read_clock(CLOCK_MONOTONIC);
    struct played played = play_scene(scene);
    was_busy = read_clock(CLOCK_MONOTONIC) - begun > alone_facts->waited_ns + played.used_ns / 4 * 5 + 20 * MS;
    print_message("%s%s: ", scene, was_busy ? " (busy)" : "");
    show(&played);
    return played;
}

void assert_enough(uint64_t count, uint64_t wanted)
{
    assert_in_range(count, was_busy ? 1 : wanted, UINT64_MAX);
}

void assert_alone(uint64_t tasks)
{
    assert_in_range(tasks, 1, was_busy ? 2 : 1);
}

const struct left_file *only_file(const struct played *played, int exit_status)
{
    assert_true(WIFEXITED(played->status));
    assert_int_equal(WEXITSTATUS(played->status), exit_status);
    assert_int_equal(played->file_count, 1);
    const struct left_file *file = played_image(played, 0);
    assert_int_equal(file->header.room_taken, played->taken);
    return file;
}
