#include "tree/row_class.h"

#include "tree/shared.h"

#include <inttypes.h>
#include <stdio.h>

struct thread_index row_class_thread(const struct profile *profile, struct thread_index owner, int64_t tid)
{
    char text[24];
    uint32_t pid = profile->threads.items[owner.i].pid.i;
    snprintf(text, sizeof text, "%" PRId64, tid);
    struct string_index number = string_table_find(&profile->strings, slice_of(text));
    for (size_t i = 0; i < profile->threads.count && string_exists(number); i++) {
        const struct thread *thread = &profile->threads.items[i];
        if (thread->pid.i == pid && string_same(thread->tid, number))
            return thread_at(i);
    }
    return owner;
}

static bool is_only_one(const struct profile *profile, uint32_t of)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        if (i != of && string_same(profile->threads.items[i].name, profile->threads.items[of].name))
            return false;
    return true;
}

/* Threads that are called alike have their handles with them. */
static bool add_name(const struct profile *profile, enum grouping by, uint32_t of, struct string_table *names)
{
    char text[200];
    if (by == GROUP_SIZE) {
        size_class_name(of, text, sizeof text);
    } else {
        struct slice name = profile_text(profile, profile->threads.items[of].name);
        int length = name.length < 150 ? (int)name.length : 150;
        if (is_only_one(profile, of) && name.length == (size_t)length)
            snprintf(text, sizeof text, "%.*s", length, name.text);
        else
            snprintf(text, sizeof text, "%.*s (t-%u)", length, name.text, of);
    }
    return string_table_add(names, slice_of(text)).i == of;
}

static struct func_list *class_funcs(const struct profile *profile, enum grouping by)
{
    struct string_table names = {0};
    struct func_list *funcs = NULL;
    bool done = true;
    for (uint32_t of = 0; of < row_class_count(profile, by) && done; of++)
        done = add_name(profile, by, of, &names);
    if (done)
        funcs = func_list_of_groups(profile, &names);
    string_table_free(&names);
    return funcs;
}

int row_class_view(const struct view *from, enum grouping by, struct view *to, struct error *error)
{
    size_t count = row_class_count(from->profile, by);
    *to = (struct view){
        .profile = from->profile,
        .funcs = class_funcs(from->profile, by),
        .default_pair = from->default_pair,
        .count = (uint32_t)count,
        .prefix = shared_array(count, sizeof(uint32_t)),
        .frame = shared_array(count, sizeof(uint32_t)),
        .func = shared_array(count, sizeof(uint32_t)),
        .pair = shared_array(count, sizeof(uint32_t)),
        .times = shared_keep(from->times),
        .hidden_threads = shared_keep(from->hidden_threads),
    };
    if (!to->funcs || !to->prefix || !to->frame || !to->func || !to->pair) {
        view_free(to);
        return error_out_of_memory(error);
    }
    for (uint32_t of = 0; of < count; of++) {
        to->prefix[of] = INDEX_NONE;
        to->frame[of] = 0;
        to->func[of] = of;
        to->pair[of] = from->default_pair;
    }
    return 0;
}
