#include "top/top.h"

#include "top/panel.h"

#include <errno.h>

/* ---- the answer ---- */

/* What is made of an answer, once there is a new one. */
static void refresh(struct top *top)
{
    if (top->generation == top->look.generation)
        return;
    top->generation = top->look.generation;
    tree_lines_free(&top->tree);
    tree_lines_begin(&top->tree, top->look.answer->view.funcs, top->look.answer, &top->terminal);
    top_find_again(top);
    if (top->under == PANEL_FUNCTIONS)
        functions_open(top);
}

int top_open(struct top *top, const char *file, const char *filters, const struct view *whole, const struct query *query,
             const struct top_sources *sources, const struct terminal *terminal)
{
    *top = (struct top){.file = file,
                        .filters = filters,
                        .sources = *sources,
                        .terminal = *terminal,
                        .list_rows = 20,
                        .functions_sort = SORT_SELF};
    int status = look_open(&top->look, whole, query);
    if (status != 0)
        return status;
    refresh(top);
    return 0;
}

void top_free(struct top *top)
{
    tree_lines_free(&top->tree);
    function_list_free(&top->functions);
    line_timings_free(&top->timings);
    memory_release(top->found);
    memory_release(top->found_before);
    text_free(&top->found_text);
    text_free(&top->typed);
    vec_free(&top->threads);
    vec_free(&top->strategies);
    look_free(&top->look);
}

/* ---- typing ---- */

static void begin_typing(struct top *top, char prompt)
{
    top->prompt = prompt;
    text_cut(&top->typed, 0);
}

static void erase_character(struct text_buffer *text)
{
    size_t length = text->bytes.count;
    while (length > 0 && ((unsigned char)text->bytes.items[length - 1] & 0xc0) == 0x80)
        length--;
    text_cut(text, length > 0 ? length - 1 : 0);
}

static void end_typing(struct top *top)
{
    char prompt = top->prompt;
    top->prompt = 0;
    if (prompt == '/')
        top_find_text(top, text_slice(&top->typed));
    else if (top->typed.bytes.count > 0)
        top_keep(top, text_slice(&top->typed));
}

static void type_key(struct top *top, int key)
{
    enum { LONGEST = 1000 };
    if (key == KEY_ENTER)
        end_typing(top);
    else if (key == KEY_ESCAPE || (key == KEY_BACKSPACE && top->typed.bytes.count == 0))
        top->prompt = 0;
    else if (key == KEY_BACKSPACE)
        erase_character(&top->typed);
    else if (key == KEY_CTRL('u'))
        text_cut(&top->typed, 0);
    else if (key >= ' ' && key < KEY_NONE && top->typed.bytes.count < LONGEST)
        text_add_char(&top->typed, (char)key);
}

/* ---- keys of all panels ---- */

static bool move(struct top *top, int key)
{
    size_t chosen = panel_chosen(top), page = top->list_rows > 1 ? top->list_rows - 1 : 1;
    switch (key) {
    case KEY_UP:
    case 'k':
    case KEY_CTRL('p'):
        panel_choose(top, chosen > 0 ? chosen - 1 : 0);
        return true;
    case KEY_DOWN:
    case 'j':
    case KEY_CTRL('n'):
        panel_choose(top, chosen + 1);
        return true;
    case KEY_PAGE_UP:
    case KEY_CTRL('b'):
        panel_choose(top, chosen > page ? chosen - page : 0);
        return true;
    case KEY_PAGE_DOWN:
    case KEY_CTRL('f'):
        panel_choose(top, chosen + page);
        return true;
    case KEY_HOME:
        panel_choose(top, 0);
        return true;
    case KEY_END:
        panel_choose(top, SIZE_MAX - 1);
        return true;
    default:
        return false;
    }
}

/* Back to what is under a panel, or out. */
static bool leave(struct top *top, int key)
{
    if (key == 'q' && top->panel == top->under)
        top->done = true;
    else if (key == 'q' || key == KEY_ESCAPE)
        top->panel = top->under;
    else
        return false;
    return true;
}

static bool find_key(struct top *top, int key)
{
    if (key == '/')
        begin_typing(top, '/');
    else if (key == 'n' || key == 'N')
        top_find(top, key == 'N');
    else
        return false;
    return true;
}

/* ---- keys of the tree and the functions ---- */

static void switch_panel(struct top *top)
{
    uint32_t func = panel_func(top);
    if (top->panel == PANEL_TREE) {
        functions_open(top);
        top->panel = top->under = PANEL_FUNCTIONS;
        return;
    }
    top->panel = top->under = PANEL_TREE;
    if (func != INDEX_NONE && func != look_func(&top->look))
        top_worked(top, look_go_to_func(&top->look, func));
}

/* The function stays chosen, where other frames are shown around it. */
static void switch_implementation(struct top *top)
{
    uint32_t func = look_func(&top->look);
    struct query query = top->look.query;
    query.implementation = query.implementation == IMPLEMENTATION_CPP ? IMPLEMENTATION_COMBINED : query.implementation + 1;
    if (!top_worked(top, look_ask(&top->look, &query)))
        return;
    if (func != INDEX_NONE && func != look_func(&top->look))
        top_worked(top, look_go_to_func(&top->look, func));
    top_say(top, "%s",
            query.implementation == IMPLEMENTATION_COMBINED ? "all frames"
            : query.implementation == IMPLEMENTATION_JS     ? "frames of scripts"
                                                            : "native frames");
}

static void switch_idle(struct top *top)
{
    struct query query = top->look.query;
    query.exclude_idle = !query.exclude_idle;
    if (top_worked(top, look_ask(&top->look, &query)))
        top_say(top, query.exclude_idle ? "without idle samples" : "with idle samples");
}

static void take_back(struct top *top)
{
    int status = look_take_back(&top->look);
    if (status == -ENOENT && top->look.error.code == 0)
        top_say(top, "there is nothing to take back");
    else
        top_worked(top, status);
}

static bool command(struct top *top, int key)
{
    switch (key) {
    case KEY_TAB:
        switch_panel(top);
        return true;
    case KEY_ENTER:
        if (panel_func(top) != INDEX_NONE)
            source_open(top, panel_func(top));
        return true;
    case 'i':
        top_worked(top, look_invert(&top->look));
        return true;
    case 'T':
        threads_open(top);
        return true;
    case 'w':
        strategies_open(top);
        return true;
    case 't':
        switch_implementation(top);
        return true;
    case 'x':
        switch_idle(top);
        return true;
    case '&':
        begin_typing(top, '&');
        return true;
    case KEY_BACKSPACE:
    case KEY_CTRL('z'):
        take_back(top);
        return true;
    default:
        return top_transform(top, key);
    }
}

void top_key(struct top *top, int key)
{
    top->message[0] = '\0';
    if (top->prompt)
        type_key(top, key);
    else if (key == '?')
        top->panel = top->panel == PANEL_HELP ? top->under : PANEL_HELP;
    else if (!panel_of(top)->key(top, key) && !move(top, key) && !leave(top, key) && !find_key(top, key) &&
             top->panel == top->under)
        command(top, key);
    refresh(top);
    panel_scroll(top);
}
