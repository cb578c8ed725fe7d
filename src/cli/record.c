/* sonde record: runs a program, records it, and writes the profile. */
#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/gather.h"
#include "cli/hot_part.h"
#include "cli/report.h"
#include "cli/serve.h"
#include "common/byte_sink.h"
#include "ipc/perf_signal.h"
#include "record/coordinator.h"
#include "record/launch.h"
#include "record/preload.h"
#include "record/program.h"
#include "record/recording_folder.h"
#include "record/settings.h"
#include "record/watch.h"
#include "session/notes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double rate_usual = 1000;
static const size_t buffer_usual = 512ul << 20;

struct record_options {
    char **words;
    const char *output;
    bool save_only, no_view;
    struct optional_number rate, duration;
    struct optional_count buffer_size;
    const char *features, *threads, *session, *allocations, *page_faults;
    bool no_children, node_markers, gecko, no_symbols;
    struct symbol_options symbols;
};

struct recording {
    const struct record_options *options;
    char **words; /* the command line, without what it sets in the environment */
    struct environment environment;
    char program[PATH_MAX];
    struct recording_folder folder;
    struct coordinator *coordinator; /* NULL = each process is on its own */
    struct signals signals;
    struct watch watch;
    struct error error;
};

/* ---- before the program runs ---- */

static int not_started(const struct error *error)
{
    report("%s", error->message);
    return EXIT_NOT_STARTED;
}

static struct capture_settings settings_of(const struct record_options *options)
{
    return (struct capture_settings){
        .rate = options->rate.value,
        .duration = options->duration.given ? options->duration.value : 0,
        .buffer_bytes = options->buffer_size.value,
        .features = options->features ? options->features : "default",
        .threads = options->threads,
        .allocations = options->allocations && !*options->allocations ? "adaptive" : options->allocations,
        .page_faults = options->page_faults,
    };
}

/* Better known before the recording than after it. */
static int check_page_faults(const struct record_options *options)
{
    int event = options->page_faults ? perf_signal_open(getpid(), PERF_SIGNAL_FAULT, SIGPROF, 1) : -1;
    if (event >= 0)
        close(event);
    if (!options->page_faults || event >= 0)
        return EXIT_OK;
    report("--page-faults: the system refuses events (perf_event_open: %s)%s", strerrorname_np(-event),
           event == -EACCES  ? "; kernel.perf_event_paranoid has to be 2 or less"
           : event == -EPERM ? "; a seccomp filter, as containers have, or the kernel forbids them"
                             : "");
    return EXIT_NOT_STARTED;
}

/* Whoever asks for another format should not be given this one under its name. */
static bool is_profile_name(const char *path)
{
    struct slice name = slice_of(path);
    if (byte_packing_of_name(path) != PACKING_NONE)
        name.length = (size_t)((const char *)memrchr(name.text, '.', name.length) - name.text);
    return slice_ends_with(name, SLICE(".json"));
}

static int check_options(const struct command *command, struct record_options *options)
{
    if (!options->output)
        options->output = "profile.json.gz";
    if (!options->rate.given)
        options->rate.value = rate_usual;
    if (!options->buffer_size.given)
        options->buffer_size.value = buffer_usual;
    if (options->duration.given && options->duration.value == 0)
        return usage_error(command, "--duration: nothing can be recorded in 0 seconds");
    if (strcmp(options->output, "-") == 0)
        return usage_error(command, "--output: standard output belongs to the command that is recorded");
    if (!is_profile_name(options->output))
        return usage_error(command, "--output: the name '%s' does not end in .json, .json.gz or .json.zst", options->output);
    if (options->session && !*options->session)
        return usage_error(command, "--session: DIR is empty");
    struct capture_settings settings = settings_of(options);
    struct error error = {0};
    return settings_check(&settings, &error) == 0 ? OPTIONS_GO_ON : usage_error(command, "%s", error.message);
}

/* A profile that cannot be written is better known before an hour of recording than after it. */
static int check_output(const char *output)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(output, '/');
    struct stat status;
    if (stat(output, &status) == 0 && S_ISDIR(status.st_mode)) {
        report("%s: %s", output, strerror(EISDIR));
        return EXIT_NOT_STARTED;
    }
    if (slash && snprintf(folder, sizeof folder, "%.*s", slash == output ? 1 : (int)(slash - output), output) >= PATH_MAX)
        errno = ENAMETOOLONG;
    else if (access(folder, W_OK | X_OK) == 0)
        return EXIT_OK;
    report("%s: the profile cannot be written there: %s (-o names another place)", output, strerror(errno));
    return EXIT_NOT_STARTED;
}

/* The words up to the command that are NAME=VALUE. */
static bool make_environment(struct recording *recording)
{
    if (!environment_copy(&recording->environment, environ))
        return false;
    for (; *recording->words && environment_is_assignment(*recording->words); recording->words++)
        if (!environment_put(&recording->environment, *recording->words))
            return false;
    return true;
}

static int cannot_run(const char *name, int failed)
{
    report("%s: %s", name, strerror(-failed));
    return failed == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static int find_program(struct recording *recording)
{
    int failed = program_find(*recording->words, environment_get(&recording->environment, "PATH"), recording->program);
    if (failed)
        return cannot_run(*recording->words, failed);
    struct program program;
    program_inspect(recording->program, &program);
    const char *why = NULL;
    switch (program.kind) {
    case PROGRAM_STATIC:
        why = "statically linked, so the library that records cannot be loaded into it";
        break;
    case PROGRAM_PRIVILEGED:
        why = "runs with more rights than yours (setuid, setgid or capabilities), so the system lets no library be loaded into "
              "it";
        break;
    case PROGRAM_FOREIGN:
        why = "for another CPU or for 32 bits, so the library that records cannot be loaded into it";
        break;
    case PROGRAM_DAMAGED:
        report("%s: damaged: a part of the program is missing", program.file);
        return EXIT_CANNOT_RUN;
    case PROGRAM_RECORDABLE:
    case PROGRAM_UNKNOWN:
    case PROGRAM_OTHER_LIBC:
        break;
    }
    if (why) {
        report("%s: %s", program.file, why);
        return EXIT_NOT_STARTED;
    }
    return EXIT_OK;
}

/* The one that records comes first, so last here. */
static int add_libraries(struct recording *recording)
{
    char path[PATH_MAX];
    struct error *error = &recording->error;
    int failed = 0;
    for (int library = recording->options->allocations ? PRELOAD_ALLOCATIONS : PRELOAD_RECORDER; !failed && library >= 0;
         library--)
        if ((failed = preload_find((enum preload_library)library, path, error)) == 0)
            failed = preload_add(&recording->environment, path, error);
    if (!failed && recording->options->node_markers && (failed = preload_find(PRELOAD_NODE, path, error)) == 0)
        failed = preload_add_to_node(&recording->environment, path, error);
    return failed;
}

static int prepare_session(struct recording *recording)
{
    const struct record_options *options = recording->options;
    struct error *error = &recording->error;
    if (add_libraries(recording) ||
        recording_folder_make(options->session, options->buffer_size.value, &recording->folder, error))
        return not_started(error);
    struct capture_settings settings = settings_of(options);
    settings.folder = recording->folder.path;
    /* Who records us may have set it. */
    environment_remove(&recording->environment, SETTINGS_PID_VARIABLE);
    if (!settings_apply(&settings, &recording->environment)) {
        error_out_of_memory(error);
        recording_folder_remove(&recording->folder);
        return not_started(error);
    }
    /* There are file systems without sockets. Each process has the whole limit for itself then. */
    struct coordinator_options coordinator = {
        .folder = recording->folder.path,
        .limit_bytes = options->buffer_size.value,
        .interval_ns = (uint64_t)(1e9 / options->rate.value),
        .counts_cpu = settings_count_cpu(&settings),
    };
    recording->coordinator = coordinator_open(&coordinator, error);
    if (!recording->coordinator) {
        report("%s; processes are recorded all the same, each by itself", error->message);
        *error = (struct error){0};
    }
    return EXIT_OK;
}

static void discard_session(struct recording *recording)
{
    coordinator_close(recording->coordinator);
    recording_folder_remove(&recording->folder);
}

static int prepare(struct recording *recording, const struct command *command)
{
    if (!make_environment(recording)) {
        error_out_of_memory(&recording->error);
        return not_started(&recording->error);
    }
    if (!*recording->words)
        return usage_error(command, "no command given");
    int status = find_program(recording);
    if (status == EXIT_OK)
        status = check_page_faults(recording->options);
    if (status == EXIT_OK)
        status = check_output(recording->options->output);
    return status == EXIT_OK ? prepare_session(recording) : status;
}

static int start(struct recording *recording)
{
    struct launch launch = {
        .path = recording->program,
        .words = recording->words,
        .environment = &recording->environment,
        .pid_variable = recording->options->no_children ? SETTINGS_PID_VARIABLE : NULL,
        .signals = &recording->signals,
    };
    bool exec_failed;
    signals_take(&recording->signals);
    if (recording->signals.fd < 0) {
        error_set(&recording->error, -errno, "cannot wait for signals: %s", strerror(errno));
        signals_give_back(&recording->signals);
        discard_session(recording);
        return not_started(&recording->error);
    }
    int failed = launch_program(&launch, &recording->watch.pid, &exec_failed, &recording->error);
    if (failed == 0)
        return EXIT_OK;
    signals_give_back(&recording->signals);
    discard_session(recording);
    return exec_failed ? cannot_run(*recording->words, failed) : not_started(&recording->error);
}

/* ---- while it runs ---- */

static bool take_turn(void *data)
{
    struct recording *recording = data;
    bool goes_on = coordinator_turn(recording->coordinator);
    recording->watch.ready_pause_ms = coordinator_pause_ms(recording->coordinator);
    return goes_on;
}

static void look(void *data)
{
    coordinator_look(((struct recording *)data)->coordinator);
}

static enum watch_end wait_for_program(struct recording *recording)
{
    if (recording->coordinator) {
        recording->watch.fd = coordinator_fd(recording->coordinator);
        recording->watch.ready = take_turn;
        recording->watch.ready_data = recording;
        recording->watch.soon_fd = coordinator_look_fd(recording->coordinator);
        recording->watch.soon = look;
    }
    recording->watch.signals = &recording->signals;
    recording->watch.seconds = recording->options->duration.given ? recording->options->duration.value : 0;
    enum watch_end end = watch_program(&recording->watch);
    signals_allow_stops(&recording->signals);
    return end;
}

/* ---- after it ---- */

struct noting {
    const char *folder;
    FILE *file; /* NULL until there is something to note */
};

static void note(void *data, const char *line)
{
    struct noting *noting = data;
    char path[PATH_MAX];
    if (!noting->file && snprintf(path, sizeof path, "%s/" NOTES_NAME, noting->folder) < PATH_MAX) {
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        noting->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    }
    if (noting->file)
        fprintf(noting->file, "%s\n", line);
    report("%s", line);
}

/* Processes that still run are told to stop; what is known of the session as a whole is put to the rest of it. */
static void end_session(struct recording *recording)
{
    struct noting noting = {.folder = recording->folder.path};
    if (!recording->coordinator)
        return;
    coordinator_stop(recording->coordinator);
    if (!recording->folder.temporary)
        coordinator_take_in(recording->coordinator);
    coordinator_notes(recording->coordinator, note, &noting);
    if (noting.file)
        fclose(noting.file);
    coordinator_close(recording->coordinator);
    recording->coordinator = NULL;
}

/* No process left a file behind. */
static int finish_nothing(const struct recording *recording)
{
    struct program program;
    int folder = open(recording->folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_full = folder >= 0 && recording_folder_is_full(folder);
    if (folder >= 0)
        close(folder);
    recording_folder_remove(&recording->folder);
    /* The library prints its settings and ends the program: that is what was asked for. */
    if (environment_get(&recording->environment, "SONDE_HELP"))
        return EXIT_OK;
    program_inspect(recording->program, &program);
    const char *reason = program_kind_reason(program.kind);
    if (!reason && is_full)
        reason = "the disk of the session is full";
    if (!reason)
        reason = "the library that records said why, found no room, or was not loaded (into a statically linked or setuid "
                 "program, or with a cleared environment)";
    report("no profile was written, %s was not recorded: %s", *recording->words, reason);
    return EXIT_DATA;
}

/* The profile of what was recorded. The session is kept where it could not be written. */
static int finish(struct recording *recording)
{
    const struct record_options *options = recording->options;
    if (!recording_folder_has_files(&recording->folder))
        return finish_nothing(recording);
    struct gathering gathering = {
        .session = recording->folder.path,
        .output = options->output,
        .gecko = options->gecko,
        .load = {.symbols = options->no_symbols ? LOAD_NO_SYMBOLS : LOAD_SYMBOLS_OF_SESSIONS, .search = &options->symbols},
    };
    struct common_options view = {.file = options->output, .no_pager = true};
    struct selection selection = {.options = &view};
    int status = gather_session(&gathering, &selection.profile);
    if (status == EXIT_OK) {
        gather_report(&gathering, &selection.profile);
        if (!options->save_only)
            hot_part_print(&selection);
        recording_folder_remove(&recording->folder);
    } else {
        report("no profile was written; the recording is kept: sonde recover %s -o OUT", recording->folder.path);
        if (recording->folder.temporary)
            report("its files are temporary ones, in memory if that is /dev/shm: rm -r %s", recording->folder.path);
    }
    selection_free(&selection);
    return status;
}

/* Somebody is there to look at it: a display, and a terminal that is not for something else. A program that still runs would
 * get the Ctrl-C, too, by which the page is ended. */
static bool is_viewed(const struct recording *recording, enum watch_end end)
{
    return !recording->options->save_only && !recording->options->no_view && (end == WATCH_EXITED || end == WATCH_KILLED) &&
           serve_has_page() && isatty(STDOUT_FILENO) && browser_has_display();
}

static void show_page(const struct record_options *options)
{
    static const struct text_list no_folders = {0};
    struct error error = {0};
    struct serve_options serve = {.files = &options->output, .file_count = 1, .search = {&options->symbols, &no_folders}};
    if (serve_site(&serve.site, &error))
        report("%s", error.message);
    else
        serve_files(&serve);
}

/* How the program ended is how we end; only where it went well can our own failure be told by the status. */
static int exit_like(const struct recording *recording, enum watch_end end, int status)
{
    switch (end) {
    case WATCH_EXITED:
        return recording->watch.number != 0 ? recording->watch.number : status;
    case WATCH_KILLED:
    case WATCH_GIVEN_UP:
        signals_die_of(recording->watch.number);
    case WATCH_TIME_UP:
    case WATCH_STOPPED:
        break;
    }
    return status;
}

static int record(const struct command *command, const struct record_options *options)
{
    struct recording recording = {.options = options, .words = options->words};
    int status = prepare(&recording, command);
    if (status == EXIT_OK)
        status = start(&recording);
    if (status == EXIT_OK) {
        enum watch_end end = wait_for_program(&recording);
        end_session(&recording);
        bool viewed = is_viewed(&recording, end); /* before anything is printed */
        status = finish(&recording);
        environment_free(&recording.environment);
        signals_drop_late(&recording.signals);
        signals_give_back(&recording.signals);
        if (viewed && status == EXIT_OK)
            show_page(options);
        return exit_like(&recording, end, status);
    }
    environment_free(&recording.environment);
    return status;
}

static int run(const struct command *command, int count, char **arguments)
{
    struct record_options options = {0};
    int status = options_parse(command, count, arguments, &options);
    if (status == OPTIONS_GO_ON)
        status = check_options(command, &options);
    if (status == OPTIONS_GO_ON)
        status = symbol_options_check(command, &options.symbols);
    if (status == OPTIONS_GO_ON)
        status = record(command, &options);
    options_free(command, &options);
    return status;
}

static const struct option own_options[] = {
    {
        .name = "output",
        .letter = 'o',
        .kind = OPTION_TEXT,
        .target = offsetof(struct record_options, output),
        .argument = "FILE",
        .help = "where to write (profile.json.gz); an existing file is\nreplaced only when the new one is complete",
    },
    {
        .name = "save-only",
        .letter = 's',
        .kind = OPTION_FLAG,
        .target = offsetof(struct record_options, save_only),
        .help = "write the profile and show nothing of it",
    },
    {
        .name = "no-view",
        .kind = OPTION_FLAG,
        .target = offsetof(struct record_options, no_view),
        .help = "open no page on the profile (one is opened where a display\nis there, and standard output is a terminal)",
    },
    {
        .name = "rate",
        .letter = 'r',
        .kind = OPTION_NUMBER,
        .target = offsetof(struct record_options, rate),
        .argument = "HZ",
        .wanted = "a number from 1 to 20000",
        .help = "samples per second of CPU time of each thread, 1 to 20000\n(1000; at most the kernel's ticks where events are "
                "refused)",
    },
    {
        .name = "duration",
        .letter = 'd',
        .kind = OPTION_NUMBER,
        .target = offsetof(struct record_options, duration),
        .argument = "SECONDS",
        .help = "stop recording after this time, write the profile at once\nand leave the command running",
    },
    {
        .name = "buffer-size",
        .kind = OPTION_SIZE,
        .target = offsetof(struct record_options, buffer_size),
        .argument = "SIZE",
        .help = "keep at most this much, of all processes together; the\noldest data goes first (512MiB)",
    },
    {
        .name = "features",
        .kind = OPTION_TEXT,
        .target = offsetof(struct record_options, features),
        .argument = "LIST",
        .help = "what to record, separated by commas: 'default', 'all' or\nnames (sonde record SONDE_HELP=1 true lists them)",
    },
    {
        .name = "threads",
        .kind = OPTION_TEXT,
        .target = offsetof(struct record_options, threads),
        .argument = "LIST",
        .help = "only threads whose names contain one of these texts,\nseparated by commas (all threads)",
    },
    {
        .name = "page-faults",
        .kind = OPTION_MAYBE,
        .target = offsetof(struct record_options, page_faults),
        .argument = "N",
        .help = "page faults, too, with their stacks: one in N (61; 1: all)",
    },
    {
        .name = "allocations",
        .kind = OPTION_MAYBE,
        .target = offsetof(struct record_options, allocations),
        .argument = "BYTES",
        .help =
            "allocations of memory, too: one sampled for so many bytes\n(64KiB; as many as 1 % of the CPU time allows), or\n"
            "'all': every one; 'maps' (64KiB,maps): and what the program\nmaps itself",
    },
    {
        .name = "node-markers",
        .kind = OPTION_FLAG,
        .target = offsetof(struct record_options, node_markers),
        .help = "of Node programs, markers of performance.mark() and\n.measure(), garbage collections, requests and look-ups\n"
                "(by NODE_OPTIONS, which they can see)",
    },
    {
        .name = "session",
        .kind = OPTION_TEXT,
        .target = offsetof(struct record_options, session),
        .argument = "DIR",
        .help = "where the recording lives until it is a profile; kept when\nnamed (a temporary folder under $TMPDIR, /dev/shm "
                "or /tmp)",
    },
    {
        .name = "no-children",
        .kind = OPTION_FLAG,
        .target = offsetof(struct record_options, no_children),
        .help = "record CMD only",
    },
    {
        .name = "gecko",
        .kind = OPTION_FLAG,
        .target = offsetof(struct record_options, gecko),
        .help = "write the Gecko format instead of the processed one",
    },
    {
        .name = "no-symbols",
        .kind = OPTION_FLAG,
        .target = offsetof(struct record_options, no_symbols),
        .help = "leave functions as addresses: sonde symbolicate can name\nthem later",
    },
    OPTION_ENTRIES_SYMBOLS(struct record_options),
    {0},
};
static const struct option_group own_group = {"options (those after CMD are its own)", own_options};

const struct command record_command = {
    .name = "record",
    .arguments = "[options] [--] [NAME=VALUE...] CMD [ARGS...]",
    .summary = "runs a program, records it, and writes the profile",
    .example = "sonde record ./app --its-option",
    .description =
        "Runs CMD as it is, without rebuilding it and without special rights: a library is loaded into it, and into every\n"
        "process that it starts. Running threads are sampled by their CPU clocks, waiting ones looked at from outside.\n"
        "NAME=VALUE words in front of CMD are set in its environment. When CMD ends, the profile is written (it also\n"
        "opens in the Firefox Profiler), the hot part of its call tree is shown, and in front of a display a page opens\n"
        "on it, as 'sonde view' does: Ctrl-C ends that.\n"
        "\n"
        "The exit status is that of CMD, and if a signal ended CMD, the same signal ends sonde: 1 means that CMD went well\n"
        "but no profile could be written, 125 that the recording could not start, 126 and 127 that CMD cannot be executed or\n"
        "was not found. Ctrl-C goes to CMD as usual, and the profile is written when CMD ends; a second one within a second\n"
        "does not wait for that. Signals that are sent to sonde are forwarded to CMD.",
    .examples = "  sonde record ./app input.txt\n"
                "  sonde record -o app.json.gz --rate 5000 --duration 10 -- ./server --port 8080\n"
                "  sonde record --threads main,worker LC_ALL=C ./app\n",
    .groups = {&own_group},
    .takes_words = true,
    .run = run,
};
