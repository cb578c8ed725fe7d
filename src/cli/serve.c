#include "cli/serve.h"

#include "cli/browser.h"
#include "cli/exit_status.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/report.h"
#include "server/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

struct view {
    const struct serve_options *options;
    bool firefox;
    struct viewed_files files;
    int signal_fd;
    sigset_t signals_before;
    struct server *server;
    pid_t browser; /* 0 = none was started, or it has ended */
};

int serve_site(struct site *site, struct error *error)
{
    const char *url = getenv("PROFILER_URL");
    struct error why = {0};
    if (!url || !*url)
        url = SITE_USUAL;
    int failed = site_parse(slice_of(url), site, &why);
    return failed ? error_set(error, failed, "PROFILER_URL: '%s': %s", url, why.message) : 0;
}

bool serve_has_page(void)
{
    return page_files.count > 0;
}

/* ---- before it is served ---- */

static int start(struct view *view)
{
    view->firefox = view->options->firefox || !serve_has_page();
    if (view->firefox && !view->options->firefox)
        report("this command was built without its page: the Firefox Profiler shows the profile");
    struct server_options options = {
        .port = view->options->port,
        .profiles = view->files.listings,
        .profile_count = view->files.count,
        .site = &view->options->site,
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
        site_link(&view->options->site, server_port(view->server), server_token(view->server), &link);
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
            report("opening a browser on %s; Ctrl-C ends it", load_name(view->options->files[0]));
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
        report("%s is no longer served", load_name(view->options->files[0]));
        _exit(EXIT_OK);
    }
    report("%s is no longer served", load_name(view->options->files[0]));
}

static int serve(struct view *view)
{
    struct view_search search = view->options->search;
    search.at_once = view->options->base != NULL;
    int status = viewed_files_open(view->options->files, view->options->file_count, &search, &view->files);
    if (status == EXIT_OK && view->options->base)
        status = viewed_files_compare(&view->files);
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

int serve_files(const struct serve_options *options)
{
    struct view view = {.options = options, .signal_fd = -1};
    return serve(&view);
}
