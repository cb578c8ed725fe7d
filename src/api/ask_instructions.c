/* instructions: the machine code of a function, with the samples of each instruction. */
#include "api/ask.h"

#include "api/sources.h"
#include "tree/address_timings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- the symbols that the function's code is in ---- */

struct code_symbol {
    uint32_t number;
    const struct address_row *rows; /* of the timings */
    size_t count;
    double self, total;
};

struct code_symbols {
    VEC(struct code_symbol) items; /* most samples first */
};

static int compare_symbols(const void *a, const void *b)
{
    const struct code_symbol *x = a, *y = b;
    double first = fabs(x->total), second = fabs(y->total);
    if (first != second)
        return first > second ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool group(const struct address_timings *timings, struct code_symbols *symbols)
{
    for (size_t i = 0; i < timings->rows.count; i++) {
        const struct address_row *row = &timings->rows.items[i];
        if (i == 0 || row->native_symbol != row[-1].native_symbol)
            if (!vec_push(&symbols->items, ((struct code_symbol){.number = row->native_symbol, .rows = row})))
                return false;
        struct code_symbol *symbol = &symbols->items.items[symbols->items.count - 1];
        symbol->count++;
        symbol->self += row->self;
        symbol->total += row->total;
    }
    if (symbols->items.count > 1)
        qsort(symbols->items.items, symbols->items.count, sizeof *symbols->items.items, compare_symbols);
    return true;
}

static void put_symbols(struct asking *asking, const struct code_symbols *symbols)
{
    const struct profile *profile = asking->profile;
    struct json_writer *w = asking->reply->json;
    json_write_key(w, "symbols");
    json_write_begin_array(w);
    for (size_t i = 0; i < symbols->items.count; i++) {
        const struct code_symbol *item = &symbols->items.items[i];
        struct native_symbol symbol = native_symbol_get(&profile->native_symbols, native_symbol_at(item->number));
        json_write_begin_object(w);
        reply_put_string(asking->reply, "name", symbol.name);
        reply_put_string(asking->reply, "library", profile->libs.rows.items[symbol.lib.i].name);
        reply_put_number(asking->reply, "address", (double)symbol.address);
        reply_put_number(asking->reply, "size", symbol.size > 0 ? (double)symbol.size : NAN);
        reply_put_number(asking->reply, "total", item->total);
        reply_put_number(asking->reply, "self", item->self);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

/* ---- the code of one of them ---- */

static int look_for(struct asking *asking, const struct ask *ask, const struct code_symbol *item,
                    const struct found_code **found)
{
    static const struct found_code nowhere = {.failure = {"modules cannot be read from here", 32}};
    *found = &nowhere;
    if (!asking->sources || !asking->sources->code)
        return 0;
    struct native_symbol symbol = native_symbol_get(&asking->profile->native_symbols, native_symbol_at(item->number));
    struct code_wish wish = {
        .lib = symbol.lib,
        .start = symbol.address,
        .size = address_timings_extent(&symbol, item->rows, item->count),
        .until_end = symbol.size <= 0,
        .att = ask->att,
    };
    return asking->sources->code(asking->sources->context, &wish, found);
}

/* ---- its instructions ---- */

struct code_columns {
    double *address, *total, *self, *target;
    uint8_t *size;
    uint32_t *line, *file, *function;
};

static bool make_columns(struct asking *asking, struct code_columns *columns, size_t count)
{
    columns->address = asking_array(asking, count, sizeof(double));
    columns->total = asking_array(asking, count, sizeof(double));
    columns->self = asking_array(asking, count, sizeof(double));
    columns->target = asking_array(asking, count, sizeof(double));
    columns->size = asking_array(asking, count, 1);
    columns->line = asking_array(asking, count, sizeof(uint32_t));
    columns->file = asking_array(asking, count, sizeof(uint32_t));
    columns->function = asking_array(asking, count, sizeof(uint32_t));
    return columns->address && columns->total && columns->self && columns->target && columns->size && columns->line &&
           columns->file && columns->function;
}

/* The number of a text that many rows share; INDEX_NONE for an empty one. False when the heap is empty. */
static bool number_text(struct string_table *texts, struct slice text, uint32_t *number)
{
    *number = text.length > 0 ? string_table_add(texts, text).i : INDEX_NONE;
    return text.length == 0 || *number != INDEX_NONE;
}

static void put_texts(struct asking *asking, const char *key, struct string_table *texts)
{
    struct json_writer *w = asking->reply->json;
    json_write_key(w, key);
    json_write_begin_array(w);
    for (size_t i = 0; i < string_table_count(texts); i++)
        json_write_string(w, string_table_get(texts, string_at(i)));
    json_write_end_array(w);
    string_table_free(texts);
}

/* Both ascend. Addresses of callers are inside of their call. Returns the row with the largest total. */
static uint32_t add_samples(const struct found_code *code, const struct code_symbol *symbol, struct code_columns *columns)
{
    uint32_t hottest = INDEX_NONE;
    size_t at = 0;
    for (size_t i = 0; symbol && i < symbol->count; i++) {
        uint64_t address = symbol->rows[i].address;
        while (at < code->count && code->rows[at].address + code->rows[at].size <= address)
            at++;
        if (at == code->count || code->rows[at].address > address)
            continue;
        columns->total[at] += symbol->rows[i].total;
        columns->self[at] += symbol->rows[i].self;
        if (hottest == INDEX_NONE || fabs(columns->total[at]) > fabs(columns->total[hottest]))
            hottest = (uint32_t)at;
    }
    return hottest;
}

static int put_code(struct asking *asking, const struct found_code *code, const struct code_symbol *symbol)
{
    struct reply *reply = asking->reply;
    struct json_writer *w = reply->json;
    struct code_columns columns;
    struct string_table files = {0}, functions = {0};
    size_t count = code->count;
    if (!make_columns(asking, &columns, count))
        return -ENOMEM;
    bool fits = true;
    json_write_key(w, "texts");
    json_write_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        const struct found_instruction *row = &code->rows[i];
        json_write_string(w, row->text);
        columns.address[i] = (double)row->address;
        columns.size[i] = (uint8_t)row->size;
        columns.line[i] = row->line > 0 ? row->line : INDEX_NONE;
        columns.target[i] = row->has_target ? (double)row->target : NAN;
        columns.total[i] = columns.self[i] = 0;
        fits &=
            number_text(&files, row->file, &columns.file[i]) && number_text(&functions, row->function, &columns.function[i]);
    }
    json_write_end_array(w);
    put_texts(asking, "files", &files);
    put_texts(asking, "functions", &functions);
    reply_put_id(reply, "hottest", add_samples(code, symbol, &columns));
    reply_begin_columns(reply);
    reply_column(reply, "address", REPLY_F64, columns.address, count);
    reply_column(reply, "size", REPLY_U8, columns.size, count);
    reply_column(reply, "total", REPLY_F64, columns.total, count);
    reply_column(reply, "self", REPLY_F64, columns.self, count);
    reply_column(reply, "line", REPLY_ID, columns.line, count);
    reply_column(reply, "file", REPLY_ID, columns.file, count);
    reply_column(reply, "function", REPLY_ID, columns.function, count);
    reply_column(reply, "target", REPLY_F64, columns.target, count);
    reply_end_columns(reply);
    return fits ? 0 : -ENOMEM;
}

static int put_listing(struct asking *asking, const struct ask *ask, const struct code_symbols *symbols)
{
    static const struct found_code nothing;
    const struct found_code *code = &nothing;
    const struct code_symbol *symbol = ask->symbol < symbols->items.count ? &symbols->items.items[ask->symbol] : NULL;
    struct reply *reply = asking->reply;
    const struct answer *answer = &asking->kept->answer;
    if (!symbol && ask->symbol > 0)
        return asking_refuse(asking, "symbol", "the code is in no more than %zu symbols", symbols->items.count);
    int status = symbol ? look_for(asking, ask, symbol, &code) : 0;
    if (status != 0)
        return status;
    put_symbols(asking, symbols);
    reply_put_id(reply, "symbol", symbol ? ask->symbol : INDEX_NONE);
    reply_put_text(reply, "arch", code->arch);
    reply_put_boolean(reply, "cut", code->cut);
    json_write_key(reply->json, "failed");
    if (code->failure.length > 0)
        json_write_string(reply->json, code->failure);
    else
        json_write_null(reply->json);
    reply_put_text(reply, "weight_type", weight_type_name(answer->weights.type));
    reply_put_number(reply, "root_total", answer->tree.root_total);
    return put_code(asking, code, symbol);
}

int ask_instructions(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    if (ask->func >= asking->whole->funcs->count)
        return asking_refuse(asking, "func", "there is no function %u", ask->func);
    const struct answer *answer = &asking->kept->answer;
    struct address_timings timings;
    struct code_symbols symbols = {0};
    struct error error = {0};
    if (address_timings_of_func(&answer->view, &answer->weights, ask->func, &timings, &error) != 0)
        return asking_failed(asking, &error);
    reply_put_count(asking->reply, "without_symbol", timings.without_symbol);
    status = group(&timings, &symbols) ? put_listing(asking, ask, &symbols) : -ENOMEM;
    vec_free(&symbols.items);
    address_timings_free(&timings);
    return status;
}
