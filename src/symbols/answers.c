#include "symbols/answers.h"

void symbol_answers_free(struct symbol_answers *answers)
{
    string_table_free(&answers->strings);
    vec_free(&answers->rows);
    vec_free(&answers->inlines);
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
    const struct symbol_answer *row = answers->rows.items + low;
    return low < answers->rows.count && row->address == address ? row : NULL;
}
