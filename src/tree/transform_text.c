#include "tree/transform_text.h"

#include "tree/func_origin.h"

#include <errno.h>
#include <stdio.h>

/* ---- names ---- */

static const char *const transform_names[TRANSFORM_TYPES] = {
    [FOCUS_SUBTREE] = "focus-subtree",
    [FOCUS_FUNCTION] = "focus-function",
    [FOCUS_SELF] = "focus-self",
    [FOCUS_CATEGORY] = "focus-category",
    [MERGE_CALL_NODE] = "merge-call-node",
    [MERGE_FUNCTION] = "merge-function",
    [DROP_FUNCTION] = "drop-function",
    [COLLAPSE_RESOURCE] = "collapse-resource",
    [COLLAPSE_DIRECT_RECURSION] = "collapse-direct-recursion",
    [COLLAPSE_RECURSION] = "collapse-recursion",
    [COLLAPSE_FUNCTION_SUBTREE] = "collapse-function-subtree",
    [FILTER_SAMPLES] = "filter-samples",
    [KEEP_MATCHING] = "keep-matching",
    [DROP_MATCHING] = "drop-matching",
    [MERGE_MATCHING] = "merge-matching",
    [COLLAPSE_MATCHING] = "collapse-matching",
};

static const char *const sample_filter_names[SAMPLE_FILTERS] = {
    [FILTER_MARKER_SEARCH] = "marker-search",       [FILTER_OUTSIDE_MARKER] = "outside-marker",
    [FILTER_FUNCTION_INCLUDE] = "function-include", [FILTER_STACK_PREFIX] = "stack-prefix",
    [FILTER_STACK_SUFFIX] = "stack-suffix",
};

const char *transform_name(enum transform_type type)
{
    return transform_names[type];
}

/* The index of `name`, or `count`. */
static size_t find_name(const char *const *names, size_t count, struct slice name)
{
    size_t i = 0;
    while (i < count && !slice_equal(name, slice_of(names[i])))
        i++;
    return i;
}

/* Cuts `text` at the first `separator`: the part before it; `rest` is what follows, empty where there is none. */
static struct slice split(struct slice text, char separator, struct slice *rest)
{
    const char *at = text.length > 0 ? memchr(text.text, separator, text.length) : NULL;
    if (!at) {
        *rest = slice_from(text, text.length);
        return text;
    }
    size_t length = (size_t)(at - text.text);
    *rest = slice_from(text, length + 1);
    return slice_until(text, length);
}

static int quoted_length(struct slice text)
{
    return text.length > 100 ? 100 : (int)text.length;
}

/* ---- functions ---- */

/* `f-12`, where there is such a row. */
static bool parse_handle(struct slice text, char letter, size_t count, uint32_t *index)
{
    if (text.length < 3 || text.length > 12 || text.text[0] != letter || text.text[1] != '-')
        return false;
    uint64_t number = 0;
    for (size_t i = 2; i < text.length; i++) {
        if (text.text[i] < '0' || text.text[i] > '9')
            return false;
        number = number * 10 + (uint64_t)(text.text[i] - '0');
    }
    *index = (uint32_t)number;
    return number < count;
}

/* ", f-12 (libc.so.6)": one of several that are called the same. Of the library or file the end of its last part. */
static size_t describe(const struct func_list *funcs, uint32_t func, bool first, char *text, size_t room)
{
    enum { ORIGIN_MOST = 40 };
    struct func_origin origin = func_origin(funcs, func);
    const char *last = strrchr(origin.text, '/');
    struct slice name = slice_of(last ? last + 1 : origin.text);
    if (name.length > ORIGIN_MOST)
        name = slice_from(name, name.length - ORIGIN_MOST);
    /* A resource is from nowhere: its name is known. */
    bool known = func < funcs->own_count && name.length > 0;
    return (size_t)snprintf(text, room, "%sf-%u%s%.*s%s", first ? "" : ", ", func, known ? " (" : "",
                            known ? (int)name.length : 0, name.text, known ? ")" : "");
}

/* Rows [first, end) of the funcs that are called so: how many, with the first one in *found and all of them in `list`, the
 * last one `…` where there is no room for all. */
static size_t find_funcs(const struct func_list *funcs, uint32_t first, uint32_t end, struct string_index name, uint32_t *found,
                         char *list, size_t room)
{
    static const char more[] = ", …";
    size_t count = 0, used = 0;
    bool full = false;
    for (uint32_t func = first; func < end; func++) {
        if (funcs->name[func] != name.i)
            continue;
        if (count++ == 0)
            *found = func;
        if (full)
            continue;
        char one[80];
        size_t length = describe(funcs, func, count == 1, one, sizeof one);
        full = used + length + sizeof more > room;
        used += (size_t)snprintf(list + used, room - used, "%s", full ? more : one);
    }
    return count;
}

int func_parse(const struct func_list *funcs, struct slice text, uint32_t *func, struct error *error)
{
    if (parse_handle(text, 'f', funcs->count, func))
        return 0;
    char list[200] = "";
    size_t count = 0;
    struct string_index name = string_table_find(&funcs->profile->strings, text);
    if (string_exists(name)) {
        count = find_funcs(funcs, 0, funcs->own_count, name, func, list, sizeof list);
        if (count == 0)
            count = find_funcs(funcs, funcs->own_count, funcs->count, name, func, list, sizeof list);
    }
    if (count == 0)
        return error_set(error, -EINVAL, "no function is called '%.*s'", quoted_length(text), text.text);
    if (count > 1)
        return error_set(error, -EINVAL, "%zu functions are called '%.*s': %s", count, quoted_length(text), text.text, list);
    return 0;
}

int path_parse(const struct func_list *funcs, struct slice text, struct path *path, struct error *error)
{
    while (text.length > 0) {
        uint32_t func;
        bool more = memchr(text.text, ';', text.length) != NULL;
        struct slice name = split(text, ';', &text);
        int status = func_parse(funcs, name, &func, error);
        if (status != 0)
            return status;
        if (!path_push(path, func))
            return error_out_of_memory(error);
        if (more && text.length == 0)
            return error_set(error, -EINVAL, "no function is named after the last ';'");
    }
    return 0;
}

/* ---- arguments ---- */

static int parse_category(const struct profile *profile, struct slice text, uint32_t *category, struct error *error)
{
    struct category_index found = category_list_find(&profile->categories, &profile->strings, text);
    *category = found.i;
    if (category_exists(found))
        return 0;
    return error_set(error, -EINVAL, "no category is called '%.*s'", quoted_length(text), text.text);
}

/* A resource by name, or by the handle of the func that stands for it. */
static int parse_resource(const struct func_list *funcs, struct slice text, struct transform *transform, struct error *error)
{
    char list[200] = "";
    size_t count = 0;
    struct string_index name = string_table_find(&funcs->profile->strings, text);
    if (string_exists(name))
        count = find_funcs(funcs, funcs->own_count, funcs->count, name, &transform->func, list, sizeof list);
    if (count == 0 && parse_handle(text, 'f', funcs->count, &transform->func) && transform->func >= funcs->own_count)
        count = 1;
    if (count == 0)
        return error_set(error, -EINVAL, "no library or site is called '%.*s'", quoted_length(text), text.text);
    if (count > 1)
        return error_set(error, -EINVAL, "%zu libraries or sites are called '%.*s': %s", count, quoted_length(text), text.text,
                         list);
    transform->resource = transform->func - funcs->own_count;
    return 0;
}

static int parse_filter_kind(struct slice text, struct transform *transform, struct slice *value, struct error *error)
{
    struct slice kind = split(text, ':', value);
    size_t filter = find_name(sample_filter_names, SAMPLE_FILTERS, kind);
    if (filter == SAMPLE_FILTERS || kind.length == text.length)
        return error_set(error, -EINVAL,
                         "'%.*s': filter-samples wants KIND:VALUE, KIND one of marker-search, outside-marker, "
                         "function-include, stack-prefix, stack-suffix",
                         quoted_length(text), text.text);
    transform->filter = (enum sample_filter)filter;
    return 0;
}

static bool filters_by_marker(const struct transform *transform)
{
    return transform->filter == FILTER_MARKER_SEARCH || transform->filter == FILTER_OUTSIDE_MARKER;
}

static int no_function_named(const struct transform *transform, struct error *error)
{
    return error_set(error, -EINVAL, "filter-samples:%s: no function is named", sample_filter_names[transform->filter]);
}

static int keep_text(struct slice text, struct transform *transform, struct error *error)
{
    transform->text = memory_array(text.length + 1, 1);
    if (!transform->text)
        return error_out_of_memory(error);
    memcpy(transform->text, text.text, text.length);
    transform->text[text.length] = '\0';
    return 0;
}

static int check_search(struct slice text, const struct transform *transform, struct error *error)
{
    struct error wrong = {0};
    int status = search_change_check(transform_search_change(transform), text, &wrong);
    return status == 0 ? 0 : error_set(error, status, "%s: %s", transform_names[transform->type], wrong.message);
}

static int parse_search(struct slice text, struct transform *transform, struct error *error)
{
    int status = check_search(text, transform, error);
    return status == 0 ? keep_text(text, transform, error) : status;
}

static int parse_sample_filter(const struct func_list *funcs, struct slice text, struct transform *transform,
                               struct error *error)
{
    struct slice value;
    int status = parse_filter_kind(text, transform, &value, error);
    if (status != 0)
        return status;
    if (filters_by_marker(transform))
        return keep_text(value, transform, error);
    status = path_parse(funcs, value, &transform->path, error);
    if (status == 0 && transform->path.funcs.count == 0)
        return no_function_named(transform, error);
    if (status == 0 && transform->filter == FILTER_STACK_SUFFIX && transform->path.funcs.count > 1)
        return error_set(error, -EINVAL, "filter-samples:stack-suffix: one function is wanted");
    return status;
}

static int parse_arguments(const struct func_list *funcs, struct slice text, struct transform *transform, struct error *error)
{
    switch (transform->type) {
    case FOCUS_SUBTREE:
    case MERGE_CALL_NODE:
        return path_parse(funcs, text, &transform->path, error);
    case FOCUS_CATEGORY:
        return parse_category(funcs->profile, text, &transform->category, error);
    case COLLAPSE_RESOURCE:
        return parse_resource(funcs, text, transform, error);
    case FILTER_SAMPLES:
        return parse_sample_filter(funcs, text, transform, error);
    case KEEP_MATCHING:
    case DROP_MATCHING:
    case MERGE_MATCHING:
    case COLLAPSE_MATCHING:
        return parse_search(text, transform, error);
    case FOCUS_FUNCTION:
    case FOCUS_SELF:
    case MERGE_FUNCTION:
    case DROP_FUNCTION:
    case COLLAPSE_DIRECT_RECURSION:
    case COLLAPSE_RECURSION:
    case COLLAPSE_FUNCTION_SUBTREE:
    case TRANSFORM_TYPES:
        break;
    }
    return func_parse(funcs, text, &transform->func, error);
}

/* ---- the whole ---- */

static int parse_head(struct slice head, struct transform *transform, struct error *error)
{
    struct slice modifiers, name = split(head, '+', &modifiers);
    size_t type = find_name(transform_names, TRANSFORM_TYPES, name);
    if (type == TRANSFORM_TYPES)
        return error_set(error, -EINVAL, "there is no transform '%.*s'", quoted_length(name), name.text);
    transform->type = (enum transform_type)type;
    bool filtered = false;
    for (bool more = name.length < head.length; more;) {
        size_t length = modifiers.length;
        struct slice modifier = split(modifiers, '+', &modifiers);
        more = modifier.length < length;
        if (slice_is(modifier, "inverted") && type == FOCUS_SUBTREE)
            transform->inverted = true;
        else if (slice_is(modifier, "inverted"))
            return error_set(error, -EINVAL, "%s: only focus-subtree can be inverted", transform_names[type]);
        else if (!implementation_parse(modifier, &transform->implementation))
            return error_set(error, -EINVAL, "%s: '%.*s' is no modifier (js, cpp, combined, inverted)", transform_names[type],
                             quoted_length(modifier), modifier.text);
        else if (filtered)
            return error_set(error, -EINVAL, "%s: one of js, cpp and combined is enough", transform_names[type]);
        else
            filtered = true;
    }
    return 0;
}

static int missing_argument(const struct transform *transform, struct error *error)
{
    return error_set(error, -EINVAL, "%s: what to apply it to is missing (NAME:ARGUMENTS)", transform_names[transform->type]);
}

int transform_check(struct slice text, struct error *error)
{
    struct transform transform = {0};
    struct slice arguments, head = split(text, ':', &arguments);
    int status = parse_head(head, &transform, error);
    if (status != 0)
        return status;
    if (arguments.length == 0)
        return missing_argument(&transform, error);
    if (transform_is_search(&transform))
        return check_search(arguments, &transform, error);
    if (transform.type != FILTER_SAMPLES)
        return 0;
    struct slice value;
    status = parse_filter_kind(arguments, &transform, &value, error);
    if (status == 0 && !filters_by_marker(&transform) && value.length == 0)
        return no_function_named(&transform, error);
    return status;
}

int transform_parse(const struct func_list *funcs, struct slice text, enum implementation implementation,
                    struct transform *transform, struct error *error)
{
    *transform = (struct transform){
        .implementation = implementation, .func = INDEX_NONE, .resource = INDEX_NONE, .category = INDEX_NONE};
    struct slice arguments, head = split(text, ':', &arguments);
    int status = parse_head(head, transform, error);
    if (status == 0 && head.length == text.length)
        status = missing_argument(transform, error);
    if (status == 0)
        status = parse_arguments(funcs, arguments, transform, error);
    if (status != 0)
        transform_free(transform);
    return status;
}

static void print_handle(uint32_t func, struct text_buffer *out)
{
    char text[16];
    text_add(out, (struct slice){text, (size_t)snprintf(text, sizeof text, "f-%u", func)});
}

static void print_path(const struct path *path, struct text_buffer *out)
{
    for (size_t i = 0; i < path->funcs.count; i++) {
        if (i > 0)
            text_add_char(out, ';');
        print_handle(path->funcs.items[i], out);
    }
}

static void print_arguments(const struct transform *transform, const struct func_list *funcs, struct text_buffer *out)
{
    switch (transform->type) {
    case FOCUS_SUBTREE:
    case MERGE_CALL_NODE:
        print_path(&transform->path, out);
        break;
    case FOCUS_CATEGORY:
        if (transform->category < funcs->profile->categories.rows.count)
            text_add(out, profile_text(funcs->profile, funcs->profile->categories.rows.items[transform->category].name));
        break;
    case FILTER_SAMPLES:
        text_add(out, slice_of(sample_filter_names[transform->filter]));
        text_add_char(out, ':');
        if (transform->text)
            text_add(out, slice_of(transform->text));
        print_path(&transform->path, out);
        break;
    case KEEP_MATCHING:
    case DROP_MATCHING:
    case MERGE_MATCHING:
    case COLLAPSE_MATCHING:
        text_add(out, slice_of(transform->text ? transform->text : ""));
        break;
    case COLLAPSE_RESOURCE:
    case FOCUS_FUNCTION:
    case FOCUS_SELF:
    case MERGE_FUNCTION:
    case DROP_FUNCTION:
    case COLLAPSE_DIRECT_RECURSION:
    case COLLAPSE_RECURSION:
    case COLLAPSE_FUNCTION_SUBTREE:
    case TRANSFORM_TYPES:
        print_handle(transform->func, out);
        break;
    }
}

static bool has_implementation(enum transform_type type)
{
    return type == FOCUS_SUBTREE || type == FOCUS_SELF || type == MERGE_CALL_NODE || type == COLLAPSE_RESOURCE ||
           type == COLLAPSE_DIRECT_RECURSION;
}

void transform_print(const struct transform *transform, const struct func_list *funcs, enum implementation implementation,
                     struct text_buffer *out)
{
    text_add(out, slice_of(transform_names[transform->type]));
    if (has_implementation(transform->type) && transform->implementation != implementation) {
        text_add_char(out, '+');
        text_add(out, slice_of(implementation_name(transform->implementation)));
    }
    if (transform->inverted)
        text_add(out, SLICE("+inverted"));
    text_add_char(out, ':');
    print_arguments(transform, funcs, out);
}
