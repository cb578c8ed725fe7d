#include "cli/info_modules.h"

#include "cli/table.h"
#include "print/number.h"

#include <stdio.h>
#include <string.h>

void info_put_modules(struct json_output *output, const struct profile *profile, const struct module_list *modules)
{
    json_write_key(output->writer, "modules");
    json_write_begin_array(output->writer);
    for (size_t i = 0; i < modules->rows.count; i++) {
        const struct module_row *row = &modules->rows.items[i];
        const struct lib *lib = &profile->libs.rows.items[row->lib.i];
        json_write_begin_object(output->writer);
        json_put_slice(output, "name", profile_text(profile, lib->name));
        json_put_slice_or_null(output, "path", profile_text(profile, lib->path));
        json_put_slice_or_null(output, "debugId", profile_text(profile, lib->breakpad_id));
        json_put_slice_or_null(output, "codeId", profile_text(profile, lib->code_id));
        json_put_number(output, "samples", (double)row->samples);
        json_put_number(output, "share", row->share);
        json_put_text(output, "status", symbol_status_name(row->status));
        json_put_slice_or_null(output, "detail", row->detail);
        json_put_slice_or_null(output, "advice", slice_of(module_advice(profile, row)));
        json_write_end_object(output->writer);
    }
    json_write_end_array(output->writer);
}

/* Whether a module before this one has the same status and needs the same. */
static bool is_said(const struct profile *profile, const struct module_list *modules, size_t row, const char *advice)
{
    for (size_t i = 0; i < row; i++)
        if (modules->rows.items[i].status == modules->rows.items[row].status &&
            strcmp(module_advice(profile, &modules->rows.items[i]), advice) == 0)
            return true;
    return false;
}

/* Many modules have a sample or two: what is missing of them changes nothing. */
static const double least_share = 0.001;

static bool is_told(const struct module_row *row)
{
    return row->status != SYMBOLS_FULL && row->share >= least_share;
}

static void print_advice(const struct profile *profile, const struct module_list *modules, size_t limit)
{
    for (size_t i = 0, shown = 0; i < modules->rows.count && shown < limit; i++) {
        const struct module_row *row = &modules->rows.items[i];
        const char *advice = module_advice(profile, row);
        if (!is_told(row))
            continue;
        shown++;
        if (*advice && !is_said(profile, modules, i, advice))
            printf("%s: %s\n", module_status_text(row->status), advice);
    }
}

bool info_print_modules(const struct profile *profile, const struct module_list *modules, const struct terminal *terminal,
                        size_t limit)
{
    static const struct table_head columns[] = {
        {"samples", ALIGN_RIGHT, 0, KEEP_START}, {"symbols", ALIGN_LEFT, 0, KEEP_START}, {"module", ALIGN_LEFT, 0, KEEP_END}};
    struct table table;
    size_t count = 0, below = 0;
    table_init(&table, terminal, columns, 3);
    for (size_t i = 0; i < modules->rows.count; i++) {
        const struct module_row *row = &modules->rows.items[i];
        const struct lib *lib = &profile->libs.rows.items[row->lib.i];
        below += row->status != SYMBOLS_FULL && !is_told(row);
        if (!is_told(row) || count++ >= limit)
            continue;
        table_print(&table, STYLE_PLAIN, "%s %%", number_grouped(row->share * 100, 1).text);
        table_add(&table, slice_of(module_status_text(row->status)), STYLE_PLAIN);
        table_add(&table, profile_text(profile, string_exists(lib->path) ? lib->path : lib->name), STYLE_PLAIN);
    }
    if (count > 0) {
        putchar('\n');
        table_write(&table);
        if (count > limit)
            printf("… %zu more (--limit %zu shows all)\n", count - limit, count);
        if (below > 0)
            printf("… and %zu more below %s %%\n", below, number_grouped(least_share * 100, 1).text);
        print_advice(profile, modules, limit);
    }
    table_free(&table);
    return !table.failed;
}
