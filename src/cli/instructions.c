#include "cli/instructions.h"

#include "cli/cut.h"
#include "cli/report.h"
#include "cli/selection_output.h"
#include "cli/source_text.h"
#include "cli/table.h"
#include "print/func_name.h"
#include "print/number.h"
#include "profile/module_ids.h"
#include "symbols/code_listing.h"
#include "tree/address_timings.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* People see this many instructions before and after each that has samples. */
enum { CONTEXT = 8 };

struct instruction_sums {
    double self, total;
};

/* The code of one symbol. */
struct block {
    struct native_symbol symbol;
    struct code_listing listing;
    struct instruction_sums *sums; /* of each row of the listing */
    bool *is_kept;                 /* it has samples, and no cut took it away */
};

/* A source file that lines were taken from; `file` is a string of its block's listing. */
struct cached_source {
    const struct block *block;
    uint32_t file;
    struct source_text text;
};

struct instructions {
    struct selection *selection;
    const struct answer *answer;
    const struct instructions_options *options;
    uint32_t func;
    VEC(struct block) blocks;
    VEC(struct cached_source) sources;
    size_t cut;             /* instructions with samples that are left out */
    bool is_source_changed; /* a file whose lines are shown is newer than the recording */
};

static void instructions_free(struct instructions *all)
{
    for (size_t i = 0; i < all->blocks.count; i++) {
        struct block *block = &all->blocks.items[i];
        code_listing_free(&block->listing);
        memory_release(block->sums);
        memory_release(block->is_kept);
    }
    for (size_t i = 0; i < all->sources.count; i++)
        source_text_free(&all->sources.items[i].text);
    vec_free(&all->blocks);
    vec_free(&all->sources);
}

/* ---- what there is ---- */

/* The instruction that covers an address, or SIZE_MAX. */
static size_t instruction_at(const struct code_listing *listing, uint64_t address)
{
    size_t low = 0, high = listing->rows.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (listing->rows.items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return SIZE_MAX;
    const struct listed_instruction *row = &listing->rows.items[low - 1];
    return address - row->address < row->size ? low - 1 : SIZE_MAX;
}

static int list_block(const struct instructions *all, const struct address_row *rows, size_t count, struct block *block,
                      struct error *error)
{
    const struct profile *profile = &all->selection->profile;
    const struct lib *lib = &profile->libs.rows.items[block->symbol.lib.i];
    char build_id[MODULE_ID_BYTES];
    struct cli_search search;
    cli_search_init(all->options->symbols, &search);
    struct symbol_request request = {
        .path = profile_text(profile, string_exists(lib->path) ? lib->path : lib->name),
        .name = profile_text(profile, lib->name),
        .build_id = module_build_id(profile_text(profile, lib->code_id), profile_text(profile, lib->breakpad_id), build_id),
    };
    struct code_range range = {
        .start = block->symbol.address,
        .size = address_timings_extent(&block->symbol, rows, count),
        .until_function_end = block->symbol.size <= 0,
    };
    int status = code_listing_make(&search.search, &request, &range, 1u << all->options->syntax, &block->listing, error);
    if (status != 0)
        return status;
    block->sums = memory_zeroed(block->listing.rows.count, sizeof *block->sums);
    block->is_kept = memory_zeroed(block->listing.rows.count, sizeof *block->is_kept);
    if (!block->sums || !block->is_kept)
        return error_out_of_memory(error);
    for (size_t i = 0; i < count; i++) {
        size_t at = instruction_at(&block->listing, rows[i].address);
        if (at == SIZE_MAX)
            continue;
        block->sums[at].self += rows[i].self;
        block->sums[at].total += rows[i].total;
        block->is_kept[at] = true;
    }
    return 0;
}

/* A block for each symbol. What cannot be listed is told, and is an error where nothing can be. */
static int list_blocks(struct instructions *all, const struct address_timings *timings)
{
    const struct address_row *rows = timings->rows.items;
    size_t count = timings->rows.count;
    bool failed = false;
    for (size_t first = 0, end; first < count; first = end) {
        struct error error = {0};
        for (end = first + 1; end < count && rows[end].native_symbol == rows[first].native_symbol;)
            end++;
        struct block block = {
            .symbol = native_symbol_get(&all->selection->profile.native_symbols, native_symbol_at(rows[first].native_symbol)),
        };
        if (!vec_push(&all->blocks, block)) {
            error_out_of_memory(&all->selection->error);
            return selection_report(all->selection);
        }
        struct block *added = &all->blocks.items[all->blocks.count - 1];
        if (list_block(all, &rows[first], end - first, added, &error) != 0) {
            report_file(load_name(all->selection->options->file), &error);
            code_listing_free(&added->listing);
            memory_release(added->sums);
            memory_release(added->is_kept);
            all->blocks.count--;
            if (error.code == -ENOMEM)
                return EXIT_DATA;
            failed = true;
        }
    }
    return failed && all->blocks.count == 0 ? EXIT_DATA : EXIT_OK;
}

/* ---- cuts ---- */

static int compare_descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The total that the last of the --limit instructions has. */
static bool find_least(const struct instructions *all, size_t limit, double *least)
{
    VEC(double) totals = {0};
    bool done = true;
    for (size_t i = 0; i < all->blocks.count; i++) {
        const struct block *block = &all->blocks.items[i];
        for (size_t at = 0; at < block->listing.rows.count; at++)
            if (block->is_kept[at] && !vec_push(&totals, fabs(block->sums[at].total)))
                done = false;
    }
    if (totals.count > 1)
        qsort(totals.items, totals.count, sizeof *totals.items, compare_descending);
    *least = limit == 0 ? INFINITY : limit <= totals.count ? totals.items[limit - 1] : 0;
    vec_free(&totals);
    return done;
}

static int cut(struct instructions *all)
{
    const struct common_options *options = all->selection->options;
    double min = options->min.given ? options->min.value / 100 * all->answer->tree.root_total : 0, least = 0;
    size_t left = options->limit.given ? options->limit.value : SIZE_MAX;
    if (options->limit.given && !find_least(all, left, &least)) {
        error_out_of_memory(&all->selection->error);
        return selection_report(all->selection);
    }
    for (size_t i = 0; i < all->blocks.count; i++) {
        struct block *block = &all->blocks.items[i];
        for (size_t at = 0; at < block->listing.rows.count; at++) {
            double total = fabs(block->sums[at].total);
            if (!block->is_kept[at])
                continue;
            block->is_kept[at] = total >= min && total >= least && left > 0;
            left -= block->is_kept[at];
            all->cut += !block->is_kept[at];
        }
    }
    return EXIT_OK;
}

/* ---- JSON ---- */

static void put_address(struct json_output *output, uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    json_put_text(output, "address", text);
}

static void put_block(struct json_output *output, const struct instructions *all, const struct block *block, bool complete)
{
    const struct profile *profile = &all->selection->profile;
    for (size_t i = 0; i < block->listing.rows.count; i++) {
        const struct listed_instruction *row = &block->listing.rows.items[i];
        if (!complete && !block->is_kept[i])
            continue;
        json_write_begin_object(output->writer);
        put_address(output, row->address);
        json_put_number(output, "offset", (double)(row->address - block->listing.start));
        json_put_slice(output, "text", listing_text(&block->listing, row->text[all->options->syntax]));
        json_put_number(output, "self", block->sums[i].self);
        json_put_number(output, "total", block->sums[i].total);
        if (row->line > 0)
            json_put_number(output, "line", row->line);
        else
            json_put_null(output, "line");
        json_put_slice_or_null(output, "file", listing_text(&block->listing, row->file));
        json_put_slice(output, "symbol", profile_text(profile, block->symbol.name));
        json_write_end_object(output->writer);
    }
}

static int print_json(struct instructions *all)
{
    const struct common_options *options = all->selection->options;
    struct json_output output;
    int status = json_output_open(&output, "lines");
    if (status != EXIT_OK)
        return status;
    json_put_selection(&output, all->selection, all->answer, "profile");
    json_put_boolean(&output, "truncated", all->cut > 0);
    json_put_handle(&output, "function", 'f', all->func);
    json_put_text(&output, "syntax", all->options->syntax == ASM_ATT ? "att" : "intel");
    json_write_key(output.writer, "instructions");
    json_write_begin_array(output.writer);
    for (size_t i = 0; i < all->blocks.count; i++)
        put_block(&output, all, &all->blocks.items[i], !options->limit.given && !options->min.given);
    json_write_end_array(output.writer);
    return json_output_close(&output);
}

/* ---- text ---- */

static const struct source_text *source_of(struct instructions *all, const struct block *block, struct string_index file)
{
    static const struct source_text unknown;
    for (size_t i = 0; i < all->sources.count; i++)
        if (all->sources.items[i].block == block && all->sources.items[i].file == file.i)
            return &all->sources.items[i].text;
    struct cached_source source = {.block = block, .file = file.i};
    source_text_read(&source.text, all->options->sources, &all->selection->profile, listing_text(&block->listing, file));
    if (!vec_push(&all->sources, source)) {
        source_text_free(&source.text);
        return &unknown;
    }
    return &all->sources.items[all->sources.count - 1].text;
}

static void add_empty(struct table *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        table_add(table, SLICE(""), STYLE_PLAIN);
}

/* A row of its own for the source line that instructions come from. */
static void add_source_line(struct table *table, struct instructions *all, const struct block *block,
                            const struct listed_instruction *row)
{
    if (row->line == 0 || !string_exists(row->file))
        return;
    struct slice file = listing_text(&block->listing, row->file);
    const struct source_text *source = source_of(all, block, row->file);
    struct slice text = source_text_line(source, row->line);
    all->is_source_changed = all->is_source_changed || source->changed;
    const char *slash = memrchr(file.text, '/', file.length);
    if (slash)
        file = slice_from(file, (size_t)(slash + 1 - file.text));
    while (text.length > 0 && (text.text[0] == ' ' || text.text[0] == '\t'))
        text = slice_from(text, 1);
    add_empty(table, 5);
    table_print(table, STYLE_DIM, "%.*s:%u%s%.*s", (int)file.length, file.text, row->line, text.length > 0 ? "  " : "",
                (int)text.length, text.text ? text.text : "");
}

static void add_instruction(struct table *table, const struct instructions *all, const struct block *block, size_t index)
{
    enum weight_type type = all->answer->weights.type;
    double whole = all->answer->tree.root_total;
    const struct listed_instruction *row = &block->listing.rows.items[index];
    const struct instruction_sums *sums = &block->sums[index];
    struct slice text = listing_text(&block->listing, row->text[all->options->syntax]);
    if (block->is_kept[index]) {
        table_print(table, STYLE_PLAIN, "%s", number_share(sums->self, whole).text);
        table_print(table, sums->self == 0 ? STYLE_DIM : STYLE_PLAIN, "%s", number_weight(sums->self, type).text);
        table_print(table, STYLE_PLAIN, "%s", number_share(sums->total, whole).text);
        table_print(table, STYLE_PLAIN, "%s", number_weight(sums->total, type).text);
    } else {
        add_empty(table, 4);
    }
    table_print(table, STYLE_DIM, "0x%" PRIx64, row->address);
    table_print(table, block->is_kept[index] ? STYLE_PLAIN : STYLE_DIM, "    %.*s", (int)text.length, text.text);
}

static void add_gap(struct table *table, size_t count)
{
    if (count == 0)
        return;
    add_empty(table, 5);
    table_print(table, STYLE_DIM, "… %zu instruction%s", count, count == 1 ? "" : "s");
}

static void add_block(struct table *table, struct instructions *all, const struct block *block)
{
    const struct listed_instruction *rows = block->listing.rows.items, *before = NULL;
    size_t count = block->listing.rows.count, next = 0, hidden = 0, shown_until = 0;
    for (size_t i = 0; i < count; i++) {
        /* `next` is the next one with samples. */
        for (next = next < i ? i : next; next < count && !block->is_kept[next];)
            next++;
        bool is_near = (next < count && next - i <= CONTEXT) || i < shown_until;
        if (next == i)
            shown_until = i + 1 + CONTEXT;
        if (!is_near) {
            hidden++;
            continue;
        }
        add_gap(table, hidden);
        if (!before || hidden > 0 || before->line != rows[i].line || before->file.i != rows[i].file.i)
            add_source_line(table, all, block, &rows[i]);
        hidden = 0;
        before = &rows[i];
        add_instruction(table, all, block, i);
    }
    add_gap(table, hidden);
}

static bool print_block(struct instructions *all, const struct block *block, const struct terminal *terminal)
{
    static const struct table_head heads[] = {
        {"self %", ALIGN_RIGHT, 0, KEEP_START},  {"self", ALIGN_RIGHT, 0, KEEP_START},
        {"total %", ALIGN_RIGHT, 0, KEEP_START}, {"total", ALIGN_RIGHT, 0, KEEP_START},
        {"address", ALIGN_RIGHT, 0, KEEP_START}, {"instruction", ALIGN_LEFT, 0, KEEP_START},
    };
    const struct profile *profile = &all->selection->profile;
    struct line line = {0};
    struct table table;
    line_print(&line, "symbol   ");
    line_add_name(&line, profile_text(profile, block->symbol.name), terminal->width - line.width);
    line_print(&line, ", 0x%" PRIx64 ", %" PRIu64 " bytes of %s code%s, in ", block->listing.start, block->listing.size,
               code_arch_name(block->listing.arch), block->listing.is_cut ? " (and more)" : "");
    line_add_name(&line, profile_text(profile, profile->libs.rows.items[block->symbol.lib.i].name), terminal->width);
    output_line(&line);
    output_line(&line);
    line_free(&line);
    table_init(&table, terminal, heads, sizeof heads / sizeof *heads);
    add_block(&table, all, block);
    table_write(&table);
    table_free(&table);
    return !table.failed;
}

static int print_text(struct instructions *all, const struct address_timings *timings)
{
    struct terminal terminal = terminal_of_options(all->selection->options);
    struct line line = {0};
    bool done = true;
    line_print(&line, "function ");
    line_add_func(&line, &terminal, func_list_name(all->selection->whole.funcs, all->func), terminal.width - line.width);
    output_line(&line);
    line_free(&line);
    print_selection(all->selection, all->answer, &terminal);
    for (size_t i = 0; i < all->blocks.count; i++) {
        if (i > 0)
            putchar('\n');
        done = print_block(all, &all->blocks.items[i], &terminal) && done;
    }
    if (all->blocks.count == 0)
        puts(timings->without_symbol > 0 ? "the symbols of its addresses are not known: sonde symbolicate looks for them"
                                         : "none of these samples is at an address of it");
    if (all->cut > 0)
        printf("\n… %zu more\n", all->cut);
    if (all->is_source_changed)
        puts("\nsource files have changed since the recording: the lines may be others");
    print_selected(all->selection, &all->answer->selected);
    return output_finish(!done);
}

int instructions_show(struct selection *selection, const struct answer *answer, uint32_t func,
                      const struct instructions_options *options)
{
    struct instructions all = {.selection = selection, .answer = answer, .options = options, .func = func};
    struct address_timings timings;
    if (address_timings_of_func(&answer->view, &answer->weights, func, &timings, &selection->error) != 0)
        return selection_report(selection);
    int status = list_blocks(&all, &timings);
    if (status == EXIT_OK)
        status = cut(&all);
    if (status == EXIT_OK)
        status = selection->options->json ? print_json(&all) : print_text(&all, &timings);
    instructions_free(&all);
    address_timings_free(&timings);
    return status;
}
