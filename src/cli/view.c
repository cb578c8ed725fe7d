/* sonde view: a profile in the browser, served on this machine only. */
#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/recordings.h"
#include "cli/report.h"
#include "cli/viewed_files.h"
#include "server/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

struct view_options {
    struct text_list files;
    bool firefox, no_open;
    struct optional_count port;
    struct text_list source_folders;
    struct symbol_options symbols;
};

struct view {
    const struct view_options *options;
    const char *file; /* the first */
    bool firefox;     /* in place of our own page */
    struct site site;
    struct view_search search;
    struct viewed_files files;
    int signal_fd;
    sigset_t signals_before;
    struct server *server;
    pid_t browser; /* 0 = none was started, or it has ended */
};

/* ---- before it is served ---- */

/* An address of one's own deployment of the Firefox Profiler, under the name that samply has for it. */
static int find_site(const struct command *command, struct site *site)
{
    const char *url = getenv("PROFILER_URL");
    struct error error = {0};
    if (!url || !*url)
        url = SITE_USUAL;
    if (site_parse(slice_of(url), site, &error))
        return usage_error(command, "PROFILER_URL: '%s': %s", url, error.message);
    return OPTIONS_GO_ON;
}

/* The newest recordings of the folder, after a list of them. */
static int choose_newest(struct recordings *recordings, struct text_list *files)
{
    int failed = recordings_find(".", recordings);
    if (failed) {
        report("the current folder: %s", error_text(-failed));
        return EXIT_DATA;
    }
    if (recordings->count == 0) {
        report("there is no recording in this folder: give a FILE, or make one with 'sonde record'");
        return EXIT_DATA;
    }
    for (size_t i = 0; i < recordings->count; i++)
        if (!vec_push(&files->values, recordings->items[i].name)) {
            report("out of memory");
            return EXIT_DATA;
        }
    return output_finish(!recordings_print(recordings));
}

static int start(struct view *view)
{
    view->firefox = view->options->firefox || page_files.count == 0;
    if (view->firefox && !view->options->firefox)
        report("this command was built without its page: the Firefox Profiler shows the profile");
    struct server_options options = {
        .port = (uint16_t)view->options->port.value,
        .profiles = view->files.listings,
        .profile_count = view->files.count,
        .site = &view->site,
        .page = view->firefox ? NULL : &page_files,
        .limits = SERVER_LIMITS,
    };
    struct error error = {0};
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &view->signals_before);
    /* Whoever sends to a browser that has gone learns it by the error. */
    signal(SIGPIPE, SIG_IGN);
    view->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    if (view->signal_fd < 0)
        error_set(&error, -errno, "cannot wait for signals: %s", error_text(errno));
    else
        view->server = server_start(&options, &error);
    if (view->server)
        return EXIT_OK;
    report("%s", error.message);
    return EXIT_DATA;
}

/* ---- while it is served ---- */

/* The address is always on standard output: whoever uses another browser, or another machine, takes it from there. */
static int show_address(struct view *view)
{
    struct text_buffer link = {0};
    struct error error = {0};
    unsigned port = server_port(view->server);
    if (view->firefox)
        site_link(&view->site, server_port(view->server), server_token(view->server), &link);
    else
        page_link(server_port(view->server), server_token(view->server), &link);
    text_add_char(&link, '\0');
    if (!link.failed)
        puts(link.bytes.items);
    int status = output_finish(link.failed);
    if (status == EXIT_OK && !view->options->no_open) {
        if (!browser_is_there())
            report("no display is here: open the address in a browser of this machine, or of another one after "
                   "ssh -L %u:127.0.0.1:%u THIS-MACHINE",
                   port, port);
        else if (browser_open(link.bytes.items, &view->browser, &error))
            report("no browser could be opened: %s; the address above is for any browser of this machine", error.message);
        else
            report("opening a browser on %s; Ctrl-C ends it", load_name(view->file));
    }
    text_free(&link);
    return status;
}

/* What was started to open the page. Some browsers end at once, others with their last window. */
static void reap(struct view *view)
{
    int status;
    if (view->browser <= 0 || waitpid(view->browser, &status, WNOHANG) != view->browser)
        return;
    view->browser = 0;
    if (status != 0)
        report("the browser ended with status %d; the address above is for any browser of this machine",
               WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void wait_for_end(struct view *view)
{
    struct signalfd_siginfo signal;
    for (;;) {
        if (read(view->signal_fd, &signal, sizeof signal) != (ssize_t)sizeof signal) {
            if (errno != EINTR)
                return;
        } else if (signal.ssi_signo == SIGCHLD) {
            reap(view);
        } else {
            return;
        }
    }
}

/* A second Ctrl-C does not wait for anything. */
static void end(struct view *view)
{
    sigset_t pending;
    sigprocmask(SIG_SETMASK, &view->signals_before, &pending);
    if (!viewed_files_stop(&view->files) || !server_stop(view->server)) {
        report("%s is no longer served", load_name(view->file));
        _exit(EXIT_OK);
    }
    report("%s is no longer served", load_name(view->file));
}

/* ---- the command ---- */

static int serve(struct view *view, const struct text_list *files)
{
    int status = viewed_files_open(files->values.items, files->values.count, &view->search, &view->files);
    if (status == EXIT_OK)
        status = start(view);
    if (status == EXIT_OK) {
        status = show_address(view);
        if (status == EXIT_OK)
            wait_for_end(view);
        end(view);
    }
    if (view->signal_fd >= 0)
        close(view->signal_fd);
    viewed_files_free(&view->files);
    return status;
}

static int view_files(const struct view_options *options, struct text_list *files, const struct site *site)
{
    struct recordings recordings = {0};
    int status = files->values.count > 0 ? EXIT_OK : choose_newest(&recordings, files);
    if (status == EXIT_OK) {
        struct view view = {
            .options = options,
            .file = files->values.items[0],
            .site = *site,
            .search = {&options->symbols, &options->source_folders},
            .signal_fd = -1,
        };
        status = serve(&view, files);
    }
    recordings_free(&recordings);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct view_options options = {0};
    struct site site;
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = symbol_options_check(command, &options.symbols);
    if (status == OPTIONS_GO_ON && options.port.value > UINT16_MAX)
        status = usage_error(command, "--port: a number from 0 to %u is wanted", UINT16_MAX);
    if (status == OPTIONS_GO_ON)
        status = find_site(command, &site);
    if (status == OPTIONS_GO_ON)
        status = view_files(&options, &options.files, &site);
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "firefox",
        .kind = OPTION_FLAG,
        .target = offsetof(struct view_options, firefox),
        .help = "in the Firefox Profiler, whose page comes from the internet",
    },
    {
        .name = "port",
        .kind = OPTION_COUNT,
        .target = offsetof(struct view_options, port),
        .argument = "N",
        .help = "serve at this port (0: one that is free)",
    },
    {
        .name = "no-open",
        .kind = OPTION_FLAG,
        .target = offsetof(struct view_options, no_open),
        .help = "print the address only, and open no browser",
    },
    {
        .name = "source-dir",
        .kind = OPTION_LIST,
        .target = offsetof(struct view_options, source_folders),
        .argument = "DIR",
        .help = "look here first for source files; repeatable",
    },
    OPTION_ENTRIES_SYMBOLS(struct view_options),
    {0},
};
static const struct option_group own_group = {"options", own_options};

const struct command view_command = {
    .name = "view",
    .arguments = "[FILE...] [options]",
    .summary = "the profile in a browser",
    .example = "sonde view profile.json.gz",
    .description =
        "Reads a profile of any format, or a session, serves it on this machine only, and opens a page on it in a browser,\n"
        "with symbols, source files and instructions from here. Nothing of it comes from the internet, or goes there. Ctrl-C\n"
        "ends it. Of several FILEs the first is shown, and the page has a list of all. Without a FILE these are the newest\n"
        "recordings of the current folder.\n"
        "\n"
        "--firefox opens the Firefox Profiler's site instead, which runs in the browser, too: the profile is not uploaded\n"
        "anywhere. PROFILER_URL names another deployment of it.\n"
        "\n"
        "The address is printed, too. It has a secret in it: whoever knows it, and can reach this machine's loopback, can see\n"
        "the profile. Only pages of this server and of the Firefox Profiler may ask.",
    .examples = "  sonde view\n"
                "  sonde view before.json.gz after.json.gz\n"
                "  sonde view profile.json.gz --port 8080 --no-open\n"
                "  sonde view --firefox perf.txt\n",
    .groups = {&own_group},
    .optional_file = true,
    .many_files = true,
    .run = run,
};
