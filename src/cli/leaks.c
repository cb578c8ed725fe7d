/* sonde leaks: memory that was never freed, by call path. */
#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/selection_output.h"
#include "print/estimate.h"
#include "print/func_name.h"
#include "tree/func_origin.h"
#include "tree/leak_list.h"

#include <math.h>
#include <stdio.h>

enum { LEAKS_FOR_PEOPLE = 10, FRAMES_FOR_PEOPLE = 8 };

struct leaks_options {
    struct common_options common;
    struct optional_count fail_above;
    bool all;
};

struct leaks {
    const struct leaks_options *options;
    struct selection selection;
    struct answer answer;
    struct leak_list list;
    bool failed; /* more than --fail-above */
};

static size_t leaks_shown(const struct leaks *leaks)
{
    const struct common_options *options = &leaks->options->common;
    size_t count = leaks->list.rows.count, limit = count;
    if (options->limit.given)
        limit = options->limit.value;
    else if (!options->json)
        limit = LEAKS_FOR_PEOPLE;
    return limit < count ? limit : count;
}

/* ---- JSON ---- */

static void put_sum(struct json_output *output, const struct leak_sum *sum)
{
    json_put_number(output, "bytes", sum->bytes);
    json_put_uncertainty(output, "bytes", sum->bytes_uncertainty);
    json_put_number(output, "blocks", sum->blocks);
    json_put_uncertainty(output, "blocks", sum->blocks_uncertainty);
    json_put_number(output, "bytesAtLeast", leak_sum_least(sum));
}

static int put_path(struct json_output *output, struct leaks *leaks, uint32_t node)
{
    const struct call_node_table *nodes = &leaks->answer.nodes;
    VEC(uint32_t) path = {0};
    bool fits = true;
    for (uint32_t at = node; at != INDEX_NONE && fits; at = nodes->parent[at])
        fits = vec_push(&path, nodes->func[at]);
    json_write_key(output->writer, "path");
    json_write_begin_array(output->writer);
    for (size_t i = path.count; i-- > 0;) {
        json_write_begin_object(output->writer);
        json_put_func(output, leaks->answer.view.funcs, path.items[i]);
        json_write_end_object(output->writer);
    }
    json_write_end_array(output->writer);
    vec_free(&path);
    return fits ? 0 : error_out_of_memory(&leaks->selection.error);
}

static int put_leak(struct json_output *output, struct leaks *leaks, const struct leak *leak)
{
    json_write_begin_object(output->writer);
    int status = put_path(output, leaks, leak->node);
    put_sum(output, &leak->left);
    json_put_number(output, "allocatedBlocks", leak->made);
    json_write_key(output->writer, "growth");
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < LEAK_GROWTH; i++)
        json_write_number(output->writer, leak->growth[i]);
    json_write_end_array(output->writer);
    json_write_end_object(output->writer);
    return status;
}

static int print_json(struct leaks *leaks)
{
    const struct selection *selection = &leaks->selection;
    const struct leak_list *list = &leaks->list;
    struct json_output output;
    int status = json_output_open(&output, "leaks"), failed = 0;
    if (status != EXIT_OK)
        return status;
    double zero = selection_zero(selection);
    json_put_text(&output, "file", selection->options->file);
    json_put_threads(&output, &selection->profile, &selection->threads);
    json_put_number(&output, "start", list->start - zero);
    json_put_number(&output, "end", list->end - zero);
    put_sum(&output, &list->left);
    json_write_key(output.writer, "young");
    json_write_begin_object(output.writer);
    json_put_number(&output, "from", list->young_from - zero);
    put_sum(&output, &list->young);
    json_write_end_object(output.writer);
    if (leaks->options->fail_above.given)
        json_put_boolean(&output, "failed", leaks->failed);
    json_put_boolean(&output, "truncated", leaks_shown(leaks) < list->rows.count);
    json_write_key(output.writer, "leaks");
    json_write_begin_array(output.writer);
    for (size_t i = 0; i < leaks_shown(leaks) && failed == 0; i++)
        failed = put_leak(&output, leaks, &list->rows.items[i]);
    json_write_end_array(output.writer);
    status = json_output_close(&output);
    return failed == 0 ? status : selection_report(selection);
}

/* ---- text ---- */

static void add_estimate(struct line *line, double number, struct uncertainty uncertainty, enum weight_type type)
{
    struct estimate_text text = estimate_text(number, uncertainty, type, false);
    line_add(line, slice_of(text.text), text.width);
}

static void add_sum(struct line *line, const struct leak_sum *sum)
{
    add_estimate(line, sum->bytes, sum->bytes_uncertainty, WEIGHT_BYTES);
    line_print(line, " in ");
    if (uncertainty_is_few(sum->blocks_uncertainty))
        line_print(line, "about %s", number_grouped(sum->blocks, 0).text);
    else
        add_estimate(line, sum->blocks, sum->blocks_uncertainty, WEIGHT_BLOCKS);
    line_print(line, " block%s", sum->blocks == 1 ? "" : "s");
}

/* ▁ to █: how much of it was allocated when. */
static void add_growth(struct line *line, const struct leak *leak)
{
    static const char *const steps[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double most = 0;
    for (size_t i = 0; i < LEAK_GROWTH; i++)
        most = fmax(most, leak->growth[i]);
    for (size_t i = 0; i < LEAK_GROWTH; i++) {
        size_t step = leak->growth[i] > 0 ? (size_t)ceil(leak->growth[i] / most * 7) : 0;
        line_add(line, slice_of(steps[step]), 1);
    }
}

static void print_frame(struct leaks *leaks, struct line *line, const struct terminal *terminal, struct text_buffer *scratch,
                        uint32_t func)
{
    const struct func_list *funcs = leaks->answer.view.funcs;
    struct func_origin origin = func_origin(funcs, func);
    struct slice name = func_name_shown(terminal, func_list_name(funcs, func), scratch);
    size_t from = text_width(slice_of(origin.text)), room = terminal->width - 4;
    line_print(line, "    ");
    line_add_func_name(line, name, from + 30 < room ? room - from - 2 : room);
    if (from > 0 && from + 30 < room) {
        line_add(line, terminal_style(terminal, STYLE_DIM), 0);
        line_print(line, "  ");
        line_add_ending(line, slice_of(origin.text), from);
        line_add(line, terminal_style(terminal, STYLE_PLAIN), 0);
    }
    output_line(line);
}

static void print_leak(struct leaks *leaks, const struct leak *leak, struct line *line, const struct terminal *terminal,
                       struct text_buffer *scratch)
{
    const struct call_node_table *nodes = &leaks->answer.nodes;
    const struct optional_count *depth = &leaks->options->common.depth;
    size_t most = depth->given ? depth->value : FRAMES_FOR_PEOPLE, shown = 0;
    line_add(line, terminal_style(terminal, STYLE_HEADING), 0);
    add_sum(line, &leak->left);
    line_add(line, terminal_style(terminal, STYLE_PLAIN), 0);
    line_print(line, ", %s of what was allocated here  ", number_share(leak->left.blocks, leak->made).text);
    add_growth(line, leak);
    output_line(line);
    uint32_t at = leak->node;
    for (; at != INDEX_NONE && shown < most; at = nodes->parent[at], shown++)
        print_frame(leaks, line, terminal, scratch, nodes->func[at]);
    if (at != INDEX_NONE) {
        line_print(line, "    ");
        line_add(line, SLICE("… "), 2);
        line_print(line, "%u more (--depth)", nodes->depth[at] + 1);
        output_line(line);
    }
    putchar('\n');
}

static int print_text(struct leaks *leaks)
{
    struct terminal terminal = terminal_of_options(leaks->selection.options);
    struct leak_list *list = &leaks->list;
    struct line line = {0};
    struct text_buffer scratch = {0};
    double zero = selection_zero(&leaks->selection);
    print_selection(&leaks->selection, NULL, &terminal);
    line_print(&line, "leaked   ");
    add_sum(&line, &list->left);
    line_print(&line, " on %s call path%s", number_grouped((double)list->rows.count, 0).text, list->rows.count == 1 ? "" : "s");
    output_line(&line);
    if (list->young.bytes > 0) {
        line_print(&line, "too new  ");
        add_sum(&line, &list->young);
        line_print(&line, ", allocated after %s or younger than freed ones got (--all)",
                   number_duration(list->young_from - zero).text);
        output_line(&line);
    }
    putchar('\n');
    for (size_t i = 0; i < leaks_shown(leaks); i++)
        print_leak(leaks, &list->rows.items[i], &line, &terminal, &scratch);
    size_t more = list->rows.count - leaks_shown(leaks);
    if (more > 0)
        printf("… %s more call path%s (--limit %zu shows all)\n", number_grouped((double)more, 0).text, more == 1 ? "" : "s",
               list->rows.count);
    if (leaks->failed)
        printf("at least %s leaked, more than --fail-above allows\n", number_bytes(leak_sum_least(&list->left)).text);
    bool failed = line.failed || scratch.failed;
    line_free(&line);
    text_free(&scratch);
    return output_finish(failed);
}

/* ---- the command ---- */

static int show(struct leaks *leaks)
{
    struct selection *selection = &leaks->selection;
    const struct leaks_options *options = leaks->options;
    if (query_run(&selection->whole, &selection->query, &leaks->answer, &selection->error) != 0)
        return selection_report(selection);
    int status;
    if (leak_list_build(&selection->whole, &selection->query, &leaks->answer, options->all, &leaks->list, &selection->error) !=
        0) {
        status = selection_report(selection);
    } else {
        leaks->failed = options->fail_above.given && leak_sum_least(&leaks->list.left) > (double)options->fail_above.value;
        status = options->common.json ? print_json(leaks) : print_text(leaks);
        if (status == EXIT_OK && leaks->failed)
            status = EXIT_TOO_MUCH;
    }
    leak_list_free(&leaks->list);
    answer_free(&leaks->answer);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct leaks_options options = {0};
    struct leaks leaks = {.options = &options};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON && options.common.strategy != STRATEGY_TIMING)
        status = usage_error(command, "--strategy %s: leaks are what is never freed", strategy_names[options.common.strategy]);
    if (status == OPTIONS_GO_ON) {
        options.common.strategy = STRATEGY_NATIVE_LEAKED;
        status = selection_open(&leaks.selection, command, &options.common);
        leaks.selection.query.inverted = false;
        if (status == EXIT_OK)
            status = show(&leaks);
        selection_free(&leaks.selection);
    }
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "fail-above",
        .kind = OPTION_SIZE,
        .target = offsetof(struct leaks_options, fail_above),
        .argument = "SIZE",
        .help = "exit with 3 where certainly more leaked: the estimate less\nits error, or the blocks that were seen",
    },
    {
        .name = "all",
        .kind = OPTION_FLAG,
        .target = offsetof(struct leaks_options, all),
        .help = "whatever is not freed, however young it is",
    },
    {0},
};

static const struct option_group own_group = {"leaks", own_options};

const struct command leaks_command = {
    .name = "leaks",
    .arguments = "FILE [options]",
    .summary = "memory that was never freed, by call path",
    .example = "sonde leaks profile.json.gz --fail-above 1MiB",
    .description =
        "Lists the call paths whose memory was never freed, of a recording with allocations ('sonde record\n"
        "--allocations'): how much (with two standard errors, where blocks were sampled), how many blocks, which part\n"
        "of the blocks that were allocated there, and, from left to right, when. What was allocated in the last tenth of\n"
        "the time is left out, and so are blocks that are younger than others of their path were when they were freed.",
    .examples = "  sonde record --allocations -o app.json.gz ./app && sonde leaks app.json.gz\n"
                "  sonde leaks app.json.gz --search lib:libapp --limit 3\n"
                "  sonde leaks app.json.gz --fail-above 64KiB || echo 'the build leaks'\n"
                "  sonde leaks app.json.gz --json | jq -r '.leaks[] | [.bytes, .path[-1].name] | @tsv'\n",
    .groups = {&own_group, &selection_group, &output_group},
    .run = run,
};
