/* Which clock the samples of a session were taken by, and what that means. */
#include "import/session_state.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* Where a thread wakes up in step with the ticks that take its samples, it is always found at the same place of its work. How
 * often it wakes up is a mean, which hits a multiple of a tick by chance the more often, the larger that is.
 *
 * And where CPUs are scarce the scheduler takes them from one thread and gives them to another in its ticks: threads that wait
 * and run begin then, whatever their own period is. */
enum { MULTIPLES = 4, RUNS_LEAST = 50, LINES_MOST = 10 };
static const double near = 0.02;
static const uint64_t cpu_least_ns = 10000000;

static bool is_near(double period, double tick)
{
    for (int i = 1; i <= MULTIPLES; i++)
        if (fabs(period / (tick * i) - 1) < near || fabs(period * i / tick - 1) < near)
            return true;
    return false;
}

bool session_check_step(struct session_import *import, const struct session_thread *staged, const struct thread_sums *sums)
{
    const struct session_file_header *header = &import->process.header;
    struct session_quality *quality = &import->quality;
    char text[200];
    bool waits = sums->waiting_ns > sums->cpu_ns / 100;
    if (header->clock != SESSION_CLOCK_TICKS || header->tick_ns == 0 || sums->runs < RUNS_LEAST || !waits ||
        sums->cpu_ns < cpu_least_ns)
        return true;
    quality->ticked_cpu_ns += sums->cpu_ns;
    quality->ticked_ready_ns += sums->ready_ns;
    double period = (double)sums->runs_wall_ns / (double)sums->runs;
    if (!is_near(period, (double)header->tick_ns))
        return true;
    if (quality->in_step.count == LINES_MOST) {
        quality->more_in_step++;
        return true;
    }
    struct slice name = profile_text(import->profile, staged->name);
    snprintf(text, sizeof text, "thread %.*s runs in step with the kernel's ticks (every %.1f ms): its shares may be wrong",
             (int)(name.length < 80 ? name.length : 80), name.text, period / 1e6);
    struct string_index line = session_text(import, slice_of(text));
    return string_exists(line) && vec_push(&quality->in_step, line);
}

/* Of the process that is being read. One that was never sampled has not asked for a clock. */
void session_count_clock(struct session_import *import)
{
    const struct session_file_header *header = &import->process.header;
    struct session_quality *quality = &import->quality;
    if (header->tick_ns > 0)
        quality->tick_ns = header->tick_ns;
    quality->timers_refused += header->timers_refused != 0;
    session_count_faults(import);
    if (header->statistics[STATISTIC_SAMPLES_EVENT] + header->statistics[STATISTIC_SAMPLES_TICK] == 0)
        return;
    bool events = header->clock == SESSION_CLOCK_EVENTS;
    quality->by_events += events;
    quality->by_ticks += !events;
    /* A thread that had ended when its event was to be opened was not refused one. */
    if (!events && header->clock_refused != 0 && header->clock_refused != ESRCH)
        quality->clock_refused = header->clock_refused;
}

/* "events", "ticks", or "both" where processes differ; null where nothing was sampled. */
bool session_put_clock(struct session_import *import, struct value_bytes *out)
{
    const struct session_quality *quality = &import->quality;
    const char *clock = quality->by_events > 0 ? quality->by_ticks > 0 ? "both" : "events" : "ticks";
    bool known = quality->by_events + quality->by_ticks > 0;
    const char *why =
        quality->clock_refused > 0 && quality->clock_refused < 4096 ? strerrorname_np((int)quality->clock_refused) : NULL;
    bool done = known ? session_put_text(import, out, "clock", slice_of(clock))
                      : session_put_key(import, out, "clock") && value_put_null(out);
    done = done && session_put_number(import, out, "tickMs", quality->tick_ns > 0 ? (double)quality->tick_ns / 1e6 : NAN);
    return done && (why ? session_put_text(import, out, "clockRefused", slice_of(why))
                        : session_put_key(import, out, "clockRefused") && value_put_null(out));
}
