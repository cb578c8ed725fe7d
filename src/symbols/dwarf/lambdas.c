#include "symbols/dwarf/lambdas.h"

#include "common/map.h"
#include "symbols/demangle.h"

#include <errno.h>
#include <stdio.h>

enum { DEEPEST = 32 };

void dwarf_lambdas_free(struct dwarf_lambdas *lambdas)
{
    dwarf_names_free(&lambdas->names);
    text_free(&lambdas->text);
}

void dwarf_lambdas_forget(struct dwarf_lambdas *lambdas, const struct dwarf_file *file)
{
    dwarf_names_forget(&lambdas->names, file);
    for (size_t i = 0; i < DWARF_LAMBDAS_KNOWN; i++)
        if (lambdas->known[i].file == file)
            lambdas->known[i].file = NULL;
}

/* --- entries of a unit, one after the other --- */

struct scope {
    uint64_t offset;
    uint64_t sibling; /* 0 = it does not say: it is the last one of its parent, or has no children */
    uint16_t tag;     /* 0: the end of a list of siblings */
    bool has_children, has_linkage_name;
    struct slice name;
    uint64_t line, column;
};

struct walk {
    const struct dwarf_unit *unit;
    struct dwarf_work *work;
    struct byte_reader cursor;
};

static struct walk walk_from(const struct dwarf_unit *unit, uint64_t offset, struct dwarf_work *work)
{
    return (struct walk){unit, work, dwarf_section_at(slice_until(unit->file->sections.info, unit->head.end), offset)};
}

static bool next(struct walk *walk, struct scope *scope)
{
    const uint8_t *info = (const uint8_t *)walk->unit->file->sections.info.text, *start = walk->cursor.at;
    const struct dwarf_abbrevs *abbrevs = &walk->unit->abbrevs;
    *scope = (struct scope){.offset = (uint64_t)(start - info)};
    uint64_t code = walk->cursor.at < walk->cursor.end ? byte_reader_uleb(&walk->cursor) : 0;
    const struct dwarf_abbrev *abbrev = code != 0 ? dwarf_abbrevs_find(abbrevs, code) : NULL;
    if (code != 0 && (!abbrev || abbrev->unreadable))
        return false;
    for (uint32_t i = 0; abbrev && i < abbrev->attribute_count; i++) {
        const struct dwarf_attribute *attribute = dwarf_abbrev_attribute(abbrevs, abbrev, i);
        struct dwarf_value value = dwarf_form_read(&walk->cursor, attribute->form, attribute->constant, walk->unit->head.sizes);
        if (attribute->name == AT_name)
            scope->name = dwarf_unit_text(walk->unit, value);
        else if (attribute->name == AT_sibling)
            scope->sibling = walk->unit->head.offset + value.number;
        else if (attribute->name == AT_linkage_name || attribute->name == AT_MIPS_linkage_name)
            scope->has_linkage_name = true;
        else if (attribute->name == AT_decl_line)
            scope->line = value.number;
        else if (attribute->name == AT_decl_column)
            scope->column = value.number;
    }
    scope->tag = abbrev ? abbrev->tag : 0;
    scope->has_children = abbrev && abbrev->has_children;
    return !walk->cursor.failed && dwarf_work_spend(walk->work, (uint64_t)(walk->cursor.at - start));
}

/* Behind the children of an entry that the walk is at; false where there is nothing behind them. Only ever forward. */
static bool pass_children(struct walk *walk, const struct scope *scope)
{
    const uint8_t *info = (const uint8_t *)walk->unit->file->sections.info.text;
    if (!scope->has_children)
        return true;
    if (scope->sibling < (uint64_t)(walk->cursor.at - info) || scope->sibling >= walk->unit->head.end)
        return false;
    walk->cursor.at = info + scope->sibling;
    return true;
}

/* --- what is a lambda, and which --- */

static bool is_class(const struct scope *scope)
{
    return scope->tag == TAG_structure_type || scope->tag == TAG_class_type || scope->tag == TAG_union_type;
}

/* A class without a name, or with one that cannot be written, with an operator() in it; the walk is at its children. */
static bool is_lambda(struct walk walk, const struct scope *scope)
{
    struct scope child;
    if (!is_class(scope) || !scope->has_children || (scope->name.length > 0 && scope->name.text[0] != '<'))
        return false;
    while (next(&walk, &child) && child.tag != 0) {
        if (child.tag == TAG_subprogram && slice_is(child.name, "operator()"))
            return true;
        if (!pass_children(&walk, &child))
            break;
    }
    return false;
}

/* Compilers write them in another order than they stand in. */
static unsigned number_of(const struct dwarf_unit *unit, const struct scope *parent, const struct scope *lambda,
                          struct dwarf_work *work)
{
    struct walk walk = walk_from(unit, parent->offset, work);
    struct scope each;
    unsigned number = 1;
    if (!next(&walk, &each))
        return number;
    while (next(&walk, &each) && each.tag != 0) {
        bool before = each.line < lambda->line || (each.line == lambda->line && each.column < lambda->column);
        number += before && is_lambda(walk, &each);
        if (!pass_children(&walk, &each))
            break;
    }
    return number;
}

/* --- the name --- */

/* The entries around one, from the unit on, and itself; 0 where they cannot be found. */
static size_t find_scopes(const struct dwarf_unit *unit, uint64_t entry, struct scope *scopes, struct dwarf_work *work)
{
    struct walk walk = walk_from(unit, unit->head.offset + unit->head.first_entry, work);
    size_t count = 0;
    while (count < DEEPEST && next(&walk, &scopes[count]) && scopes[count].tag != 0 && scopes[count].offset <= entry) {
        struct scope *scope = &scopes[count];
        if (scope->offset == entry)
            return count + 1;
        if (scope->has_children && (scope->sibling == 0 || scope->sibling > entry))
            count++;
        else if (!pass_children(&walk, scope))
            break;
    }
    return 0;
}

static struct slice name_of(const struct scope *scope)
{
    if (scope->name.length > 0)
        return scope->name;
    return scope->tag == TAG_namespace ? SLICE("(anonymous namespace)") : SLICE("{unnamed}");
}

/* Of the namespaces and classes around an entry. */
static void add_scopes(struct text_buffer *text, const struct dwarf_place *at, struct dwarf_work *work)
{
    struct scope scopes[DEEPEST];
    size_t count = find_scopes(at->unit, at->entry, scopes, work);
    for (size_t i = 1; i + 1 < count; i++)
        if (scopes[i].tag == TAG_namespace || is_class(&scopes[i])) {
            text_add(text, name_of(&scopes[i]));
            text_add(text, SLICE("::"));
        }
}

/* Where it has a linkage name, or is declared elsewhere, that says what it is in, and not where the entry stands. */
static int add_function(struct dwarf_lambdas *lambdas, const struct dwarf_unit *unit, const struct scope *scope,
                        struct dwarf_work *work)
{
    struct text_buffer *text = &lambdas->text;
    struct slice name;
    struct dwarf_place at;
    if (scope->name.length > 0 && !scope->has_linkage_name) {
        text_add(text, scope->name);
        return 0;
    }
    int result = dwarf_names_find(&lambdas->names, unit, scope->offset, &name, &at, work);
    if (result != 0)
        return result;
    text_cut(text, 0);
    if (at.unit)
        add_scopes(text, &at, work);
    if (at.unit || !demangle(name, text))
        text_add(text, name);
    return 0;
}

static int write_name(struct dwarf_lambdas *lambdas, const struct dwarf_unit *unit, const struct scope *scopes, size_t count,
                      struct dwarf_work *work)
{
    for (size_t i = 1; i < count; i++) {
        const struct scope *scope = &scopes[i];
        size_t before = lambdas->text.bytes.count;
        if (scope->tag != TAG_namespace && scope->tag != TAG_subprogram && !is_class(scope))
            continue;
        if (before > 0)
            text_add(&lambdas->text, SLICE("::"));
        struct walk inside = walk_from(unit, scope->offset, work);
        struct scope again;
        if (scope->tag == TAG_subprogram) {
            int result = add_function(lambdas, unit, scope, work);
            if (result != 0)
                return result;
        } else if (next(&inside, &again) && is_lambda(inside, scope)) {
            char number[32];
            snprintf(number, sizeof number, "{lambda#%u}", number_of(unit, &scopes[i - 1], scope, work));
            text_add(&lambdas->text, slice_of(number));
        } else {
            text_add(&lambdas->text, name_of(scope));
        }
    }
    return lambdas->text.failed ? -ENOMEM : 0;
}

int dwarf_lambda_name(struct dwarf_lambdas *lambdas, const struct dwarf_unit *unit, uint64_t entry, struct slice *name,
                      struct arena *arena, struct dwarf_work *work)
{
    struct scope scopes[DEEPEST];
    size_t place = (size_t)(hash_u64(entry) % DWARF_LAMBDAS_KNOWN);
    *name = (struct slice){0};
    if (lambdas->known[place].file == unit->file && lambdas->known[place].entry == entry) {
        *name = lambdas->known[place].name;
        return 0;
    }
    size_t count = find_scopes(unit, entry, scopes, work);
    text_cut(&lambdas->text, 0);
    int result = count > 1 ? write_name(lambdas, unit, scopes, count, work) : 0;
    struct slice text = text_slice(&lambdas->text);
    if (result == 0 && text.length > 0) {
        *name = (struct slice){arena_copy(arena, text.text, text.length), text.length};
        result = name->text ? 0 : -ENOMEM;
    }
    if (result == 0) {
        lambdas->known[place].file = unit->file;
        lambdas->known[place].entry = entry;
        lambdas->known[place].name = *name;
    }
    return result;
}
