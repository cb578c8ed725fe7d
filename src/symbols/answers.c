#include "symbols/answers.h"

#include "symbols/file_map.h"

void symbol_answers_free(struct symbol_answers *answers)
{
    string_table_free(&answers->strings);
    vec_free(&answers->rows);
    vec_free(&answers->inlines);
    file_unmap(answers->mapped);
    answers->mapped = (struct slice){0};
}

const struct symbol_answer *symbol_answers_find(const struct symbol_answers *answers, uint64_t address)
{
    size_t low = 0, high = answers->rows.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (answers->rows.items[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < answers->rows.count && answers->rows.items[low].address == address;
    return found ? &answers->rows.items[low] : NULL;
}

/* ---- adding others ---- */

static bool add_text(struct symbol_answers *answers, const struct symbol_answers *others, struct string_index *text)
{
    if (string_exists(*text)) {
        *text = string_table_add(&answers->strings, symbol_text(others, *text));
        return string_exists(*text);
    }
    return true;
}

static bool add_call(struct symbol_answers *answers, const struct symbol_answers *others, struct symbol_call *call)
{
    return add_text(answers, others, &call->function) && add_text(answers, others, &call->mangled) &&
           add_text(answers, others, &call->file);
}

static bool add_row(struct symbol_answers *answers, const struct symbol_answers *others, struct symbol_answer row)
{
    uint32_t first = row.first_inline;
    row.first_inline = (uint32_t)answers->inlines.count;
    for (uint32_t i = 0; i < row.inline_count; i++) {
        struct symbol_call call = others->inlines.items[first + i];
        if (!add_call(answers, others, &call) || !vec_push(&answers->inlines, call))
            return false;
    }
    return add_text(answers, others, &row.symbol) && add_text(answers, others, &row.mangled) &&
           add_call(answers, others, &row.outer) && vec_push(&answers->rows, row);
}

bool symbol_answers_add(struct symbol_answers *answers, const struct symbol_answers *others)
{
    size_t own = answers->rows.count, next = 0;
    VEC(struct symbol_answer) before = {0};
    if (!vec_reserve(&before, own))
        return false;
    if (own > 0)
        memcpy(before.items, answers->rows.items, own * sizeof *before.items);
    bool done = true;
    answers->rows.count = 0;
    for (size_t i = 0; i < others->rows.count && done; i++) {
        const struct symbol_answer *row = &others->rows.items[i];
        while (done && next < own && before.items[next].address <= row->address)
            done = vec_push(&answers->rows, before.items[next++]);
        size_t count = answers->rows.count;
        if (done && (count == 0 || answers->rows.items[count - 1].address != row->address))
            done = add_row(answers, others, *row);
    }
    while (done && next < own)
        done = vec_push(&answers->rows, before.items[next++]);
    vec_free(&before);
    return done;
}
