#include "cli/diff.h"

#include "cli/commands.h"
#include "cli/cut.h"
#include "cli/selection_output.h"
#include "common/decimal.h"
#include "print/estimate.h"

#include <math.h>
#include <stdio.h>

static const char *const sort_choices[] = {"self", "total", "name", "p", NULL};
_Static_assert(DIFF_BY_SELF == 0 && DIFF_BY_TOTAL == 1 && DIFF_BY_NAME == 2 && DIFF_BY_CHANCE == 3,
               "in the order of the choices");

/* ---- numbers ---- */

/* Bytes have their unit with them. */
const char *diff_unit(const struct diff *diff, double value)
{
    return diff->per == PER_SHARE ? "%" : diff->type == WEIGHT_BYTES ? "" : number_unit(value, diff->type);
}

struct number_text diff_number(const struct diff *diff, double value)
{
    if (diff->per == PER_SHARE)
        return number_grouped(value, 2);
    if (diff->type == WEIGHT_BYTES)
        return number_bytes(value);
    if (diff->per == PER_RUN && diff->run_count == SIDES)
        return number_grouped(value, diff->type == WEIGHT_TRACING_MS);
    /* Quotients and means: as many as the whole needs, so that they stand below each other. */
    double whole = diff->comparison.whole.of[SIDE_BASE].value;
    return number_grouped(value, whole < 1 ? 5 : whole < 100 ? 3 : 1);
}

struct number_text diff_difference(const struct diff *diff, double delta)
{
    struct number_text number = diff_number(diff, fabs(delta)), result;
    bool is_zero = strpbrk(number.text, "123456789") == NULL;
    delta = is_zero ? 0 : delta;
    snprintf(result.text, sizeof result.text, "%s%.40s", delta > 0 ? "+" : delta < 0 ? "-" : "", number.text);
    return result;
}

struct number_text diff_chance(double chance)
{
    struct number_text result = {"<0.001"};
    if (chance >= 0.001)
        snprintf(result.text, sizeof result.text, "%.*f", chance < 0.1 ? 3 : 2, chance);
    return result;
}

enum style diff_style(double delta, bool significant)
{
    return !significant ? STYLE_DIM : delta > 0 ? STYLE_HOT : STYLE_BETTER;
}

double diff_least(const struct diff *diff)
{
    const struct optional_number *min = &diff->options->common.min;
    const struct measure *of = diff->comparison.whole.of;
    return min->given ? min->value / 100 * fmax(of[SIDE_BASE].value, of[SIDE_NEW].value) : 0;
}

/* ---- --fail-if ---- */

struct condition {
    bool of_functions;
    enum verdict verdict; /* VERDICT_SAME: any change */
    double percent;       /* of what BASE comes to, at least */
};

static bool condition_parse(const char *text, struct condition *condition)
{
    static const struct {
        const char *name;
        struct condition condition;
    } names[] = {
        {"slower", {false, VERDICT_SLOWER, 0}},         {"faster", {false, VERDICT_FASTER, 0}},
        {"different", {false, VERDICT_SAME, 0}},        {"function-slower", {true, VERDICT_SLOWER, 0}},
        {"function-faster", {true, VERDICT_FASTER, 0}}, {"function-different", {true, VERDICT_SAME, 0}},
    };
    size_t length = strcspn(text, ":");
    const char *percent = text[length] == ':' ? text + length + 1 : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal((struct slice){text, length}, slice_of(names[i].name))) {
            *condition = names[i].condition;
            return !percent || (parse_decimal(percent, strlen(percent), &condition->percent) && condition->percent >= 0);
        }
    return false;
}

static bool is_met(const struct condition *condition, enum verdict verdict, double delta, double whole)
{
    return verdict != VERDICT_SAME && (condition->verdict == VERDICT_SAME || condition->verdict == verdict) &&
           fabs(delta) >= condition->percent / 100 * whole;
}

static enum verdict verdict_of(const struct comparison *comparison, const struct compared_func *func)
{
    double delta = compared_delta(&func->self);
    bool is_chance = !func->significant || func->self.chance > comparison->terms.level;
    return is_chance ? VERDICT_SAME : delta > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
}

static bool finds(const struct comparison *comparison, const struct condition *condition)
{
    double whole = comparison->whole.of[SIDE_BASE].value;
    if (!condition->of_functions)
        return is_met(condition, comparison->verdict, comparison->change, whole);
    for (size_t i = 0; i < comparison->funcs.count; i++) {
        const struct compared_func *func = &comparison->funcs.items[i];
        if (is_met(condition, verdict_of(comparison, func), compared_delta(&func->self), whole))
            return true;
    }
    return false;
}

static int check_conditions(const struct diff *diff)
{
    const struct text_list *texts = &diff->options->fail_if;
    struct condition condition;
    for (size_t i = 0; i < texts->values.count; i++)
        if (!condition_parse(texts->values.items[i], &condition))
            return usage_error(diff->command,
                               "--fail-if '%s': slower, faster, different, function-slower, function-faster or "
                               "function-different is wanted, or one of them with a percentage such as slower:5",
                               texts->values.items[i]);
    return EXIT_OK;
}

static void look_for_failures(struct diff *diff)
{
    const struct text_list *texts = &diff->options->fail_if;
    struct condition condition;
    for (size_t i = 0; i < texts->values.count; i++)
        diff->failed |= condition_parse(texts->values.items[i], &condition) && finds(&diff->comparison, &condition);
}

/* ---- the head ---- */

static const char *verdict_name(enum verdict verdict)
{
    return verdict == VERDICT_SLOWER ? "slower" : verdict == VERDICT_FASTER ? "faster" : "same";
}

/* Bytes are no times. */
static const char *verdict_for_people(const struct diff *diff)
{
    bool is_time = diff->type == WEIGHT_TRACING_MS || diff->type == WEIGHT_SAMPLES;
    enum verdict verdict = diff->comparison.verdict;
    if (verdict == VERDICT_SAME || is_time)
        return verdict_name(verdict);
    return verdict == VERDICT_SLOWER ? "more" : "less";
}

static void print_run(const struct diff *diff, const struct diff_run *run, struct line *line, const struct terminal *terminal)
{
    const struct selection *selection = &run->selection;
    double whole = run->answer.tree.root_total * run->unit;
    line_print(line, "%-9s", run->side == SIDE_BASE ? "base" : "new");
    line_add_ending(line, slice_of(load_name(run->options.file)), terminal->width / 3);
    if (selection->threads.items.count == 1) {
        struct thread_index index = selection->threads.items.items[0];
        const struct thread *thread = &selection->profile.threads.items[index.i];
        line_print(line, ", t-%u ", index.i);
        line_add_name(line, profile_text(&selection->profile, thread->name), terminal->width / 4);
    } else {
        line_print(line, ", %zu threads", selection->threads.items.count);
    }
    if (diff->type == WEIGHT_BYTES)
        line_print(line, ": %s", number_bytes(whole).text);
    else
        line_print(line, ": %s %s", number_weight(whole, diff->type).text, number_unit(whole, diff->type));
    if (diff->type != WEIGHT_SAMPLES)
        line_print(line, " in %s rows", number_grouped((double)run->answer.tree.row_count, 0).text);
    output_line(line);
}

static void add_quantity(const struct diff *diff, struct line *line, double value)
{
    const char *unit = diff_unit(diff, value);
    line_print(line, "%s%s%s", diff_number(diff, value).text, *unit ? " " : "", unit);
}

static void print_verdict(const struct diff *diff, struct line *line, const struct terminal *terminal)
{
    const struct comparison *comparison = &diff->comparison;
    const struct measure *base = &comparison->whole.of[SIDE_BASE], *new = &comparison->whole.of[SIDE_NEW];
    enum style style = comparison->change != 0 ? diff_style(comparison->change, true) : STYLE_HEADING;
    line_add(line, terminal_style(terminal, style), 0);
    line_print(line, "%-9s", verdict_for_people(diff));
    line_add(line, terminal_style(terminal, STYLE_PLAIN), 0);
    if (diff->per == PER_SHARE) {
        line_print(line, "by shares of the whole");
    } else {
        add_quantity(diff, line, base->value);
        line_add(line, SLICE(" → "), 3);
        add_quantity(diff, line, new->value);
        if (base->value > 0) {
            double percent = 100 * compared_delta(&comparison->whole) / base->value;
            line_print(line, ", %+.1f%% ", fabs(percent) < 0.05 ? 0 : percent);
            line_add(line, SLICE("±"), 1);
            line_print(line, "%.1f", 100 * change_error(base, new) / base->value);
        }
        line_print(line, " (p %s)", diff_chance(comparison->whole.chance).text);
    }
    bool measured = !diff->options->noise.given && diff->run_count > SIDES;
    line_print(line, "; runs %s to differ by %.2g%%", measured ? "were seen" : "are taken", 100 * comparison->terms.noise);
    output_line(line);
    if (!measured && !diff->options->noise.given) {
        line_print(line,
                   "note     p counts the error of sampling, and %.2g%% between runs, which is assumed: several recordings of "
                   "each side measure it (--base, --new)",
                   100 * comparison->terms.noise);
        output_line(line);
    }
}

/* The only thread of a side's first recording that is compared; NULL where there are more. */
static const struct thread *thread_of_side(const struct diff *diff, enum comparison_side side)
{
    size_t i = 0;
    while (diff->runs[i].side != side)
        i++;
    const struct selection *selection = &diff->runs[i].selection;
    bool is_one = selection->threads.items.count == 1 && selection->profile.threads.count > 1;
    return is_one ? &selection->profile.threads.items[selection->threads.items.items[0].i] : NULL;
}

/* Where one thread was chosen on a side for want of --thread: that there are others, and whether both may be the same one. */
static void print_others(const struct diff *diff, struct line *line)
{
    const struct thread *base = thread_of_side(diff, SIDE_BASE), *new = thread_of_side(diff, SIDE_NEW);
    const struct selection *first = &diff->runs[0].selection, *last = &diff->runs[diff->run_count - 1].selection;
    if (diff->options->common.threads.values.count > 0 || (!base && !new) || !strategy_is_of_samples(first->query.strategy))
        return;
    line_print(line, "         ");
    line_add(line, SLICE("… "), 2);
    bool has_cpu =
        strategy_is_of_thread(&first->profile, &first->profile.threads.items[first->threads.items.items[0].i], STRATEGY_CPU);
    line_print(line, "the busiest of %zu threads and of %zu; all together: --thread all%s", first->profile.threads.count,
               last->profile.threads.count, has_cpu ? " --strategy cpu" : "");
    output_line(line);
    if (!base || !new || slice_equal(profile_text(&first->profile, base->name), profile_text(&last->profile, new->name)))
        return;
    line_print(line, "note     the two have different names; --thread NAME compares those of one name");
    output_line(line);
}

static void print_base_filter(struct line *line, const char *name, const char *value)
{
    if (!value)
        return;
    line_print(line, "filter   %s ", name);
    line_add_name(line, slice_of(value), SIZE_MAX);
    output_line(line);
}

static void print_head(const struct diff *diff, const struct terminal *terminal)
{
    struct line line = {0};
    for (size_t i = 0; i < diff->run_count; i++)
        print_run(diff, &diff->runs[i], &line, terminal);
    print_others(diff, &line);
    print_filters(&diff->runs[diff->run_count - 1].selection, &line, terminal);
    print_base_filter(&line, "--base-range", diff->options->base_range.text);
    print_base_filter(&line, "--base-at", diff->options->base_at);
    if (diff->per != PER_RUN) {
        line_print(&line, "per      ");
        line_add_name(&line, slice_of(diff->options->per), terminal->width / 2);
        output_line(&line);
    }
    print_verdict(diff, &line, terminal);
    putchar('\n');
    line_free(&line);
}

static int print_text(struct diff *diff)
{
    struct terminal terminal = terminal_of_options(&diff->options->common);
    print_head(diff, &terminal);
    int status = diff->options->tree ? diff_print_tree(diff, &terminal) : diff_print_functions(diff, &terminal);
    if (diff->failed && status == EXIT_OK)
        puts("\n--fail-if is met");
    return status;
}

/* ---- JSON ---- */

void diff_put_sum(struct json_output *output, const char *kind, double base, double new)
{
    static const char *const names[] = {"base", "new", "delta"};
    const double values[] = {base, new, new - base};
    for (int i = 0; i < 3; i++) {
        char key[24];
        snprintf(key, sizeof key, "%s%s", names[i], kind);
        json_put_number(output, key, values[i]);
    }
}

void diff_put_func(struct json_output *output, const struct func_keys *keys, uint32_t key)
{
    json_put_slice(output, "name", func_key_name(keys, key));
    json_put_slice_or_null(output, "lib", func_key_lib(keys, key));
    json_put_slice_or_null(output, "file", func_key_file(keys, key));
}

static void put_run(struct json_output *output, const struct diff_run *run)
{
    json_put_text(output, "file", run->options.file);
    json_put_threads(output, &run->selection.profile, &run->selection.threads);
    json_put_text(output, "weightType", weight_type_name(run->answer.weights.type));
    json_put_number(output, "sampleCount", (double)run->answer.tree.row_count);
    json_put_number(output, "rootTotal", run->answer.tree.root_total);
}

/* The first recording of a side, and the further ones in a list. */
static void put_side(struct json_output *output, const struct diff *diff, const char *key, enum comparison_side side)
{
    size_t first = 0;
    while (diff->runs[first].side != side)
        first++;
    json_write_key(output->writer, key);
    json_write_begin_object(output->writer);
    put_run(output, &diff->runs[first]);
    json_write_key(output->writer, "more");
    json_write_begin_array(output->writer);
    for (size_t i = first + 1; i < diff->run_count && diff->runs[i].side == side; i++) {
        json_write_begin_object(output->writer);
        put_run(output, &diff->runs[i]);
        json_write_end_object(output->writer);
    }
    json_write_end_array(output->writer);
    json_write_end_object(output->writer);
}

static void put_whole(struct json_output *output, const struct compared_sum *whole)
{
    const struct measure *of = whole->of;
    json_write_key(output->writer, "whole");
    json_write_begin_object(output->writer);
    json_put_number(output, "base", of[SIDE_BASE].value);
    json_put_number(output, "new", of[SIDE_NEW].value);
    json_put_number(output, "delta", compared_delta(whole));
    json_put_number(output, "deltaError", change_error(&of[SIDE_BASE], &of[SIDE_NEW]));
    json_put_number(output, "p", whole->chance);
    json_write_end_object(output->writer);
}

static int print_json(struct diff *diff)
{
    const struct comparison *comparison = &diff->comparison;
    struct json_output output;
    int status = json_output_open(&output, "diff");
    if (status != EXIT_OK)
        return status;
    put_side(&output, diff, "base", SIDE_BASE);
    put_side(&output, diff, "new", SIDE_NEW);
    json_put_transforms(&output, &diff->runs[0].selection, NULL);
    json_put_text(&output, "per", diff->options->per ? diff->options->per : "run");
    json_put_text(&output, "unit", diff->per == PER_SHARE ? "percent" : weight_type_name(diff->type));
    json_put_number(&output, "noise", comparison->terms.noise);
    json_put_number(&output, "level", comparison->terms.level);
    put_whole(&output, &comparison->whole);
    json_put_text(&output, "verdict", verdict_name(comparison->verdict));
    if (diff->options->fail_if.values.count > 0)
        json_put_boolean(&output, "failed", diff->failed);
    int failed = diff->options->tree ? diff_put_tree(diff, &output) : diff_put_functions(diff, &output);
    status = json_output_close(&output);
    return failed == EXIT_OK ? status : failed;
}

/* ---- the command ---- */

static int show(struct diff *diff)
{
    look_for_failures(diff);
    int status = EXIT_OK;
    if (diff->options->output)
        status = diff_output_write(diff);
    else
        status = diff->options->common.json ? print_json(diff) : print_text(diff);
    return status == EXIT_OK && diff->failed ? EXIT_TOO_MUCH : status;
}

static int check(struct diff *diff)
{
    const struct diff_options *options = diff->options;
    int status = check_conditions(diff);
    if (status == EXIT_OK)
        status = diff_per_parse(diff);
    if (status == EXIT_OK && options->level.given && !(options->level.value > 0 && options->level.value < 50))
        status = usage_error(diff->command, "--level: a percentage above 0 and below 50 is wanted");
    if (status == EXIT_OK && options->common.select)
        status = usage_error(diff->command, "--select: a comparison has no node to follow");
    if (status == EXIT_OK && options->output)
        status = diff_output_check(diff->command, options->output);
    if (status == EXIT_OK && options->common.invert && !options->tree && !options->output)
        status = usage_error(diff->command, "--invert is for --tree");
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct diff_options options = {0};
    struct diff diff = {.options = &options, .command = command};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON) {
        status = check(&diff);
        if (status == EXIT_OK)
            status = diff_open(&diff);
        if (status == EXIT_OK)
            status = show(&diff);
        diff_close(&diff);
    }
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "per",
        .kind = OPTION_TEXT,
        .target = offsetof(struct diff_options, per),
        .argument = "WHAT",
        .help = "what sums are divided by: run (default: they are compared\n"
                "as they are), share (all that the recording has),\n"
                "function:NAME (what this function takes), marker:NAME\n"
                "(how many markers have this name)",
    },
    {
        .name = "tree",
        .kind = OPTION_FLAG,
        .target = offsetof(struct diff_options, tree),
        .help = "the call trees of both as one; with --invert bottom-up",
    },
    {
        .name = "all",
        .kind = OPTION_FLAG,
        .target = offsetof(struct diff_options, all),
        .help = "also what differs no more than chance explains",
    },
    {
        .name = "sort",
        .kind = OPTION_CHOICE,
        .target = offsetof(struct diff_options, sort),
        .argument = "KEY",
        .choices = sort_choices,
        .help = "functions by how much their self (default) or total\n"
                "changed, by name or by p",
    },
    {
        .name = "base",
        .kind = OPTION_LIST,
        .target = offsetof(struct diff_options, base),
        .argument = "FILE",
        .help = "another recording of BASE; repeatable. Several recordings\n"
                "say how much runs differ",
    },
    {
        .name = "new",
        .kind = OPTION_LIST,
        .target = offsetof(struct diff_options, new),
        .argument = "FILE",
        .help = "another recording of NEW; repeatable",
    },
    {
        .name = "base-range",
        .kind = OPTION_RANGE,
        .target = offsetof(struct diff_options, base_range),
        .argument = "A,B",
        .help = "of BASE this range, and not that of --range: BASE and NEW\nmay be one file, of which two phases are compared",
    },
    {
        .name = "base-at",
        .kind = OPTION_TEXT,
        .target = offsetof(struct diff_options, base_at),
        .argument = "TIME",
        .help = "the same of --at: how memory grew from then on",
    },
    {
        .name = "noise",
        .kind = OPTION_NUMBER,
        .target = offsetof(struct diff_options, noise),
        .argument = "PERCENT",
        .help = "how much runs of the same program differ, as a standard\n"
                "deviation (1, where it is not measured)",
    },
    {
        .name = "level",
        .kind = OPTION_NUMBER,
        .target = offsetof(struct diff_options, level),
        .argument = "PERCENT",
        .help = "of how many pairs of recordings of the same program a\n"
                "function may seem to have changed (1)",
    },
    {
        .name = "fail-if",
        .kind = OPTION_LIST,
        .target = offsetof(struct diff_options, fail_if),
        .argument = "WHAT[:PERCENT]",
        .help = "exit with 3 where the whole is slower, faster or\n"
                "different, or the self of a function: function-slower,\n"
                "function-faster, function-different; by PERCENT of the\n"
                "whole of BASE at least; repeatable",
    },
    {
        .name = "output",
        .letter = 'o',
        .kind = OPTION_TEXT,
        .target = offsetof(struct diff_options, output),
        .argument = "OUT",
        .help = "write the call trees of both as a flame graph (.svg), or\n"
                "as folded stacks with two counts (.folded, -)",
    },
    OPTION_ENTRY_GROUP,
    {0},
};

static const struct option_group own_group = {"diff", own_options};

const struct command diff_command = {
    .name = "diff",
    .arguments = "BASE NEW [options]",
    .summary = "what got slower and faster between two profiles",
    .example = "sonde diff before.json.gz after.json.gz --fail-if slower:5",
    .description = "Compares two profiles, function by function: those with the same name in the same library (of scripts in\n"
                   "the same file). Lists what changed by more than chance explains: samples come at random, and no two runs\n"
                   "of a program are alike. Functions that came or went are there as well. Of pairs of recordings of the same\n"
                   "program, --level says in how many a function may seem to have changed.",
    .examples = "  sonde diff before.json.gz after.json.gz --strategy cpu --thread all\n"
                "  sonde diff before.json.gz after.json.gz --tree\n"
                "  sonde diff before.json.gz after.json.gz --per share --all --limit 20\n"
                "  sonde diff before.json.gz after.json.gz --strategy cpu -o diff.svg\n"
                "  sonde diff b1.json.gz n1.json.gz --base b2.json.gz --base b3.json.gz --new n2.json.gz --new n3.json.gz\n"
                "  sonde diff before.json.gz after.json.gz --strategy native-leaked-allocations\n"
                "  sonde diff before.json.gz after.json.gz --strategy cpu --fail-if slower:3 || echo 'too slow'\n"
                "  sonde diff a.json.gz b.json.gz --json | jq -r '.functions[] | select(.significant) | .name'\n",
    .groups = {&own_group, &selection_group, &allocation_group, &output_group},
    .second_operand = "NEW",
    .run = run,
};
