/* sonde report: the profile and the page that shows it, in one file. */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "common/json_writer.h"
#include "export/cut.h"
#include "export/html.h"
#include "server/page_files.h"
#include "tree/carry.h"

#include <string.h>

struct report_options {
    struct common_options common;
    const char *output;
    const char *diff; /* what the profile is compared with */
    struct symbol_options symbols;
};

/* ---- what is in it ---- */

static bool add_path(struct func_roots *roots, const struct path *path)
{
    bool added = true;
    for (size_t i = 0; i < path->funcs.count; i++)
        added &= vec_push(&roots->funcs, path->funcs.items[i]);
    return added;
}

/* What the command line names stays, whether samples have it or not. */
static bool add_roots(const struct selection *selection, struct func_roots *roots)
{
    bool added = add_path(roots, &selection->selected);
    for (size_t i = 0; i < selection->query.transform_count; i++) {
        const struct transform *transform = &selection->query.transforms[i];
        if (transform->func != INDEX_NONE)
            added &= vec_push(&roots->funcs, transform->func);
        added &= add_path(roots, &transform->path);
    }
    return added;
}

/* Transforms and the selected path go on with the numbers that their functions have afterwards. */
static int cut_profile(struct selection *selection, const struct profile_cut *cut)
{
    struct func_changes changes = {0};
    struct transform_list *transforms = &selection->transforms;
    view_free(&selection->whole);
    selection->whole = (struct view){0};
    int failed = profile_cut(&selection->profile, cut, &changes, &selection->error);
    for (size_t i = 0; i < transforms->items.count && !failed; i++)
        if (!transform_carry(&transforms->items.items[i], &changes))
            failed = error_out_of_memory(&selection->error);
    if (!failed && !path_carry(&selection->selected, &changes, selection->query.inverted))
        failed = error_out_of_memory(&selection->error);
    func_changes_free(&changes);
    return failed ? failed : view_open(&selection->profile, &selection->whole, &selection->error);
}

/* Without --thread all threads are in it: the one that other commands choose is only what they show. */
static int cut_selected(struct selection *selection)
{
    const struct common_options *options = selection->options;
    static const char *all = "all";
    const struct text_list everything = {{&all, 1, 1}};
    if (!options->range.given && options->threads.values.count == 0)
        return EXIT_OK;
    vec_free(&selection->threads.items);
    struct profile_cut cut = {.start = selection->query.range.start, .end = selection->query.range.end};
    const struct text_list *names = options->threads.values.count > 0 ? &options->threads : &everything;
    int failed = threads_choose(&selection->profile, names, &selection->threads, &selection->error);
    selection->query.threads = NULL; /* numbers of threads that are no longer there */
    selection->query.thread_count = 0;
    cut.threads = selection->threads.items.items;
    cut.thread_count = selection->threads.items.count;
    if (!failed && !add_roots(selection, &cut.roots))
        failed = error_out_of_memory(&selection->error);
    if (!failed)
        failed = cut_profile(selection, &cut);
    vec_free(&cut.roots.funcs);
    return failed ? selection_report(selection) : EXIT_OK;
}

/* ---- what the page shows first ---- */

static void write_transforms(struct json_writer *w, const struct selection *selection)
{
    const struct query *query = &selection->query;
    json_write_begin_array(w);
    for (size_t i = 0; i < query->transform_count; i++) {
        struct text_buffer text = {0};
        transform_print(&query->transforms[i], selection->whole.funcs, query->implementation, &text);
        json_write_string(w, text_slice(&text));
        text_free(&text);
    }
    json_write_end_array(w);
}

static void write_selected(struct json_writer *w, const struct path *path)
{
    json_write_key(w, "selected");
    json_write_begin_array(w);
    for (size_t i = 0; i < path->funcs.count; i++)
        json_write_integer(w, path->funcs.items[i]);
    json_write_end_array(w);
}

static int write_view(const struct selection *selection, struct byte_sink *sink, struct error *error)
{
    const struct query *query = &selection->query;
    struct json_writer *w = json_writer_open(sink, 0, error);
    if (!w)
        return error->code;
    json_write_begin_object(w);
    json_write_key(w, "transforms");
    write_transforms(w, selection);
    json_write_key(w, "implementation");
    json_write_text(w, implementation_choices[query->implementation]);
    json_write_key(w, "search");
    json_write_string(w, query->search);
    json_write_key(w, "inverted");
    json_write_boolean(w, query->inverted);
    json_write_key(w, "idle");
    json_write_boolean(w, !query->exclude_idle);
    json_write_key(w, "strategy");
    json_write_text(w, strategy_names[query->strategy]);
    if (query->selected)
        write_selected(w, query->selected);
    json_write_end_object(w);
    return json_writer_close(w);
}

/* ---- the file ---- */

static int write_report(const void *data, struct byte_sink *sink, struct error *error)
{
    return export_html(data, sink, error);
}

static struct slice file_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slice_of(slash && slash[1] ? slash + 1 : load_name(file));
}

/* `base` NULL = it is compared with nothing. */
static int write_file(const struct report_options *options, struct selection *selection, const struct profile *base,
                      const struct page_file *template)
{
    struct byte_sink *view = byte_sink_memory(&selection->error);
    if (!view || write_view(selection, view, &selection->error) != 0) {
        byte_sink_close(view, false, NULL);
        return selection_report(selection);
    }
    struct html_report report = {
        .profile = &selection->profile,
        .template = {template->bytes, template->length},
        .name = file_name(options->common.file),
        .view = byte_sink_memory_bytes(view),
        .base = base,
        .base_name = base ? file_name(options->diff) : SLICE(""),
    };
    int status = output_file_write(options->output, write_report, &report);
    byte_sink_close(view, false, NULL);
    return status;
}

/* ---- the command ---- */

static int make_report(const struct command *command, const struct report_options *options)
{
    const struct page_file *template = page_file_find(&page_files, SLICE("/report.html"));
    if (!template) {
        report("this build of sonde has no report engine: clang, lld, wasi-libc or the packages of the page were missing");
        return EXIT_DATA;
    }
    struct selection selection;
    struct profile base;
    struct load_options load = {.symbols = LOAD_SYMBOLS_OF_SESSIONS, .search = &options->symbols};
    int status = selection_open_with(&selection, command, &options->common, &load);
    if (status == EXIT_OK)
        status = cut_selected(&selection);
    if (status == EXIT_OK && options->diff)
        status = load_profile_with(options->diff, &load, &base);
    bool has_base = status == EXIT_OK && options->diff;
    if (status == EXIT_OK)
        status = write_file(options, &selection, has_base ? &base : NULL, template);
    if (has_base)
        profile_free(&base);
    selection_free(&selection);
    return status;
}

static int check_diff(const struct command *command, const struct report_options *options)
{
    const struct common_options *common = &options->common;
    if (options->diff && (common->range.given || common->threads.values.count > 0))
        return usage_error(command, "--diff: whole recordings are compared, without --range and --thread");
    return OPTIONS_GO_ON;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct report_options options = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = symbol_options_check(command, &options.symbols);
    if (status == OPTIONS_GO_ON)
        status = check_diff(command, &options);
    if (status == OPTIONS_GO_ON)
        status = options.output ? make_report(command, &options) : usage_error(command, "no -o OUT given");
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    OPTION_ENTRY_OUTPUT(struct report_options),
    {
        .name = "diff",
        .kind = OPTION_TEXT,
        .target = offsetof(struct report_options, diff),
        .argument = "BASE",
        .help = "compare FILE with this profile, which is in the report, too",
    },
    OPTION_ENTRIES_SYMBOLS(struct report_options),
    {0},
};
static const struct option_group own_group = {"options", own_options};

const struct command report_command = {
    .name = "report",
    .arguments = "FILE -o OUT.html [options]",
    .summary = "one HTML file that shows the profile in any browser, offline",
    .example = "sonde report profile.json.gz -o profile.html",
    .description =
        "Reads a profile of any format, or a session, and writes one HTML file with the profile, the page of 'sonde view' and\n"
        "the engine that answers it. A double click opens it: it needs no server and no network, and nothing in it leaves the\n"
        "browser. With --thread and --range only these threads and this time are in the file; the other options say what the\n"
        "page shows first. Source files and instructions are not in it.",
    .examples = "  sonde report profile.json.gz -o profile.html\n"
                "  sonde report profile.json.gz -o start.html --range 0,2.5 --thread all\n"
                "  sonde report --diff before.json.gz after.json.gz -o diff.html\n"
                "  sonde report profile.json.gz -o draw.html -T focus-function:draw --invert\n",
    .groups = {&own_group, &selection_group},
    .run = run,
};
