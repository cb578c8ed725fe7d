#include "import/session_state.h"
#include "session/process_title.h"

#include <math.h>

/* ---- categories ---- */

static bool add_subcategories(struct session_import *import, struct category *category, struct slice list)
{
    while (list.length > 0) {
        const char *end = memchr(list.text, '\0', list.length);
        struct slice name = end ? slice_until(list, (size_t)(end - list.text)) : list;
        list = slice_from(list, end ? name.length + 1 : list.length);
        struct string_index text = session_text(import, name);
        if (!string_exists(text) || !vec_push(&category->subcategories, text))
            return false;
    }
    if (category->subcategories.count > 0)
        return true;
    struct string_index other = session_text(import, SLICE("Other"));
    return string_exists(other) && vec_push(&category->subcategories, other);
}

/* Processes share the categories of one name. */
static struct category_index find_or_add(struct session_import *import, const struct category_entry *entry)
{
    struct category_list *list = &import->profile->categories;
    struct category_index known = category_list_find(list, &import->profile->strings, entry->name);
    if (category_exists(known))
        return known;
    struct category category = {.name = session_text(import, entry->name), .color = session_text(import, entry->colour)};
    if (string_exists(category.name) && string_exists(category.color) &&
        add_subcategories(import, &category, entry->subcategories) && vec_push(&list->rows, category))
        return category_at(list->rows.count - 1);
    vec_free(&category.subcategories);
    return category_none();
}

enum { MOST_CATEGORIES = 1000 };

bool session_add_category(struct session_import *import, const struct category_entry *entry)
{
    struct session_process *process = &import->process;
    if (entry->category >= MOST_CATEGORIES)
        return true;
    struct category_index category = find_or_add(import, entry);
    if (!category_exists(category))
        return false;
    while (process->categories.count <= entry->category)
        if (!vec_push(&process->categories, category_none()))
            return false;
    process->categories.items[entry->category] = category;
    return true;
}

struct category_index session_category(const struct session_import *import, uint32_t category, uint32_t *subcategory)
{
    const struct category_list *list = &import->profile->categories;
    const struct session_process *process = &import->process;
    struct category_index found = category_none();
    if (category < process->categories.count)
        found = process->categories.items[category];
    else if (process->categories.count == 0 && category < list->rows.count)
        found = category_at(category);
    if (!category_exists(found)) {
        *subcategory = 0;
        return category_at(0);
    }
    if (*subcategory >= list->rows.items[found.i].subcategories.count)
        *subcategory = 0;
    return found;
}

struct category_index session_named_category(struct session_import *import, struct slice name, struct slice colour)
{
    struct profile *profile = import->profile;
    struct category_index found = category_list_find(&profile->categories, &profile->strings, name);
    return category_exists(found) ? found : category_list_add(&profile->categories, &profile->strings, name, colour);
}

/* ---- meta ---- */

/* What the first process says stands for all. */
static bool put_list(struct session_import *import, struct value_bytes *out, const char *key, struct slice list)
{
    size_t place = session_put_key(import, out, key) ? value_open(out) : SIZE_MAX;
    uint32_t count = 0;
    if (place == SIZE_MAX)
        return false;
    while (list.length > 0) {
        const char *comma = memchr(list.text, ',', list.length);
        struct slice item = comma ? slice_until(list, (size_t)(comma - list.text)) : list;
        list = slice_from(list, comma ? item.length + 1 : list.length);
        if (item.length > 0 && !value_put_string(out, session_text(import, item)))
            return false;
        count += item.length > 0;
    }
    return value_close_array(out, place, count);
}

bool session_put_number(struct session_import *import, struct value_bytes *out, const char *key, double number)
{
    return session_put_key(import, out, key) && value_put_number(out, number);
}

bool session_configuration(struct session_import *import, const struct configuration_entry *entry)
{
    struct value_bytes *out = &import->configuration;
    import->profiling_start = fmin(import->profiling_start, session_ms(import, entry->time));
    if (out->bytes.count > 0)
        return true;
    bool has_duration = entry->duration_ns > 0;
    return value_put_object(out, 4 + has_duration) && put_list(import, out, "features", entry->feature_names) &&
           put_list(import, out, "threads", entry->filters) &&
           session_put_number(import, out, "interval", (double)entry->interval_ns / 1e6) &&
           session_put_number(import, out, "capacity", (double)entry->capacity_bytes) &&
           (!has_duration || session_put_number(import, out, "duration", (double)entry->duration_ns / 1e9));
}

/* The first process is what was recorded; when it becomes another program (`env python3`), that is. */
static bool is_product(const struct session_import *import)
{
    const struct session_file_header *header = &import->process.header;
    return header->pid == import->images.items[0].pid &&
           session_same_process(header->start_monotonic_ns, import->first_start_ns);
}

static bool set_product(struct session_import *import, const struct process_entry *entry)
{
    import->profile->meta.product = session_text(import, process_called(entry));
    text_cut(&import->arguments, 0);
    for (size_t i = 0; i < entry->arguments.length; i++) {
        char c = entry->arguments.text[i];
        if (c != '\0')
            text_add_char(&import->arguments, c);
        else if (i + 1 < entry->arguments.length)
            text_add_char(&import->arguments, ' ');
    }
    return string_exists(import->profile->meta.product) && !import->arguments.failed;
}

/* What was read from outside comes before what the process says itself. */
static void keep_seen(struct session_process *process, struct slice arguments)
{
    process->command_length = arguments.length < sizeof process->command ? arguments.length : sizeof process->command;
    memcpy(process->command, arguments.text, process->command_length);
}

bool session_process_meta(struct session_import *import, const struct process_entry *entry)
{
    struct session_process *process = &import->process;
    char title[PROCESS_TITLE_BYTES];
    bool is_seen = process_is_seen(entry);
    if (is_seen)
        keep_seen(process, entry->arguments);
    struct process_entry now = *entry;
    if (process->command_length > 0)
        now.arguments = (struct slice){process->command, process->command_length};
    process->name = session_text(import, import->file_count > 1 ? process_title(&now, title) : process_called(&now));
    return string_exists(process->name) && (is_seen || !is_product(import) || set_product(import, entry));
}

/* ---- pauses ---- */

static bool put_pause(struct session_import *import, uint64_t start, uint64_t end)
{
    struct session_process *process = &import->process;
    struct value_bytes *out = &process->paused;
    process->paused_count++;
    if (end != UINT64_MAX)
        process->paused_ns += end - start;
    return value_put_object(out, 3) && session_put_number(import, out, "startTime", session_ms(import, start)) &&
           session_put_number(import, out, "endTime", end == UINT64_MAX ? NAN : session_ms(import, end)) &&
           session_put_text(import, out, "reason", SLICE("profiler-paused"));
}

/* Both kinds of pauses count: in neither are there samples. */
bool session_pause(struct session_import *import, enum entry_kind kind, uint64_t time)
{
    return pauses_add(&import->process.pauses, kind, time);
}

bool session_end_pause(struct session_import *import)
{
    const struct pauses *pauses = &import->process.pauses;
    for (size_t i = 0; i < pauses->ranges.count; i++) {
        const struct pause_range *range = &pauses->ranges.items[i];
        if (range->end > range->start && !put_pause(import, range->start, range->end))
            return false;
    }
    return true;
}

/* ---- all of it ---- */

/* The keys are those that the Firefox Profiler knows, and one of our own, which it leaves alone. */
bool session_finish_meta(struct session_import *import)
{
    struct meta *meta = &import->profile->meta;
    struct value_bytes *out = &meta->whole;
    /* Readers leave out rows before the start of the recording, at its end and behind it. */
    bool is_earlier = import->first_row < import->profiling_start, is_later = import->last_row >= import->profiling_end;
    meta->profiling_start_time = is_earlier ? import->first_row : import->profiling_start;
    meta->profiling_end_time = is_later ? import->last_row + meta->interval : import->profiling_end;
    meta->symbolicated = false;
    meta->cpu_unit = CPU_NANOSECONDS;
    size_t place = value_open(out);
    uint32_t count = 9;
    bool done = place != SIZE_MAX && session_put_number(import, out, "version", 36) &&
                session_put_number(import, out, "processType", 0) && session_put_number(import, out, "stackwalk", 1) &&
                session_put_text(import, out, "platform", SLICE("Linux")) && session_put_key(import, out, "debug") &&
                value_put_boolean(out, false) && session_put_key(import, out, "product") &&
                value_put_string(out, meta->product) && session_put_key(import, out, "usesOnlyOneStackType") &&
                value_put_boolean(out, !import->any_runtime_frame) &&
                session_put_key(import, out, "sourceCodeIsNotOnSearchfox") && value_put_boolean(out, true);
    if (done && import->arguments.bytes.count > 0) {
        count++;
        done = session_put_text(import, out, "arguments", text_slice(&import->arguments));
    }
    if (done && import->configuration.bytes.count > 0) {
        count++;
        done = session_put_key(import, out, "configuration") && value_put_copy(out, import->configuration.bytes.items);
    }
    bool has_allocations = import->allocations.is_recorded, has_faults = import->faults.period > 0;
    return done && session_put_key(import, out, "sonde") && value_put_object(out, 3u + has_allocations + has_faults) &&
           (!has_allocations || (session_put_key(import, out, "allocations") && session_put_allocations(import, out))) &&
           (!has_faults || (session_put_key(import, out, "pageFaults") && session_put_faults(import, out))) &&
           session_put_text(import, out, "version", SLICE(SONDE_VERSION)) && session_put_key(import, out, "quality") &&
           session_put_quality(import, out) && session_put_key(import, out, "gathering") &&
           session_put_gathering(import, out) && value_close_object(out, place, count);
}
