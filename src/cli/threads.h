/* Threads as people name them: by handle, by name, or all of them. */
#ifndef SONDE_CLI_THREADS_H
#define SONDE_CLI_THREADS_H

#include "cli/options.h"
#include "cli/output.h"
#include "profile/thread_times.h"

struct thread_list {
    VEC(struct thread_index) items;
};

/* The threads that `names` (of --thread) stand for, each once, in the order of the profile; the busiest one without any.
 *
 *     t-3 all            a handle, all of them
 *     main               an exact name, which only one thread has
 *     worker* [ab]?      the names that a pattern of the shell matches
 *     /^worker-[0-9]+$/  the names that a POSIX extended regular expression matches
 *     pid:12 tid:34      by number
 *     process:TEXT       all threads of processes with this name; TEXT may be a pattern or an expression, too
 *
 * -ENOENT with a message that tells what there is, -EINVAL where an expression cannot be read. */
int threads_choose(const struct profile *profile, const struct text_list *names, struct thread_list *threads,
                   struct error *error);

/* The name of a thread's process; empty where it is unknown. */
struct slice thread_process_name(const struct profile *profile, const struct thread *thread);

/* The value of the key `thread`: an object, or a list of them where there are several. */
void json_put_threads(struct json_output *output, const struct profile *profile, const struct thread_list *threads);

/* The keys handle, name, process, pid and tid of one thread. */
void json_put_thread_names(struct json_output *output, const struct profile *profile, struct thread_index index);

#endif
