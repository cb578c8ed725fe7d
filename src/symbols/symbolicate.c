#include "symbols/symbolicate.h"

#include "profile/module_ids.h"
#include "symbols/apply.h"
#include "symbols/fetch.h"
#include "symbols/given_names.h"
#include "symbols/module.h"
#include "symbols/symbol_notes.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- one module ---- */

/* The names that answers give to functions stay as they are in the file. */
static void keep_mangled(struct symbol_answers *answers)
{
    for (size_t i = 0; i < answers->rows.count; i++) {
        struct symbol_answer *row = &answers->rows.items[i];
        row->symbol = row->mangled;
        row->outer.function = row->outer.mangled;
    }
    for (size_t i = 0; i < answers->inlines.count; i++)
        answers->inlines.items[i].function = answers->inlines.items[i].mangled;
}

static int ask(const struct profile *profile, const struct symbolicate_options *options, struct module_addresses addresses,
               struct symbol_answers *answers, struct module_report *report, struct error *error)
{
    const struct lib *lib = &profile->libs.rows.items[report->lib.i];
    char build_id[MODULE_ID_BYTES];
    struct symbol_request request = {
        .path = profile_text(profile, string_exists(lib->path) ? lib->path : lib->name),
        .name = profile_text(profile, lib->name),
        .build_id = module_build_id(profile_text(profile, lib->code_id), profile_text(profile, lib->breakpad_id), build_id),
        .pid = options->pid,
        .addresses = addresses.addresses,
        .address_count = addresses.count,
    };
    int failed = module_symbols(options->search, &request, answers, &report->outcome, error);
    for (size_t i = 0; i < answers->rows.count; i++)
        report->answered +=
            string_exists(answers->rows.items[i].symbol) || string_exists(answers->rows.items[i].outer.function);
    return failed;
}

static int symbolicate_module(struct symbolication *symbolication, const struct profile *profile,
                              const struct symbolicate_options *options, struct module_report *report, struct error *error)
{
    struct symbol_answers answers = {0};
    struct module_addresses addresses = symbolication_addresses(symbolication, report->lib);
    int failed = ask(profile, options, addresses, &answers, report, error);
    if (!failed && given_names_are_kept(profile) && given_names_contradict(profile, report->lib, &answers)) {
        report->outcome.status = SYMBOLS_OTHER_BUILD;
        snprintf(report->outcome.detail, sizeof report->outcome.detail, "its functions are elsewhere than in the profile");
        report->answered = 0;
    }
    if (options->mangled)
        keep_mangled(&answers);
    /* Its addresses, or what others have found out about it, are better than nothing. */
    if (!failed && report->answered == 0)
        symbolication_leave(symbolication, report->lib);
    else if (!failed)
        failed = symbolication_add(symbolication, report->lib, &answers, error);
    symbol_answers_free(&answers);
    return failed;
}

/* ---- all of them ---- */

static int compare_reports(const void *a, const void *b)
{
    const struct module_report *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples > y->samples ? -1 : 1;
    return x->lib.i < y->lib.i ? -1 : x->lib.i > y->lib.i;
}

static bool list_modules(const struct symbolication *symbolication, const struct profile *profile, struct symbol_report *report)
{
    for (size_t i = 0; i < profile->libs.rows.count; i++) {
        struct module_addresses addresses = symbolication_addresses(symbolication, lib_at(i));
        struct module_report module = {.lib = lib_at(i), .samples = addresses.samples, .addresses = addresses.count};
        if (addresses.count > 0 && !vec_push(&report->modules, module))
            return false;
    }
    if (report->modules.count > 0)
        qsort(report->modules.items, report->modules.count, sizeof *report->modules.items, compare_reports);
    return true;
}

/* Says what takes its time. The text is shown until the next call. */
static void show(const struct profile *profile, const struct symbolicate_options *options, const struct symbol_report *report,
                 size_t number, const char *what)
{
    static _Thread_local char label[100];
    if (!options->progress)
        return;
    struct slice name = profile_text(profile, profile->libs.rows.items[report->modules.items[number].lib.i].name);
    snprintf(label, sizeof label, "%s of %.*s", what, (int)(name.length < 60 ? name.length : 60), name.text);
    options->progress->label = label;
    progress_show(options->progress, number, report->modules.count);
}

static int tell(struct symbolication *symbolication, const struct symbolicate_options *options,
                const struct symbol_report *report, size_t done, size_t module, struct error *error)
{
    struct symbolicate_step step = {symbolication, report, done, module, false};
    return options->step ? options->step(options->step_context, &step, error) : 0;
}

static int finish(struct symbolication *symbolication, struct profile *profile, const struct symbolicate_options *options,
                  const struct symbol_report *report, struct error *error)
{
    struct symbolicate_step step = {symbolication, report, report->modules.count, SIZE_MAX, true};
    if (options->step)
        return options->step(options->step_context, &step, error);
    int failed = symbolication_update(symbolication, NULL, error);
    return failed || symbol_notes_write(profile, report) ? failed : error_out_of_memory(error);
}

/* Files on this machine, while the servers are asked for what is not among them. */
static int ask_all(struct symbolication *symbolication, const struct profile *profile,
                   const struct symbolicate_options *options, struct fetch *fetch, struct symbol_report *report,
                   struct error *error)
{
    for (size_t i = 0; i < report->modules.count; i++) {
        struct module_report *module = &report->modules.items[i];
        char build_id[MODULE_ID_BYTES];
        show(profile, options, report, i, "symbols");
        int failed = symbolicate_module(symbolication, profile, options, module, error);
        if (!failed)
            failed = tell(symbolication, options, report, i + 1, i, error);
        if (failed)
            return failed;
        /* What is left of a build id in a breakpad id is not enough to ask for it. */
        struct string_index code_id = profile->libs.rows.items[module->lib.i].code_id;
        struct slice id = module_build_id(profile_text(profile, code_id), SLICE(""), build_id);
        if (fetch && module->outcome.status != SYMBOLS_FULL && id.length > 0 && !fetch_add(fetch, id, i))
            return error_out_of_memory(error);
    }
    return 0;
}

/* What the servers had is among the files on this machine now. */
static int ask_again(struct symbolication *symbolication, const struct profile *profile,
                     const struct symbolicate_options *options, struct fetch *fetch, struct symbol_report *report,
                     struct error *error)
{
    enum { PATIENCE_MS = 200 };
    size_t number;
    enum fetch_state state;
    while (!(options->stop && atomic_load_explicit(options->stop, memory_order_relaxed)) &&
           fetch_wait(fetch, PATIENCE_MS, &number, &state)) {
        struct module_report *module = &report->modules.items[number];
        show(profile, options, report, number, "download of symbols");
        if (state == FETCH_NO_ANSWER && module->outcome.detail[0] == '\0')
            snprintf(module->outcome.detail, sizeof module->outcome.detail, "the debuginfod servers do not answer");
        if (state != FETCH_FOUND)
            continue;
        module->answered = 0;
        int failed = symbolicate_module(symbolication, profile, options, module, error);
        if (!failed)
            failed = tell(symbolication, options, report, report->modules.count, number, error);
        if (failed)
            return failed;
    }
    return 0;
}

int symbolicate_profile(struct profile *profile, const struct symbolicate_options *options, struct symbol_report *report,
                        struct error *error)
{
    struct symbol_report own = {0};
    struct symbolication *symbolication = symbolication_begin(profile, error);
    if (!symbolication)
        return error->code;
    int failed = list_modules(symbolication, profile, &own) ? 0 : error_out_of_memory(error);
    struct fetch *fetch = !failed && options->search->debuginfod ? fetch_begin() : NULL;
    if (!failed)
        failed = ask_all(symbolication, profile, options, fetch, &own, error);
    if (!failed && fetch)
        failed = ask_again(symbolication, profile, options, fetch, &own, error);
    fetch_end(fetch);
    if (options->progress)
        options->progress->label = "";
    if (!failed)
        failed = finish(symbolication, profile, options, &own, error);
    symbolication_end(symbolication);
    if (!failed && report)
        *report = own;
    else
        symbol_report_free(&own);
    return failed;
}
