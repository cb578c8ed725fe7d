/* sonde top: the call tree and the functions on the whole terminal, by keys. */
#include "top/top.h"

#include "cli/commands.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "cli/source_text.h"
#include "top/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

struct top_options {
    struct common_options common;
    struct text_list source_folders;
    struct symbol_options symbols;
};

/* ---- source files ---- */

struct sources {
    struct source_search search;
    const struct profile *profile;
    struct source_text text;
};

static struct top_text read_source(void *data, uint32_t source)
{
    struct sources *sources = data;
    source_text_free(&sources->text);
    source_text_find(&sources->text, &sources->search, sources->profile, source);
    return (struct top_text){
        .lines = sources->text.lines.items,
        .count = sources->text.lines.count,
        .first_line = sources->text.first_line,
        .changed = sources->text.changed,
    };
}

/* ---- the terminal ---- */

static bool terminal_has_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *locale = getenv(names[i]);
        if (locale && *locale)
            return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
    }
    return false;
}

/* Where keys come from: standard input, unless the profile does; -1 after saying what is wrong. */
static int open_keys(const char *file)
{
    const char *kind = getenv("TERM");
    if (!isatty(STDOUT_FILENO)) {
        report("top needs a terminal, and standard output is none; 'sonde tree' prints");
    } else if (!kind || !*kind || strcmp(kind, "dumb") == 0) {
        report("top needs a terminal that can move its cursor, and TERM is '%s'; 'sonde tree' prints", kind ? kind : "");
    } else if (strcmp(file, "-") == 0) {
        int keys = open("/dev/tty", O_RDWR | O_CLOEXEC);
        if (keys >= 0)
            return keys;
        report("top needs a terminal for its keys: /dev/tty: %s", strerror(errno));
    } else if (!isatty(STDIN_FILENO)) {
        report("top needs a terminal for its keys, and standard input is none");
    } else {
        return STDIN_FILENO;
    }
    return -1;
}

static bool draw(struct top *top, struct canvas *canvas)
{
    size_t rows, columns;
    struct text_buffer out = {0};
    tty_size(&rows, &columns);
    if (!canvas_begin(canvas, rows, columns))
        return false;
    top_draw(top, canvas);
    canvas_write(canvas, &out);
    tty_write(text_slice(&out).text, text_slice(&out).length);
    bool drawn = !out.failed;
    text_free(&out);
    return drawn;
}

/* Draws when no key is waiting: whoever holds an arrow key down sees where it leads. And before the first one, which tells how
 * many rows there are to move by. */
static bool talk(struct top *top)
{
    struct canvas canvas = {.utf8 = terminal_has_utf8(), .unknown = true};
    bool fits = draw(top, &canvas), drawn = fits;
    while (!top->done && fits) {
        int key;
        enum tty_event event = tty_wait(drawn ? -1 : 0, &key);
        if (event == TTY_GONE)
            break;
        if (event == TTY_QUIET) {
            fits = draw(top, &canvas);
            drawn = true;
            continue;
        }
        drawn = false;
        canvas.unknown |= event == TTY_REDRAW || key == KEY_CTRL('l');
        if (event == TTY_KEY)
            top_key(top, key);
    }
    canvas_free(&canvas);
    return fits;
}

/* What was asked for that no key changes. */
static void list_filters(const struct common_options *options, char *out, size_t room)
{
    const char *range = options->range.given ? options->range.text : NULL;
    const char *filters[][2] = {{"--range", range}, {"--during", options->during}, {"--search", options->search}};
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (filters[i][1] && length < room)
            length +=
                (size_t)snprintf(out + length, room - length, "%s%s %s", length > 0 ? " " : "", filters[i][0], filters[i][1]);
}

static int show(struct selection *selection, const struct top_options *options, int keys)
{
    struct sources sources = {
        .search =
            {
                .folders = options->source_folders.values.items,
                .folder_count = options->source_folders.values.count,
                .relative = true,
            },
        .profile = &selection->profile,
    };
    struct terminal terminal = terminal_of_output(SIZE_MAX, (enum colour_choice)options->common.colour);
    terminal.folds_names = !options->common.full_names;
    struct top top;
    struct top_sources for_top = {&sources, read_source};
    char filters[200];
    bool fits = true;
    list_filters(&options->common, filters, sizeof filters);
    if (top_open(&top, load_name(options->common.file), filters, &selection->whole, &selection->query, &for_top, &terminal) ==
            0 &&
        tty_open(keys, &top.look.error) == 0) {
        fits = talk(&top);
        tty_close();
    }
    selection->error = top.look.error;
    if (!fits)
        error_out_of_memory(&selection->error);
    top_free(&top);
    source_text_free(&sources.text);
    return selection->error.code == 0 ? EXIT_OK : selection_report(selection);
}

static int run(const struct command *command, int count, char **arguments)
{
    struct top_options options = {0};
    struct selection selection;
    int keys = -1;
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = symbol_options_check(command, &options.symbols);
    if (status == OPTIONS_GO_ON && (keys = open_keys(options.common.file)) < 0)
        status = EXIT_DATA;
    if (status == OPTIONS_GO_ON) {
        struct load_options load = {.search = &options.symbols};
        status = selection_open_with(&selection, command, &options.common, &load);
        if (status == EXIT_OK)
            status = show(&selection, &options, keys);
        selection_free(&selection);
    }
    if (keys > STDIN_FILENO)
        close(keys);
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "source-dir",
        .kind = OPTION_LIST,
        .target = offsetof(struct top_options, source_folders),
        .argument = "DIR",
        .help = "look here first for source files, under their whole path\nor the end of it; repeatable",
    },
    {
        .name = "symbol-dir",
        .kind = OPTION_LIST,
        .target = offsetof(struct top_options, symbols.folders),
        .argument = "DIR",
        .help = "look here first for modules and their debug files;\nrepeatable",
    },
    OPTION_ENTRY_FULL_NAMES,
    OPTION_ENTRY_COLOUR,
    {0},
};
static const struct option_group own_group = {"the terminal", own_options};

const struct command top_command = {
    .name = "top",
    .arguments = "FILE [options]",
    .summary = "the call tree and the functions on the whole terminal, by keys",
    .example = "sonde top profile.json.gz",
    .description = "Shows the call tree, and with Tab the functions, on the whole terminal. Arrow keys move, open and\n"
                   "close rows, Enter shows the source lines of a function, / finds, i turns the tree around, and the\n"
                   "letters of the page change it: m merges a function, f focuses on it, d drops its samples, and\n"
                   "Backspace takes the last change back. ? lists all keys, q quits.",
    .examples = "  sonde top profile.json.gz\n"
                "  sonde top profile.json.gz --thread all --strategy cpu\n"
                "  sonde top profile.json.gz --during 'GET /slow' --source-dir ~/src/app\n"
                "  perf script | sonde top -\n",
    .groups = {&own_group, &selection_group, &allocation_group},
    .run = run,
};
