#include "cli/modules.h"

#include "symbols/vdso.h"

#include <stdlib.h>

static int compare_rows(const void *a, const void *b)
{
    const struct module_row *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples > y->samples ? -1 : 1;
    return x->lib.i < y->lib.i ? -1 : x->lib.i > y->lib.i;
}

static bool list_modules(const struct profile_facts *facts, struct module_list *list)
{
    for (size_t i = 0; i < facts->modules.count; i++) {
        const struct module_facts *module = &facts->modules.items[i];
        struct module_row row = {
            .lib = lib_at(i),
            .samples = module->samples,
            .share = facts->samples > 0 ? (double)module->samples / (double)facts->samples : 0,
            .status = SYMBOLS_NONE,
            .detail = module->detail,
            .is_noted = module->is_noted,
        };
        symbol_status_parse(module->status, &row.status);
        if (module->frames > 0 && !vec_push(&list->rows, row))
            return false;
    }
    if (list->rows.count > 0)
        qsort(list->rows.items, list->rows.count, sizeof *list->rows.items, compare_rows);
    return true;
}

bool module_list_collect(const struct profile *profile, struct module_list *list)
{
    struct profile_facts facts;
    bool done = profile_facts_collect(profile, &facts) && list_modules(&facts, list);
    profile_facts_free(&facts);
    return done;
}

void module_list_free(struct module_list *list)
{
    vec_free(&list->rows);
}

/* ---- in words ---- */

const char *module_status_text(enum symbol_status status)
{
    switch (status) {
    case SYMBOLS_FULL:
        return "complete";
    case SYMBOLS_NAMES_ONLY:
        return "names only";
    case SYMBOLS_EXPORTS_ONLY:
        return "exported names only";
    case SYMBOLS_NONE:
        return "no symbols";
    case SYMBOLS_NO_FILE:
        return "not on this machine";
    case SYMBOLS_OTHER_BUILD:
        return "was rebuilt since the recording";
    case SYMBOLS_DAMAGED:
        return "cannot be read";
    }
    return "";
}

static bool is_of_the_system(struct slice path)
{
    static const char *const folders[] = {"/usr/bin/", "/usr/sbin/", "/usr/lib", "/lib", "/bin/", "/sbin/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (slice_starts_with(path, slice_of(folders[i])))
            return true;
    return false;
}

static const char *advice_of_status(enum symbol_status status, bool is_of_system)
{
    switch (status) {
    case SYMBOLS_FULL:
        return "";
    case SYMBOLS_NAMES_ONLY:
    case SYMBOLS_EXPORTS_ONLY:
    case SYMBOLS_NONE:
        return is_of_system ? "install its debug information (Debian: the -dbgsym package) or set DEBUGINFOD_URLS, then "
                              "sonde symbolicate"
                            : "build it with -g and without stripping it, or give its debug file to sonde symbolicate "
                              "--symbol-dir DIR";
    case SYMBOLS_NO_FILE:
        return "give a folder that has it to sonde symbolicate --symbol-dir DIR";
    case SYMBOLS_OTHER_BUILD:
        return "record again, or give a folder that has the old file to sonde symbolicate --symbol-dir DIR";
    case SYMBOLS_DAMAGED:
        return "install or build it again, then sonde symbolicate";
    }
    return "";
}

const char *module_advice(const struct profile *profile, const struct module_row *row)
{
    const struct lib *lib = &profile->libs.rows.items[row->lib.i];
    if (row->status == SYMBOLS_NONE && !row->is_noted)
        return "sonde symbolicate FILE -o OUT";
    struct slice name = profile_text(profile, lib->name);
    if (slice_starts_with(name, SLICE("[")) || vdso_is_name(name))
        return ""; /* the kernel's: there is nothing to install */
    if (slice_is(name, "libsonde.so") || slice_is(name, "libsonde-base.so") || slice_is(name, "libsonde-preload.so"))
        return ""; /* who records is nobody's concern */
    return advice_of_status(row->status, is_of_the_system(profile_text(profile, lib->path)));
}
