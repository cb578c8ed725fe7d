/* sonde lines: on which source lines of a function, or of a file, samples were taken. */
#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/instructions.h"
#include "cli/load.h"
#include "cli/missing_lines.h"
#include "cli/selection_output.h"
#include "cli/source_text.h"
#include "cli/table.h"
#include "print/func_name.h"
#include "print/number.h"
#include "tree/source_find.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Lines without samples are shown, too, where no more than this many stand between two that have some. */
enum { LARGEST_GAP = 6 };

struct lines_options {
    struct common_options common;
    const char *function;
    const char *file;
    bool instructions;
    int syntax;
    struct text_list source_folders;
    struct symbol_options symbols;
};

struct lines {
    struct selection selection;
    struct answer answer;
    struct line_timings timings;
    struct source_text text;
    uint32_t func;   /* INDEX_NONE = a whole file */
    uint32_t source; /* INDEX_NONE = unknown */
    size_t cut;      /* lines left out */
};

/* ---- what to show ---- */

static int find_source(struct lines *lines, const char *name)
{
    struct error error = {0};
    int status = source_find(&lines->selection.profile, slice_of(name), &lines->source, &error);
    if (status == 0)
        return EXIT_OK;
    error_set(&lines->selection.error, status, "--file '%s': %s", name, error.message);
    return selection_report(&lines->selection);
}

static int find_place(struct lines *lines, const struct lines_options *options)
{
    lines->func = lines->source = INDEX_NONE;
    if (options->file)
        return find_source(lines, options->file);
    int status = selection_find_func(&lines->selection, "--function", options->function, &lines->func);
    if (status == EXIT_OK)
        lines->source = lines->selection.whole.funcs->source[lines->func];
    return status;
}

static int time_lines(struct lines *lines)
{
    struct selection *selection = &lines->selection;
    if (lines->func != INDEX_NONE)
        return line_timings_of_func(&lines->answer.view, &lines->answer.weights, lines->func, &lines->timings,
                                    &selection->error);
    return line_timings_of_source(&lines->answer.view, &lines->answer.weights, lines->source, &lines->timings,
                                  &selection->error);
}

static int compare_totals(const void *a, const void *b)
{
    const struct line_row *first = a, *second = b;
    double first_total = fabs(first->total), second_total = fabs(second->total);
    if (first_total != second_total)
        return first_total > second_total ? -1 : 1;
    return first->line < second->line ? -1 : 1;
}

static int compare_lines(const void *a, const void *b)
{
    const struct line_row *first = a, *second = b;
    return first->line < second->line ? -1 : 1;
}

/* Leaves the lines that --min allows, and of these the --limit ones with the largest totals. */
static void cut(struct lines *lines, const struct common_options *options)
{
    struct line_row *rows = lines->timings.rows.items;
    size_t count = lines->timings.rows.count, limit = options->limit.given ? options->limit.value : SIZE_MAX;
    double min = options->min.given ? options->min.value / 100 * lines->answer.tree.root_total : 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(rows[i].total) >= min)
            rows[kept++] = rows[i];
    if (limit < kept) {
        qsort(rows, kept, sizeof *rows, compare_totals);
        kept = limit;
        qsort(rows, kept, sizeof *rows, compare_lines);
    }
    lines->timings.rows.count = kept;
    lines->cut = count - kept;
}

/* ---- JSON ---- */

static struct slice file_name(const struct lines *lines)
{
    const struct profile *profile = &lines->selection.profile;
    if (lines->source >= profile->sources.rows.count)
        return SLICE("");
    return profile_text(profile, profile->sources.rows.items[lines->source].filename);
}

static int print_json(struct lines *lines)
{
    struct json_output output;
    int status = json_output_open(&output, "lines");
    if (status != EXIT_OK)
        return status;
    json_put_selection(&output, &lines->selection, &lines->answer, "profile");
    json_put_boolean(&output, "truncated", lines->cut > 0);
    if (lines->func != INDEX_NONE)
        json_put_handle(&output, "function", 'f', lines->func);
    else
        json_put_null(&output, "function");
    json_put_slice_or_null(&output, "file", file_name(lines));
    json_put_boolean(&output, "sourceChanged", lines->text.changed);
    json_write_key(output.writer, "lines");
    json_write_begin_array(output.writer);
    for (size_t i = 0; i < lines->timings.rows.count; i++) {
        const struct line_row *row = &lines->timings.rows.items[i];
        struct slice source = source_text_line(&lines->text, row->line);
        json_write_begin_object(output.writer);
        json_put_number(&output, "line", row->line);
        json_put_number(&output, "self", row->self);
        json_put_number(&output, "total", row->total);
        if (source.text)
            json_put_slice(&output, "source", source);
        else
            json_put_null(&output, "source");
        json_write_end_object(output.writer);
    }
    json_write_end_array(output.writer);
    return json_output_close(&output);
}

/* ---- text ---- */

static void add_row(struct table *table, const struct lines *lines, uint32_t number, const struct line_row *row)
{
    enum weight_type type = lines->answer.weights.type;
    double whole = lines->answer.tree.root_total;
    if (row) {
        table_print(table, STYLE_PLAIN, "%s", number_share(row->self, whole).text);
        table_print(table, row->self == 0 ? STYLE_DIM : STYLE_PLAIN, "%s", number_weight(row->self, type).text);
        table_print(table, STYLE_PLAIN, "%s", number_share(row->total, whole).text);
        table_print(table, STYLE_PLAIN, "%s", number_weight(row->total, type).text);
    } else {
        for (int i = 0; i < 4; i++)
            table_add(table, SLICE(""), STYLE_PLAIN);
    }
    table_print(table, STYLE_DIM, "%u", number);
    struct slice source = source_text_line(&lines->text, number);
    table_add(table, source.text ? source : SLICE(""), row ? STYLE_PLAIN : STYLE_DIM);
}

static void print_place(const struct lines *lines, const struct terminal *terminal)
{
    struct line line = {0};
    if (lines->func != INDEX_NONE) {
        line_print(&line, "function ");
        line_add_func(&line, terminal, func_list_name(lines->selection.whole.funcs, lines->func), terminal->width - line.width);
        output_line(&line);
    }
    struct slice file = file_name(lines);
    line_print(&line, "file     ");
    line_add_name(&line, file.length > 0 ? file : SLICE("unknown"), terminal->width - line.width);
    if (file.length > 0 && lines->text.lines.count == 0)
        line_print(&line, " (not found here)");
    else if (lines->text.changed)
        line_print(&line, " (changed since the recording)");
    output_line(&line);
    line_free(&line);
}

static int print_text(struct lines *lines)
{
    static const struct table_head heads[] = {
        {"self %", ALIGN_RIGHT, 0, KEEP_START}, {"self", ALIGN_RIGHT, 0, KEEP_START}, {"total %", ALIGN_RIGHT, 0, KEEP_START},
        {"total", ALIGN_RIGHT, 0, KEEP_START},  {"line", ALIGN_RIGHT, 0, KEEP_START}, {"source", ALIGN_LEFT, 0, KEEP_START},
    };
    struct terminal terminal = terminal_of_options(lines->selection.options);
    struct table table;
    table_init(&table, &terminal, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < lines->timings.rows.count; i++) {
        const struct line_row *row = &lines->timings.rows.items[i];
        uint32_t gap = i > 0 ? row->line - row[-1].line - 1 : 0;
        for (uint32_t line = row->line - gap; lines->text.lines.count > 0 && gap <= LARGEST_GAP && line < row->line; line++)
            add_row(&table, lines, line, NULL);
        add_row(&table, lines, row->line, row);
    }
    print_place(lines, &terminal);
    print_selection(&lines->selection, &lines->answer, &terminal);
    if (lines->timings.rows.count > 0)
        table_write(&table);
    else if (lines->cut == 0 && lines->func < profile_func_count(&lines->selection.profile))
        missing_lines_print(&lines->selection.profile, func_at(lines->func));
    else if (lines->cut == 0)
        puts("none of these samples is on a line of it");
    if (lines->cut > 0)
        printf("\n… %zu more\n", lines->cut);
    print_selected(&lines->selection, &lines->answer.selected);
    table_free(&table);
    return output_finish(table.failed);
}

/* ---- the command ---- */

static int show_lines(struct lines *lines, const struct lines_options *options, const struct source_search *sources)
{
    struct selection *selection = &lines->selection;
    if (time_lines(lines) != 0)
        return selection_report(selection);
    source_text_find(&lines->text, sources, &selection->profile, lines->source);
    cut(lines, &options->common);
    int status = options->common.json ? print_json(lines) : print_text(lines);
    source_text_free(&lines->text);
    line_timings_free(&lines->timings);
    return status;
}

static int show(struct lines *lines, const struct lines_options *options)
{
    struct selection *selection = &lines->selection;
    struct source_search sources = {
        .folders = options->source_folders.values.items,
        .folder_count = options->source_folders.values.count,
        .relative = true,
    };
    struct instructions_options instructions = {
        .syntax = (enum asm_syntax)options->syntax,
        .symbols = &options->symbols,
        .sources = &sources,
    };
    int status = find_place(lines, options);
    if (status != EXIT_OK)
        return status;
    if (query_run(&selection->whole, &selection->query, &lines->answer, &selection->error) != 0)
        return selection_report(selection);
    if (options->instructions)
        status = instructions_show(selection, &lines->answer, lines->func, &instructions);
    else
        status = show_lines(lines, options, &sources);
    answer_free(&lines->answer);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct lines_options options = {0};
    struct lines lines = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON && !options.function == !options.file)
        status = usage_error(command, "give either --function F or --file NAME");
    if (status == OPTIONS_GO_ON && options.instructions && !options.function)
        status = usage_error(command, "--asm shows one function: give --function F");
    if (status == OPTIONS_GO_ON)
        status = symbol_options_check(command, &options.symbols);
    if (status == OPTIONS_GO_ON) {
        struct load_options load = {.search = &options.symbols};
        status = selection_open_with(&lines.selection, command, &options.common, &load);
        if (status == EXIT_OK)
            status = show(&lines, &options);
        selection_free(&lines.selection);
    }
    options_free(command, &options);
    return status;
}

static const char *const syntaxes[] = {[ASM_INTEL] = "intel", [ASM_ATT] = "att", NULL};

static const struct option own_options[] = {
    {
        .name = "function",
        .letter = 'f',
        .kind = OPTION_TEXT,
        .target = offsetof(struct lines_options, function),
        .argument = "F",
        .help = "the function: f-N (from 'sonde functions') or its exact name",
    },
    {
        .name = "file",
        .kind = OPTION_TEXT,
        .target = offsetof(struct lines_options, file),
        .argument = "NAME",
        .help = "instead: all functions of a source file, named as in the\nprofile or by the end of its path",
    },
    {
        .name = "asm",
        .kind = OPTION_FLAG,
        .target = offsetof(struct lines_options, instructions),
        .help = "instructions instead of lines, from the function's module",
    },
    {
        .name = "syntax",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct lines_options, syntax),
        .argument = "S",
        .help = "how --asm writes those of x86: intel (default), att",
        .choices = syntaxes,
    },
    {
        .name = "source-dir",
        .kind = OPTION_LIST,
        .target = offsetof(struct lines_options, source_folders),
        .argument = "DIR",
        .help = "look here first for source files, under their whole path\nor the end of it; repeatable",
    },
    {
        .name = "symbol-dir",
        .kind = OPTION_LIST,
        .target = offsetof(struct lines_options, symbols.folders),
        .argument = "DIR",
        .help = "look here first for modules and their debug files;\nrepeatable",
    },
    {0},
};
static const struct option_group own_group = {"the place", own_options};

const struct command lines_command = {
    .name = "lines",
    .arguments = "FILE --function F [options]",
    .summary = "samples per source line, or per instruction, of one function",
    .example = "sonde lines profile.json.gz --function draw",
    .description = "Shows on which lines of a function samples were taken: `self` where the sample ended on the line,\n"
                   "`total` where the line was anywhere on its stack. The text of the lines is taken from the profile,\n"
                   "or from the file where it can be read here; that it changed since the recording is said.\n"
                   "\n"
                   "With --asm: on which instructions. They are read from the module that was recorded, if this very build is\n"
                   "here; functions that were inlined are shown within those that have them.",
    .examples = "  sonde lines profile.json.gz --function f-12\n"
                "  sonde lines profile.json.gz --file src/draw.c --thread all\n"
                "  sonde lines profile.json.gz --function draw --asm --syntax att\n",
    .groups = {&own_group, &selection_group, &allocation_group, &output_group},
    .run = run,
};
