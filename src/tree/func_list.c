#include "tree/func_list.h"

#include "tree/shared.h"

static const char *const implementation_names[] = {"combined", "js", "cpp"};

const char *implementation_name(enum implementation implementation)
{
    return implementation_names[implementation];
}

bool implementation_parse(struct slice name, enum implementation *implementation)
{
    for (size_t i = 0; i < sizeof implementation_names / sizeof *implementation_names; i++)
        if (slice_equal(name, slice_of(implementation_names[i]))) {
            *implementation = (enum implementation)i;
            return true;
        }
    return false;
}

/* Native code without a library and with an address for a name is most likely compiled JavaScript. */
static bool is_probably_jit(const struct func_list *funcs, uint32_t func)
{
    return funcs->resource[func] == INDEX_NONE && slice_starts_with(func_list_name(funcs, func), SLICE("0x"));
}

static uint8_t shown_bits(const struct func_list *funcs, uint32_t func, bool is_js, bool relevant_for_js)
{
    bool cpp = !is_js && !is_probably_jit(funcs, func);
    return (uint8_t)(1 << IMPLEMENTATION_COMBINED | (is_js || relevant_for_js) << IMPLEMENTATION_JS |
                     cpp << IMPLEMENTATION_CPP);
}

static void read_own_funcs(struct func_list *funcs)
{
    const struct func_table *table = &funcs->profile->funcs;
    column_read_u32(&table->name, 0, funcs->own_count, funcs->name);
    column_read_u32(&table->resource, 0, funcs->own_count, funcs->resource);
    column_read_u32(&table->source, 0, funcs->own_count, funcs->source);
    for (uint32_t func = 0; func < funcs->own_count; func++) {
        int64_t flags = column_get(&table->flags, func);
        funcs->shown[func] = shown_bits(funcs, func, flags & FUNC_IS_JS, flags & FUNC_RELEVANT_FOR_JS);
    }
}

static void add_reserved_funcs(struct func_list *funcs)
{
    const struct resource_table *table = &funcs->profile->resources;
    for (uint32_t resource = 0; resource < table->rows.count; resource++) {
        uint32_t func = func_list_collapsed(funcs, resource);
        bool is_script = resource_is_script(table->rows.items[resource].type);
        funcs->name[func] = table->rows.items[resource].name.i;
        funcs->resource[func] = resource;
        funcs->source[func] = INDEX_NONE;
        funcs->shown[func] = shown_bits(funcs, func, is_script, is_script);
    }
}

/* Room for `own` functions and `reserved` ones; NULL when the heap is empty. */
static struct func_list *allocate(const struct profile *profile, size_t own, size_t reserved)
{
    struct func_list *funcs = shared_array(1, sizeof *funcs);
    if (!funcs)
        return NULL;
    size_t count = own + reserved;
    *funcs = (struct func_list){
        .profile = profile,
        .own_count = (uint32_t)own,
        .count = (uint32_t)count,
        .name = memory_array(count, sizeof *funcs->name),
        .resource = memory_array(count, sizeof *funcs->resource),
        .source = memory_array(count, sizeof *funcs->source),
        .shown = memory_array(count, sizeof *funcs->shown),
    };
    if (count < INDEX_NONE && funcs->name && funcs->resource && funcs->source && funcs->shown)
        return funcs;
    func_list_drop(funcs);
    return NULL;
}

struct func_list *func_list_create(const struct profile *profile)
{
    struct func_list *funcs = allocate(profile, func_count(&profile->funcs), profile->resources.rows.count);
    if (!funcs)
        return NULL;
    read_own_funcs(funcs);
    add_reserved_funcs(funcs);
    return funcs;
}

struct func_list *func_list_of_groups(const struct profile *profile, struct string_table *names)
{
    struct func_list *funcs = allocate(profile, string_table_count(names), 0);
    if (!funcs)
        return NULL;
    funcs->groups = *names;
    *names = (struct string_table){0};
    for (uint32_t func = 0; func < funcs->count; func++) {
        funcs->name[func] = INDEX_NONE;
        funcs->resource[func] = funcs->source[func] = INDEX_NONE;
        funcs->shown[func] = UINT8_MAX;
    }
    return funcs;
}

struct func_list *func_list_keep(struct func_list *funcs)
{
    return shared_keep(funcs);
}

void func_list_drop(struct func_list *funcs)
{
    if (!funcs)
        return;
    struct func_list contents = *funcs;
    if (!shared_drop(funcs))
        return;
    memory_release(contents.name);
    memory_release(contents.resource);
    memory_release(contents.source);
    memory_release(contents.shown);
    string_table_free(&contents.groups);
}

struct slice func_list_name(const struct func_list *funcs, uint32_t func)
{
    if (func == INDEX_NONE)
        return SLICE("");
    return func_list_is_grouped(funcs) ? string_table_get(&funcs->groups, string_at(func))
                                       : profile_text(funcs->profile, string_at(funcs->name[func]));
}

struct slice func_list_resource_name(const struct func_list *funcs, uint32_t func)
{
    uint32_t resource = func == INDEX_NONE ? INDEX_NONE : funcs->resource[func];
    return resource == INDEX_NONE ? SLICE("")
                                  : profile_text(funcs->profile, funcs->profile->resources.rows.items[resource].name);
}

struct slice func_list_filename(const struct func_list *funcs, uint32_t func)
{
    uint32_t source = func == INDEX_NONE ? INDEX_NONE : funcs->source[func];
    return source == INDEX_NONE ? SLICE("") : profile_text(funcs->profile, funcs->profile->sources.rows.items[source].filename);
}
