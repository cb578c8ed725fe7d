#include "import/pprof_labels.h"

#include <inttypes.h>
#include <stdio.h>

/* What perf_to_profile, pprof-rs, Java's agents, and Sonde call them. */
static struct string_index *find_origin(struct pprof_origin *origin, struct slice key)
{
    if (slice_is(key, "thread") || slice_is(key, "thread_name") || slice_is(key, "thread name") || slice_is(key, "comm"))
        return &origin->thread;
    if (slice_is(key, "tid") || slice_is(key, "thread_id") || slice_is(key, "thread id"))
        return &origin->tid;
    if (slice_is(key, "pid") || slice_is(key, "process_id") || slice_is(key, "process id"))
        return &origin->pid;
    if (slice_is(key, "process") || slice_is(key, "process_name") || slice_is(key, "process name"))
        return &origin->process;
    return NULL;
}

static bool note(struct pprof_other_labels *others, uint32_t key)
{
    for (size_t i = 0; i < others->keys.count; i++)
        if (others->keys.items[i] == key)
            return true;
    enum { MOST = 20 };
    return others->keys.count >= MOST || vec_push(&others->keys, key);
}

static struct string_index label_string(const struct pprof_file *file, struct pprof_label label, struct string_table *strings)
{
    char number[24];
    if (label.text != 0)
        return string_table_add(strings, file->texts.items[label.text]);
    snprintf(number, sizeof number, "%" PRId64, label.number);
    return string_table_add(strings, slice_of(number));
}

bool pprof_read_labels(const struct pprof_file *file, const struct pprof_sample *sample, struct string_table *strings,
                       struct pprof_origin *origin, struct pprof_other_labels *others)
{
    *origin = (struct pprof_origin){STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE};
    for (size_t i = 0; i < sample->labels.count; i++) {
        struct pprof_label label = sample->labels.items[i];
        struct string_index *said = find_origin(origin, file->texts.items[label.key]);
        if (!said && !note(others, label.key))
            return false;
        if (said)
            *said = label_string(file, label, strings);
        if (said && !string_exists(*said))
            return false;
    }
    return true;
}
