#include "top/panel.h"

static const struct panel *const panels[PANELS] = {
    [PANEL_TREE] = &tree_panel,       [PANEL_FUNCTIONS] = &functions_panel,   [PANEL_SOURCE] = &source_panel,
    [PANEL_THREADS] = &threads_panel, [PANEL_STRATEGIES] = &strategies_panel, [PANEL_HELP] = &help_panel,
};

const struct panel *panel_of(const struct top *top)
{
    return panels[top->panel];
}

size_t panel_chosen(const struct top *top)
{
    return top->panel == PANEL_TREE ? top->look.chosen : top->lists[top->panel].chosen;
}

void panel_choose(struct top *top, size_t row)
{
    size_t count = panel_of(top)->count(top);
    row = count == 0 ? 0 : row < count ? row : count - 1;
    *(top->panel == PANEL_TREE ? &top->look.chosen : &top->lists[top->panel].chosen) = row;
}

uint32_t panel_func(const struct top *top)
{
    if (top->under == PANEL_TREE)
        return look_func(&top->look);
    size_t row = top->lists[PANEL_FUNCTIONS].chosen;
    return row < top->functions.rows.count ? top->functions.rows.items[row].func : INDEX_NONE;
}

size_t panel_scroll(struct top *top)
{
    struct top_list *list = &top->lists[top->panel];
    size_t count = panel_of(top)->count(top), chosen = panel_chosen(top), rows = top->list_rows;
    if (count > 0 && chosen >= count)
        panel_choose(top, chosen = count - 1);
    if (top->panel == PANEL_HELP) /* a text, in which nothing is chosen */
        list->first = chosen;
    if (list->first + rows > count)
        list->first = count > rows ? count - rows : 0;
    if (top->panel == PANEL_HELP)
        return list->chosen = list->first;
    if (chosen < list->first)
        list->first = chosen;
    if (rows > 0 && chosen >= list->first + rows)
        list->first = chosen - rows + 1;
    return list->first;
}
