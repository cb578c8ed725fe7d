#include "cli/threads.h"

#include "cli/nearest.h"

#include "common/regex.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- choosing ---- */

/* Marks what one --thread stands for. */
struct choice {
    const struct profile *profile;
    bool *chosen; /* for each thread */
    struct error *error;
};

static bool is_handle(const char *name)
{
    return name[0] == 't' && name[1] == '-' && name[2] != '\0' && name[2 + strspn(name + 2, "0123456789")] == '\0';
}

static int choose_handle(struct choice *choice, const char *name)
{
    size_t count = choice->profile->threads.count;
    errno = 0;
    unsigned long long number = strtoull(name + 2, NULL, 10);
    if (errno != 0 || number >= count)
        return error_set(choice->error, -ENOENT, "no thread %s: the handles go from t-0 to t-%zu (see 'sonde info')", name,
                         count - 1);
    choice->chosen[number] = true;
    return 0;
}

/* The handles of all threads called `name`, as far as they fit a message. */
static void list_handles(const struct profile *profile, struct slice name, char *list, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < profile->threads.count; i++) {
        const struct thread *thread = &profile->threads.items[i];
        if (!slice_equal(profile_text(profile, thread->name), name))
            continue;
        struct slice pid = profile_text(profile, thread->pid);
        int length =
            snprintf(list + used, size - used, "%st-%zu (pid %.*s)", used > 0 ? ", " : "", i, (int)pid.length, pid.text);
        if (length < 0 || used + (size_t)length + sizeof ", …" > size) {
            snprintf(list + used, size - used, ", …");
            return;
        }
        used += (size_t)length;
    }
}

static int unknown_name(struct choice *choice, struct slice name)
{
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (size_t i = 0; i < choice->profile->threads.count; i++)
        nearest_offer(&nearest, profile_text(choice->profile, choice->profile->threads.items[i].name));
    if (!nearest.best.text)
        return error_set(choice->error, -ENOENT, "no thread is named '%s' ('sonde info' lists them)", name.text);
    char handles[160];
    list_handles(choice->profile, nearest.best, handles, sizeof handles);
    return error_set(choice->error, -ENOENT, "no thread is named '%s'; did you mean '%.*s': %s?", name.text,
                     (int)nearest.best.length, nearest.best.text, handles);
}

static int choose_name(struct choice *choice, struct slice name)
{
    const struct profile *profile = choice->profile;
    size_t found = 0, at = 0;
    for (size_t i = 0; i < profile->threads.count; i++)
        if (slice_equal(profile_text(profile, profile->threads.items[i].name), name)) {
            found++;
            at = i;
        }
    if (found == 0)
        return unknown_name(choice, name);
    if (found > 1) {
        char handles[280];
        list_handles(profile, name, handles, sizeof handles);
        return error_set(choice->error, -ENOENT, "%zu threads are named '%s': choose from %s", found, name.text, handles);
    }
    choice->chosen[at] = true;
    return 0;
}

/* ---- patterns ---- */

enum pattern_field { FIELD_THREAD, FIELD_PROCESS, FIELD_PID, FIELD_TID };
enum pattern_kind { PATTERN_EXACT, PATTERN_GLOB, PATTERN_REGEX };

struct thread_pattern {
    enum pattern_field field;
    enum pattern_kind kind;
    const char *text;
};

static struct thread_pattern pattern_of(const char *name)
{
    static const struct {
        struct slice prefix;
        enum pattern_field field;
    } fields[] = {{SLICE("process:"), FIELD_PROCESS}, {SLICE("pid:"), FIELD_PID}, {SLICE("tid:"), FIELD_TID}};
    struct thread_pattern pattern = {.text = name};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (slice_starts_with(slice_of(name), fields[i].prefix))
            pattern = (struct thread_pattern){.field = fields[i].field, .text = name + fields[i].prefix.length};
    size_t length = strlen(pattern.text);
    if (length > 2 && pattern.text[0] == '/' && pattern.text[length - 1] == '/')
        pattern.kind = PATTERN_REGEX;
    else if (strpbrk(pattern.text, "*?["))
        pattern.kind = PATTERN_GLOB;
    return pattern;
}

static struct slice pattern_looks_at(const struct thread_pattern *pattern, const struct profile *profile,
                                     const struct thread *thread)
{
    switch (pattern->field) {
    case FIELD_PROCESS:
        return thread_process_name(profile, thread);
    case FIELD_PID:
        return profile_text(profile, thread->pid);
    case FIELD_TID:
        return profile_text(profile, thread->tid);
    case FIELD_THREAD:
        break;
    }
    return profile_text(profile, thread->name);
}

/* Texts of a profile end with a NUL. */
static bool pattern_matches(const struct thread_pattern *pattern, const struct regex *regex, struct slice text)
{
    if (regex)
        return regex_matches(regex, text);
    return pattern->kind == PATTERN_GLOB ? fnmatch(pattern->text, text.text, 0) == 0
                                         : slice_equal(text, slice_of(pattern->text));
}

static int choose_pattern(struct choice *choice, const char *name, const struct thread_pattern *pattern)
{
    const struct profile *profile = choice->profile;
    struct regex *regex = NULL;
    if (pattern->kind == PATTERN_REGEX) {
        struct error wrong = {0};
        regex = regex_compile((struct slice){pattern->text + 1, strlen(pattern->text) - 2}, &wrong);
        if (!regex)
            return error_set(choice->error, wrong.code, "--thread '%s': %s", name, wrong.message);
    }
    size_t found = 0;
    for (size_t i = 0; i < profile->threads.count; i++)
        if (pattern_matches(pattern, regex, pattern_looks_at(pattern, profile, &profile->threads.items[i]))) {
            choice->chosen[i] = true;
            found++;
        }
    regex_free(regex);
    if (found == 0)
        return error_set(choice->error, -ENOENT, "no thread is found by '%s' ('sonde info' lists them)", name);
    return 0;
}

static bool is_name_of_thread(const struct profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        if (slice_equal(profile_text(profile, profile->threads.items[i].name), slice_of(name)))
            return true;
    return false;
}

static int choose(struct choice *choice, const char *name)
{
    if (strcmp(name, "all") == 0) {
        memset(choice->chosen, true, choice->profile->threads.count);
        return 0;
    }
    if (is_handle(name))
        return choose_handle(choice, name);
    struct thread_pattern pattern = pattern_of(name);
    /* A thread may be called [idle] or a*b. */
    if (is_name_of_thread(choice->profile, name) || (pattern.kind == PATTERN_EXACT && pattern.field == FIELD_THREAD))
        return choose_name(choice, slice_of(name));
    return choose_pattern(choice, name, &pattern);
}

int threads_choose(const struct profile *profile, const struct text_list *names, struct thread_list *threads,
                   struct error *error)
{
    *threads = (struct thread_list){0};
    if (profile->threads.count == 0)
        return error_set(error, -ENOENT, "the profile has no threads");
    struct choice choice = {profile, memory_zeroed(profile->threads.count, sizeof(bool)), error};
    if (!choice.chosen || !vec_reserve(&threads->items, profile->threads.count)) {
        memory_release(choice.chosen);
        return error_out_of_memory(error);
    }
    if (names->values.count == 0)
        choice.chosen[thread_busiest(profile).i] = true;
    int status = 0;
    for (size_t i = 0; i < names->values.count && status == 0; i++)
        status = choose(&choice, names->values.items[i]);
    for (size_t i = 0; i < profile->threads.count && status == 0; i++)
        if (choice.chosen[i])
            threads->items.items[threads->items.count++] = thread_at(i);
    memory_release(choice.chosen);
    if (status != 0)
        vec_free(&threads->items);
    return status;
}

/* ---- printing ---- */

struct slice thread_process_name(const struct profile *profile, const struct thread *thread)
{
    return profile_text(profile, thread->process_name);
}

void json_put_thread_names(struct json_output *output, const struct profile *profile, struct thread_index index)
{
    const struct thread *thread = &profile->threads.items[index.i];
    json_put_handle(output, "handle", 't', index.i);
    json_put_slice(output, "name", profile_text(profile, thread->name));
    json_put_slice_or_null(output, "process", thread_process_name(profile, thread));
    json_put_slice(output, "pid", profile_text(profile, thread->pid));
    json_put_slice(output, "tid", profile_text(profile, thread->tid));
}

static void put_thread(struct json_output *output, const struct profile *profile, struct thread_index index)
{
    json_write_begin_object(output->writer);
    json_put_thread_names(output, profile, index);
    json_write_end_object(output->writer);
}

void json_put_threads(struct json_output *output, const struct profile *profile, const struct thread_list *threads)
{
    json_write_key(output->writer, "thread");
    if (threads->items.count == 1) {
        put_thread(output, profile, threads->items.items[0]);
        return;
    }
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < threads->items.count; i++)
        put_thread(output, profile, threads->items.items[i]);
    json_write_end_array(output->writer);
}
