#include "symbols/dwarf/reader.h"

#include <errno.h>

static bool find_split_file(const struct dwarf_reader *reader, struct dwarf_sections *sections)
{
    const struct dwarf_files *files = reader->files;
    const struct dwarf_unit *unit = &reader->unit;
    if (unit->dwo_name.length == 0 || !files || !files->split)
        return false;
    *sections = (struct dwarf_sections){0};
    pthread_mutex_lock(reader->split_lock);
    bool found = files->split(files->data, unit->comp_dir, unit->dwo_name, unit->dwo_id, sections);
    pthread_mutex_unlock(reader->split_lock);
    return found;
}

/* Where the entries are in another file, they are taken from there; some compilers leave what was inlined in the skeleton, too,
 * for when that file is gone. */
static int open_entries(struct dwarf_reader *reader)
{
    struct dwarf_sections sections;
    reader->entries = &reader->unit;
    reader->has_split_files = false;
    if (!find_split_file(reader, &sections))
        return 0;
    dwarf_names_forget(&reader->names, &reader->split.file);
    dwarf_lambdas_forget(&reader->lambdas, &reader->split.file);
    int result = dwarf_split_open(&reader->split, &reader->unit, &sections);
    if (result != 0)
        return result;
    reader->entries = &reader->split.unit;
    if (reader->entries->has_lines && sections.line.length > 0)
        reader->has_split_files = dwarf_line_files_read(&reader->split_files, reader->entries, reader->entries->line_offset,
                                                        &reader->split.work) == 0;
    return 0;
}

static int find_name(struct dwarf_reader *reader, struct dwarf_node *node)
{
    if (node->named)
        return 0;
    struct dwarf_work *work = reader->entries == &reader->unit ? &reader->work : &reader->split.work;
    struct dwarf_place at;
    node->named = true;
    int result = dwarf_names_find(&reader->names, reader->entries, node->entry, &node->name, &at, work);
    if (result == 0 && at.unit && slice_is(node->name, "operator()"))
        result = dwarf_lambda_name(&reader->lambdas, at.unit, at.entry, &node->lambda, &reader->arena, work);
    return result;
}

static int make_answer(struct dwarf_reader *reader, size_t i, struct dwarf_answer *answer)
{
    struct dwarf_node *nodes = reader->functions.nodes.items;
    int32_t at = i < reader->functions.innermost.count ? reader->functions.innermost.items[i] : DWARF_NO_NODE;
    const struct dwarf_row *row = &reader->lines.rows.items[i];
    int result = 0;
    if (at == DWARF_NO_NODE && !row->known)
        return 0;
    size_t count = at == DWARF_NO_NODE ? 1 : nodes[at].depth + 1;
    struct dwarf_call *calls = arena_allocate(&reader->arena, count * sizeof *calls);
    if (!calls)
        return -ENOMEM;
    calls[0] = (struct dwarf_call){0};
    if (row->known) {
        calls[0].file = dwarf_line_files_path(&reader->lines.files, row->file, reader->unit.comp_dir, &reader->arena, &result);
        calls[0].line = row->line;
    }
    struct dwarf_line_files *files = reader->has_split_files ? &reader->split_files : &reader->lines.files;
    for (size_t k = 0; at != DWARF_NO_NODE && k < count && result == 0; k++) {
        struct dwarf_node *node = &nodes[at];
        result = find_name(reader, node);
        calls[k].name = node->name;
        calls[k].lambda = node->lambda;
        calls[k].start = node->start;
        at = node->parent;
        if (k + 1 == count || result != 0)
            continue;
        calls[k + 1] = (struct dwarf_call){.line = node->call_line};
        if (node->has_call_file)
            calls[k + 1].file = dwarf_line_files_path(files, node->call_file, reader->unit.comp_dir, &reader->arena, &result);
    }
    *answer = (struct dwarf_answer){calls, count};
    return result;
}

/* Damage costs what cannot be read because of it, nothing else. */
static int note_damage(int result, bool *damaged)
{
    *damaged |= result == -EINVAL;
    return result == -EINVAL ? 0 : result;
}

static int read_unit(struct dwarf_reader *reader, const struct dwarf_job *job, bool *damaged)
{
    int result = note_damage(open_entries(reader), damaged);
    if (result != 0)
        return result;
    struct dwarf_work *work = reader->entries == &reader->unit ? &reader->work : &reader->split.work;
    result = dwarf_functions_find(&reader->functions, reader->entries, job->addresses, job->count, work);
    result = note_damage(result, damaged);
    if (result != 0)
        return result;
    return note_damage(dwarf_lines_find(&reader->lines, &reader->unit, job->addresses, job->count, &reader->work), damaged);
}

int dwarf_reader_run(struct dwarf_reader *reader, const struct dwarf_job *job, struct dwarf_answer *answers)
{
    bool damaged = false;
    const struct dwarf_unit_head *head = &reader->file->units.items[job->unit];
    int result = dwarf_unit_open(&reader->unit, reader->file, head, DWARF_ALL_ENTRIES, &reader->work);
    if (result == 0) {
        result = read_unit(reader, job, &damaged);
        for (size_t i = 0; i < job->count && result == 0; i++)
            result = make_answer(reader, i, &answers[job->indexes[i]]);
    } else {
        result = note_damage(result, &damaged);
    }
    reader->damaged += damaged;
    return result;
}

void dwarf_reader_free(struct dwarf_reader *reader)
{
    arena_free(&reader->arena);
    dwarf_unit_free(&reader->unit);
    dwarf_split_free(&reader->split);
    dwarf_functions_free(&reader->functions);
    dwarf_names_free(&reader->names);
    dwarf_lambdas_free(&reader->lambdas);
    dwarf_lines_free(&reader->lines);
    dwarf_line_files_free(&reader->split_files);
}
