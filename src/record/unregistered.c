#include "record/unregistered.h"

#include "common/proc_file.h"
#include "ipc/link.h"
#include "looker/proc_text.h"

#include <stdio.h>
#include <string.h>

enum {
    THREADS_MOST = 64,       /* at a time */
    READ_PAUSE_NS = 4000000, /* between two readings of the times, for each thread: it takes some µs */
    LONG_ENOUGH_NS = 2000000,
};

static bool read_cpu(pid_t peer, pid_t tid, uint64_t *cpu_ns)
{
    char path[64], text[96];
    struct schedstat_line figures;
    ssize_t length = PROC_PATH(path, "/proc/%d/task/%d/schedstat", peer, tid) ? proc_file_read(path, text, sizeof text) : 0;
    if (length <= 0 || !schedstat_line_parse((struct slice){text, (size_t)length}, &figures))
        return false;
    *cpu_ns = figures.cpu_ns;
    return true;
}

static bool read_name(pid_t peer, pid_t tid, char *name, size_t room)
{
    char path[64];
    return PROC_PATH(path, "/proc/%d/task/%d/comm", peer, tid) && proc_file_line(path, name, room);
}

static struct unregistered_thread *find(struct unregistered *unregistered, pid_t tid)
{
    for (size_t i = 0; i < unregistered->threads.count; i++)
        if (unregistered->threads.items[i].tid == tid)
            return &unregistered->threads.items[i];
    return NULL;
}

/* As many as have room; a name that is there already tells enough. */
static void tell_name(char names[SESSION_NAMES], const char *name)
{
    size_t length = strnlen(names, SESSION_NAMES);
    const char *between = length > 0 ? ", " : "";
    if (length + strlen(between) + strlen(name) < SESSION_NAMES && !strstr(names, name))
        snprintf(names + length, SESSION_NAMES - length, "%s%s", between, name);
}

static void add(_Atomic uint64_t *figure, uint64_t more)
{
    atomic_fetch_add_explicit(figure, more, memory_order_relaxed);
}

void unregistered_meet(struct unregistered *unregistered, pid_t peer, pid_t tid, struct session_file_header *header)
{
    struct unregistered_thread thread = {.tid = tid};
    char name[32] = "";
    /* The first thread registers when the library begins; what it used before is the start of the program. */
    if (tid == peer || unregistered->threads.count == THREADS_MOST || find(unregistered, tid) ||
        !read_cpu(peer, tid, &thread.cpu_ns) || thread.cpu_ns <= LONG_ENOUGH_NS || !read_name(peer, tid, name, sizeof name) ||
        strncmp(name, LINK_OWN_THREADS, strlen(LINK_OWN_THREADS)) == 0 || !vec_push(&unregistered->threads, thread))
        return;
    tell_name(header->unregistered_names, name);
    add(&header->unregistered_ns, thread.cpu_ns);
    add(&header->statistics[STATISTIC_THREADS_UNREGISTERED], 1);
}

static void drop(struct unregistered *unregistered, struct unregistered_thread *thread)
{
    *thread = unregistered->threads.items[--unregistered->threads.count];
}

void unregistered_forget(struct unregistered *unregistered, pid_t tid, struct session_file_header *header)
{
    struct unregistered_thread *thread = find(unregistered, tid);
    if (!thread)
        return;
    add(&header->unregistered_ns, 0 - thread->cpu_ns);
    add(&header->statistics[STATISTIC_THREADS_UNREGISTERED], UINT64_MAX);
    drop(unregistered, thread);
}

void unregistered_read(struct unregistered *unregistered, pid_t peer, uint64_t now_ns, struct session_file_header *header)
{
    if (now_ns - unregistered->read_ns < READ_PAUSE_NS * unregistered->threads.count)
        return;
    unregistered->read_ns = now_ns;
    for (size_t i = unregistered->threads.count; i-- > 0;) {
        struct unregistered_thread *thread = &unregistered->threads.items[i];
        uint64_t cpu_ns;
        if (!read_cpu(peer, thread->tid, &cpu_ns) || cpu_ns < thread->cpu_ns) {
            drop(unregistered, thread);
            continue;
        }
        add(&header->unregistered_ns, cpu_ns - thread->cpu_ns);
        thread->cpu_ns = cpu_ns;
    }
}

void unregistered_free(struct unregistered *unregistered)
{
    vec_free(&unregistered->threads);
}
