/* What is counted, of what these threads have. */
#include "top/panel.h"

static size_t count(const struct top *top)
{
    return top->strategies.count;
}

void strategies_open(struct top *top)
{
    const struct look *look = &top->look;
    top->strategies.count = 0;
    top->panel = PANEL_STRATEGIES;
    top->lists[PANEL_STRATEGIES] = (struct top_list){0};
    for (size_t i = 0; i < STRATEGIES; i++)
        if (strategy_is_available(look->profile, look->threads.items, look->threads.count, (enum strategy)i)) {
            if (i == look->query.strategy)
                top->lists[PANEL_STRATEGIES].chosen = top->strategies.count;
            if (!vec_push(&top->strategies, (enum strategy)i))
                top_worked(top, error_out_of_memory(&top->look.error));
        }
}

static void heading(struct top *top, struct line *line)
{
    line_add(line, terminal_style(&top->terminal, STYLE_HEADING), 0);
    line_print(line, "   what is counted");
    line_add(line, terminal_style(&top->terminal, STYLE_PLAIN), 0);
}

static void draw(struct top *top, size_t at, bool first, struct line *line)
{
    (void)first;
    static const char *const meanings[STRATEGIES] = {
        [STRATEGY_TIMING] = "each sample with its weight",
        [STRATEGY_CPU] = "CPU time",
        [STRATEGY_JS_ALLOCATIONS] = "bytes that scripts allocated",
        [STRATEGY_NATIVE_ALLOCATIONS] = "bytes allocated",
        [STRATEGY_NATIVE_RETAINED] = "bytes allocated and not freed",
        [STRATEGY_NATIVE_DEALLOCATIONS_MEMORY] = "bytes freed, by where they were allocated",
        [STRATEGY_NATIVE_DEALLOCATIONS_SITES] = "bytes freed, by where that was",
        [STRATEGY_NATIVE_PEAK] = "bytes allocated when most were",
        [STRATEGY_NATIVE_LEAKED] = "bytes never freed, but for the youngest",
        [STRATEGY_NATIVE_TEMPORARY] = "bytes freed at once",
        [STRATEGY_PAGE_FAULTS] = "page faults",
        [STRATEGY_TIME] = "each sample for the time until the next",
        [STRATEGY_SAMPLES] = "each sample once",
    };
    enum strategy strategy = top->strategies.items[at];
    line_print(line, " %c %-28s %s", strategy == top->look.query.strategy ? 'x' : ' ', strategy_names[strategy],
               meanings[strategy] ? meanings[strategy] : "");
}

static bool key(struct top *top, int key)
{
    if (key != KEY_ENTER && key != KEY_RIGHT)
        return false;
    if (top->strategies.count == 0)
        return true;
    struct query query = top->look.query;
    query.strategy = top->strategies.items[panel_chosen(top)];
    if (top_worked(top, look_ask(&top->look, &query)))
        top->panel = top->under;
    return true;
}

const struct panel strategies_panel = {
    .keys = "Enter this one  Escape back",
    .count = count,
    .heading = heading,
    .draw = draw,
    .key = key,
};
