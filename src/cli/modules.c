#include "cli/modules.h"

#include "symbols/apply.h"
#include "symbols/symbol_notes.h"
#include "symbols/vdso.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- how well they are known ---- */

/* What the frames of a module look like. */
struct looks {
    size_t bare, named, with_lines;
};

bool module_name_is_address(struct slice name)
{
    if (!slice_starts_with(name, SLICE("0x")) || name.length == 2)
        return false;
    for (size_t i = 2; i < name.length; i++)
        if (!isxdigit((unsigned char)name.text[i]))
            return false;
    return true;
}

static void look_at_frames(const struct profile *profile, struct looks *looks)
{
    for (size_t i = 0; i < frame_count(&profile->frames); i++) {
        uint32_t lib = column_get_index(&profile->frames.lib, i);
        if (lib == INDEX_NONE)
            continue;
        struct slice name = profile_text(profile, func_name(&profile->funcs, frame_func(&profile->frames, frame_at(i))));
        if (module_name_is_address(name))
            looks[lib].bare++;
        else
            looks[lib].named++;
        looks[lib].with_lines += column_get(&profile->frames.line, i) != COLUMN_ABSENT;
    }
}

static enum symbol_status status_by_looks(const struct looks *looks)
{
    if (looks->named == 0)
        return SYMBOLS_NONE;
    return looks->with_lines > 0 ? SYMBOLS_FULL : SYMBOLS_NAMES_ONLY;
}

static size_t count_samples(const struct profile *profile)
{
    size_t samples = 0;
    for (size_t t = 0; t < profile->threads.count; t++) {
        const struct column *stacks = &profile->threads.items[t].samples.stack;
        for (size_t i = 0; i < column_count(stacks); i++)
            samples += column_get(stacks, i) != COLUMN_ABSENT;
    }
    return samples;
}

static int compare_rows(const void *a, const void *b)
{
    const struct module_row *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples > y->samples ? -1 : 1;
    return x->lib.i < y->lib.i ? -1 : x->lib.i > y->lib.i;
}

static bool collect(struct profile *profile, const struct symbolication *symbolication, const struct looks *looks,
                    struct module_list *list)
{
    double samples = (double)count_samples(profile);
    for (size_t i = 0; i < profile->libs.rows.count; i++) {
        struct module_addresses addresses = symbolication_addresses(symbolication, lib_at(i));
        struct module_row row = {.lib = lib_at(i), .samples = addresses.samples, .status = status_by_looks(&looks[i])};
        struct symbol_note note;
        row.share = samples > 0 ? (double)row.samples / samples : 0;
        row.is_noted = symbol_notes_find(profile, row.lib, &note);
        /* A module that was not found may have its names from elsewhere. */
        if (row.is_noted && (looks[i].named == 0 || note.status <= SYMBOLS_EXPORTS_ONLY)) {
            row.status = note.status;
            row.detail = note.detail;
        }
        if (addresses.count > 0 && !vec_push(&list->rows, row))
            return false;
    }
    if (list->rows.count > 0)
        qsort(list->rows.items, list->rows.count, sizeof *list->rows.items, compare_rows);
    return true;
}

bool module_list_collect(struct profile *profile, struct module_list *list)
{
    struct error error = {0};
    struct symbolication *symbolication = symbolication_begin(profile, &error);
    struct looks *looks = memory_zeroed(profile->libs.rows.count + 1, sizeof *looks);
    bool done = symbolication && looks;
    if (done) {
        look_at_frames(profile, looks);
        done = collect(profile, symbolication, looks, list);
    }
    symbolication_end(symbolication);
    memory_release(looks);
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
