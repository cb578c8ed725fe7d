/* The threads: one, several or all of them. */
#include "top/panel.h"

#include "print/number.h"
#include "profile/thread_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static size_t count(const struct top *top)
{
    return top->threads.count;
}

static int compare_sizes(const void *left, const void *right)
{
    const struct top_thread *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->thread.i < b->thread.i ? -1 : 1;
}

static bool is_looked_at(const struct top *top, struct thread_index thread)
{
    for (size_t i = 0; i < top->look.threads.count; i++)
        if (top->look.threads.items[i].i == thread.i)
            return true;
    return false;
}

static bool knows_cpu(const struct profile *profile)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        if (!isnan(thread_cpu_ms(profile, &profile->threads.items[i])))
            return true;
    return false;
}

void threads_open(struct top *top)
{
    const struct profile *profile = top->look.profile;
    bool cpu = knows_cpu(profile);
    top->threads.count = 0;
    if (!vec_reserve(&top->threads, profile->threads.count)) {
        top_worked(top, error_out_of_memory(&top->look.error));
        return;
    }
    for (size_t i = 0; i < profile->threads.count; i++) {
        const struct thread *thread = &profile->threads.items[i];
        double size = cpu ? thread_cpu_ms(profile, thread) : (double)thread_times(profile, thread).samples;
        struct top_thread row = {thread_at(i), isnan(size) ? 0 : size, is_looked_at(top, thread_at(i))};
        top->threads.items[top->threads.count++] = row;
    }
    if (top->threads.count > 1)
        qsort(top->threads.items, top->threads.count, sizeof *top->threads.items, compare_sizes);
    top->threads_were_marked = false;
    top->panel = PANEL_THREADS;
    top->lists[PANEL_THREADS] = (struct top_list){0};
    for (size_t i = top->threads.count; i > 0; i--)
        if (top->threads.items[i - 1].marked)
            panel_choose(top, i - 1);
}

static void heading(struct top *top, struct line *line)
{
    line_add(line, terminal_style(&top->terminal, STYLE_HEADING), 0);
    line_print(line, "   %12s  %-8s  thread", knows_cpu(top->look.profile) ? "CPU time" : "samples", "handle");
    line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
}

static void draw(struct top *top, size_t at, bool first, struct line *line)
{
    (void)first;
    const struct profile *profile = top->look.profile;
    const struct top_thread *row = &top->threads.items[at];
    const struct thread *thread = &profile->threads.items[row->thread.i];
    char handle[24];
    snprintf(handle, sizeof handle, "t-%u", row->thread.i);
    struct number_text size = knows_cpu(profile) ? number_duration(row->size) : number_grouped(row->size, 0);
    line_print(line, " %c %12s  %-8s  ", row->marked ? 'x' : ' ', size.text, handle);
    line_add_name(line, profile_text(profile, thread->name), 40);
    struct slice process = profile_text(profile, thread->process_name), pid = profile_text(profile, thread->pid);
    if (process.length > 0) {
        line_print(line, " of ");
        line_add_name(line, process, 40);
    }
    line_print(line, ", pid %.*s", pid.length < 20 ? (int)pid.length : 20, pid.text);
}

/* The marked ones once some were marked, else the chosen one. */
static void choose(struct top *top, bool all)
{
    VEC(struct thread_index) chosen = {0};
    bool fits = vec_reserve(&chosen, top->threads.count);
    for (size_t i = 0; i < top->threads.count && fits; i++)
        if (all || (top->threads_were_marked ? top->threads.items[i].marked : i == panel_chosen(top)))
            chosen.items[chosen.count++] = top->threads.items[i].thread;
    if (!fits)
        top_worked(top, error_out_of_memory(&top->look.error));
    else if (chosen.count == 0)
        top_say(top, "no thread is marked");
    else if (top_worked(top, look_at_threads(&top->look, chosen.items, chosen.count)))
        top->panel = top->under;
    vec_free(&chosen);
}

static bool key(struct top *top, int key)
{
    if (top->threads.count == 0)
        return false;
    struct top_thread *row = &top->threads.items[panel_chosen(top)];
    switch (key) {
    case ' ':
        row->marked = !row->marked;
        top->threads_were_marked = true;
        return true;
    case KEY_ENTER:
    case KEY_RIGHT:
        choose(top, false);
        return true;
    case 'a':
        choose(top, true);
        return true;
    default:
        return false;
    }
}

const struct panel threads_panel = {
    .keys = "Enter this thread  Space marks several  a all  Escape back",
    .count = count,
    .heading = heading,
    .draw = draw,
    .key = key,
};
