#include "tree/grouping.h"

#include "tree/class_name.h"
#include "tree/name_fold.h"
#include "tree/step.h"

const char *const grouping_names[] = {"none", "library", "file", "category", "class", "size", "thread", NULL};

struct groups {
    const struct view *from;
    enum grouping by;
    struct string_table names; /* a group is its place in there */
    struct text_buffer scratch;
    uint32_t *of_func; /* for each func: its group, INDEX_NONE where that is not known yet */
};

/* Class templates are one class, whatever their arguments. */
static struct slice class_of_func(struct groups *groups, uint32_t func)
{
    struct slice name = class_of_name(func_list_name(groups->from->funcs, func));
    text_cut(&groups->scratch, 0);
    name_fold(name, &groups->scratch);
    return text_slice(&groups->scratch);
}

static struct slice name_of(struct groups *groups, uint32_t stack)
{
    static const struct slice nothing[GROUPINGS] = {
        [GROUP_LIBRARY] = SLICE("(no library)"),
        [GROUP_FILE] = SLICE("(no file)"),
        [GROUP_CATEGORY] = SLICE("(no category)"),
        [GROUP_CLASS] = SLICE("(no class)"),
    };
    const struct view *view = groups->from;
    const struct profile *profile = view->profile;
    uint32_t func = view->func[stack], category = pair_category(view->pair[stack]);
    struct slice name = SLICE("");
    if (groups->by == GROUP_LIBRARY)
        name = func_list_resource_name(view->funcs, func);
    else if (groups->by == GROUP_FILE)
        name = func_list_filename(view->funcs, func);
    else if (groups->by == GROUP_CLASS)
        name = class_of_func(groups, func);
    else if (category < profile->categories.rows.count)
        name = profile_text(profile, profile->categories.rows.items[category].name);
    return name.length > 0 ? name : nothing[groups->by];
}

/* The group of each stack. False when the heap is empty. */
static bool find_groups(struct groups *groups, uint32_t *of_stack)
{
    const struct view *view = groups->from;
    bool fits = true;
    for (uint32_t stack = 0; stack < view->count && fits; stack++) {
        uint32_t *known = groups->by == GROUP_CATEGORY ? NULL : &groups->of_func[view->func[stack]];
        if (!known || *known == INDEX_NONE) {
            of_stack[stack] = string_table_add(&groups->names, name_of(groups, stack)).i;
            fits = of_stack[stack] != INDEX_NONE && !groups->scratch.failed;
            if (known)
                *known = of_stack[stack];
        } else {
            of_stack[stack] = *known;
        }
    }
    return fits;
}

/* Inner calls become siblings of the outermost one, and so fall into the same call node. */
static void merge_calls(struct step *step)
{
    const struct view *from = step->from;
    for (uint32_t stack = 0; stack < from->count; stack++) {
        uint32_t prefix = from->prefix[stack];
        bool within = prefix != INDEX_NONE && step->to->func[prefix] == step->to->func[stack];
        step->to->prefix[stack] = within ? step->to->prefix[prefix] : prefix;
    }
}

int group_view(const struct view *from, enum grouping by, struct view *to, struct error *error)
{
    struct groups groups = {.from = from, .by = by};
    struct func_list *funcs = NULL;
    struct step step;
    int status = step_begin(&step, from, STEP_PREFIX | STEP_FUNC, to, error);
    if (status != 0)
        return status;
    groups.of_func = memory_array((size_t)from->funcs->count + 1, sizeof *groups.of_func);
    for (uint32_t func = 0; groups.of_func && func < from->funcs->count; func++)
        groups.of_func[func] = INDEX_NONE;
    if (groups.of_func && find_groups(&groups, to->func))
        funcs = func_list_of_groups(from->profile, &groups.names);
    if (funcs) {
        merge_calls(&step);
        func_list_drop(to->funcs);
        to->funcs = funcs;
        status = step_end(&step, error);
    } else {
        view_free(to);
        status = error_out_of_memory(error);
    }
    memory_release(groups.of_func);
    text_free(&groups.scratch);
    string_table_free(&groups.names);
    return status;
}
