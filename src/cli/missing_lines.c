#include "cli/missing_lines.h"

#include "cli/modules.h"

#include <stdio.h>

struct known {
    bool has_line;        /* some frame of the function has one */
    struct lib_index lib; /* of a frame that says where it is in it */
};

static struct known look_at_frames(const struct profile *profile, struct func_index func)
{
    struct known known = {false, lib_none()};
    for (size_t i = 0; i < frame_count(&profile->frames); i++) {
        if (frame_func(&profile->frames, frame_at(i)).i != func.i)
            continue;
        known.has_line |= column_get_index(&profile->frames.line, i) != INDEX_NONE;
        if (column_get(&profile->frames.address, i) != COLUMN_ABSENT && !lib_exists(known.lib))
            known.lib = lib_at(column_get_index(&profile->frames.lib, i));
    }
    return known;
}

static const struct module_row *find_row(const struct module_list *modules, struct lib_index lib)
{
    for (size_t i = 0; i < modules->rows.count; i++)
        if (lib_same(modules->rows.items[i].lib, lib))
            return &modules->rows.items[i];
    return NULL;
}

static void print_module(const struct profile *profile, const struct module_list *modules, struct lib_index lib)
{
    const struct module_row *row = find_row(modules, lib);
    const struct lib *of = &profile->libs.rows.items[lib.i];
    struct slice path = profile_text(profile, string_exists(of->path) ? of->path : of->name);
    int length = (int)path.length;
    if (row && row->is_noted && row->status == SYMBOLS_FULL) {
        printf("no line of it is known: the debug information of %.*s says none\n", length, path.text);
    } else if (row && row->is_noted) {
        const char *advice = module_advice(profile, row);
        printf("no line of it is known: no debug information of %.*s (%s)%s%s\n", length, path.text,
               module_status_text(row->status), *advice ? ": " : "", advice);
    } else {
        printf("no line of it is known: sonde symbolicate FILE -o OUT looks for debug information of %.*s\n", length,
               path.text);
    }
}

void missing_lines_print(const struct profile *profile, struct func_index func)
{
    struct known known = look_at_frames(profile, func);
    struct module_list modules = {0};
    if (known.has_line)
        puts("none of these samples is on a line of it");
    else if (lib_exists(known.lib) && module_list_collect(profile, &modules))
        print_module(profile, &modules, known.lib);
    else if (slice_is(profile_text(profile, profile->meta.product), "perf"))
        puts("no line of it is known: perf script prints them with -F +srcline, and addresses for sonde symbolicate with "
             "--show-mmap-events");
    else
        puts("no line of it is known: the profile says neither lines nor addresses of it");
    module_list_free(&modules);
}
