#include "symbols/dwarf_functions.h"

#include "symbols/dwarf_owners.h"
#include "symbols/dwarf_ranges.h"

#include <errno.h>

struct walk {
    struct dwarf_functions *found;
    const struct dwarf_unit *unit;
    const struct dwarf_abbrevs *abbrevs;
    const uint64_t *addresses;
    size_t count;
    struct dwarf_work *work;
    struct dwarf_cursor cursor;
    bool everything; /* enter all entries, whatever they are */
    int result;
};

void dwarf_functions_free(struct dwarf_functions *functions)
{
    vec_free(&functions->nodes);
    vec_free(&functions->innermost);
    vec_free(&functions->levels);
}

/* --- one entry --- */

struct code {
    struct dwarf_value low_pc, high_pc, ranges, call_file, call_line;
};

static bool read_code(const struct walk *walk, const struct dwarf_abbrev *abbrev, struct dwarf_cursor cursor, struct code *code)
{
    const struct dwarf_attribute *attribute = walk->abbrevs->attributes.items + abbrev->first_attribute;
    *code = (struct code){0};
    for (uint32_t i = 0; i < abbrev->attribute_count; i++, attribute++) {
        struct dwarf_value value = dwarf_form_read(&cursor, attribute->form, attribute->constant, walk->abbrevs->sizes);
        switch (attribute->name) {
        case AT_low_pc:
            code->low_pc = value;
            break;
        case AT_high_pc:
            code->high_pc = value;
            break;
        case AT_ranges:
            code->ranges = value;
            break;
        case AT_call_file:
            code->call_file = value;
            break;
        case AT_call_line:
            code->call_line = value;
            break;
        default:
            break;
        }
    }
    return !cursor.failed;
}

/* Whether an entry has addresses asked for; those get `node` as their innermost one, unless it is DWARF_NO_NODE. */
static bool take_addresses(struct walk *walk, const struct code *code, int32_t node)
{
    struct dwarf_ranges ranges;
    uint64_t start, end;
    bool any = false;
    dwarf_ranges_begin(&ranges, walk->unit, code->low_pc, code->high_pc, code->ranges, walk->work);
    while (dwarf_ranges_next(&ranges, &start, &end)) {
        size_t first = dwarf_first_not_below(walk->addresses, walk->count, start), i = first;
        for (; i < walk->count && walk->addresses[i] < end; i++)
            if (node != DWARF_NO_NODE)
                walk->found->innermost.items[i] = node;
        any |= i > first;
        if (!dwarf_work_spend(walk->work, i - first))
            walk->result = -EINVAL;
    }
    if (ranges.damaged)
        walk->result = -EINVAL;
    return any;
}

/* Of the parts of a function the first one. */
static uint64_t first_start(const struct walk *walk, const struct code *code)
{
    struct dwarf_ranges ranges;
    uint64_t start, end;
    dwarf_ranges_begin(&ranges, walk->unit, code->low_pc, code->high_pc, code->ranges, walk->work);
    return dwarf_ranges_next(&ranges, &start, &end) ? start : 0;
}

/* Looks at a function, an inlined one or a block with code. True where its children are of interest; *node is the node around
 * them: first that of the entry's parents, then perhaps its own. */
static bool take_scope(struct walk *walk, const struct dwarf_abbrev *abbrev, uint64_t entry, int32_t *node)
{
    struct code code;
    if (!read_code(walk, abbrev, walk->cursor, &code)) {
        walk->result = -EINVAL;
        return false;
    }
    if (abbrev->scope == SCOPE_BLOCK)
        return take_addresses(walk, &code, DWARF_NO_NODE);
    int32_t parent = abbrev->scope == SCOPE_INLINED ? *node : DWARF_NO_NODE;
    struct dwarf_node made = {.entry = entry, .parent = parent};
    if (parent != DWARF_NO_NODE)
        made.depth = walk->found->nodes.items[parent].depth + 1;
    if (made.depth >= DWARF_DEEPEST)
        return false;
    made.call_line = code.call_line.number <= UINT32_MAX ? (uint32_t)code.call_line.number : 0;
    made.has_call_file = code.call_file.form != 0 && code.call_file.number <= UINT32_MAX;
    made.call_file = made.has_call_file ? (uint32_t)code.call_file.number : 0;
    int32_t index = (int32_t)walk->found->nodes.count;
    if (!take_addresses(walk, &code, index))
        return false;
    if (abbrev->scope == SCOPE_FUNCTION)
        made.start = first_start(walk, &code);
    if (walk->found->nodes.count >= INT32_MAX || !vec_push(&walk->found->nodes, made))
        walk->result = -ENOMEM;
    *node = index;
    return true;
}

/* Whether the children of an entry are of interest. */
static bool enter(struct walk *walk, const struct dwarf_abbrev *abbrev, uint64_t entry, int32_t *node)
{
    switch (abbrev->scope) {
    case SCOPE_OPEN:
        return true;
    case SCOPE_BLOCK:
    case SCOPE_INLINED:
        /* Where nobody asked for the function around it, nobody asked for it. */
        if (abbrev->has_code && *node != DWARF_NO_NODE && take_scope(walk, abbrev, entry, node))
            return true;
        return !abbrev->has_code || walk->everything;
    case SCOPE_FUNCTION:
        if (abbrev->has_code && take_scope(walk, abbrev, entry, node))
            return true;
        *node = DWARF_NO_NODE;
        return walk->everything;
    default:
        return walk->everything;
    }
}

/* --- all entries --- */

/* The cursor is behind an entry with children: to its next sibling, if the entry says where that is. */
static bool jump_to_sibling(const struct dwarf_unit *unit, const struct dwarf_abbrev *abbrev, struct dwarf_cursor *cursor)
{
    if (!abbrev->sibling_form || cursor->failed)
        return false;
    const uint8_t *start = (const uint8_t *)unit->file->sections.info.text + unit->head.offset;
    struct dwarf_cursor value = {cursor->at - abbrev->sibling_back, cursor->at, false};
    uint64_t sibling = dwarf_form_read(&value, abbrev->sibling_form, 0, unit->head.sizes).number;
    /* Only ever forward, so that the walk ends. */
    if (sibling < (uint64_t)(cursor->at - start) || sibling > (uint64_t)(cursor->end - start))
        return false;
    cursor->at = start + sibling;
    return true;
}

/* The next entry's abbreviation, the cursor at its values; NULL at the end of a list of siblings. */
static inline const struct dwarf_abbrev *next_abbrev(const struct dwarf_abbrevs *abbrevs, struct dwarf_cursor *cursor)
{
    uint64_t code = dwarf_uleb(cursor);
    if (code == 0)
        return NULL;
    const struct dwarf_abbrev *abbrev = dwarf_abbrevs_find(abbrevs, code);
    if (!abbrev || abbrev->unreadable) {
        dwarf_cursor_fail(cursor);
        return NULL;
    }
    return abbrev;
}

/* The cursor is behind an entry with children: past all of them. */
static void skip_children(struct walk *walk, const struct dwarf_abbrev *abbrev)
{
    struct dwarf_cursor cursor = walk->cursor;
    if (!jump_to_sibling(walk->unit, abbrev, &cursor)) {
        size_t depth = 1;
        while (depth > 0 && cursor.at < cursor.end) {
            abbrev = next_abbrev(walk->abbrevs, &cursor);
            if (!abbrev) {
                depth--;
                continue;
            }
            dwarf_abbrev_skip(walk->abbrevs, abbrev, &cursor);
            if (abbrev->has_children && !jump_to_sibling(walk->unit, abbrev, &cursor))
                depth++;
        }
    }
    walk->cursor = cursor;
}

static void walk_entries(struct walk *walk)
{
    struct dwarf_functions *found = walk->found;
    const uint8_t *section = (const uint8_t *)walk->unit->file->sections.info.text;
    struct slice unit = slice_until(walk->unit->file->sections.info, walk->unit->head.end);
    walk->cursor = dwarf_cursor_at(unit, walk->unit->head.offset + walk->unit->head.first_entry);
    found->levels.count = 0;
    while (walk->result == 0 && walk->cursor.at < walk->cursor.end) {
        uint64_t entry = (uint64_t)(walk->cursor.at - section);
        const struct dwarf_abbrev *abbrev = next_abbrev(walk->abbrevs, &walk->cursor);
        if (!abbrev) {
            if (found->levels.count <= 1)
                break; /* the unit's list of entries ends, padding may follow */
            found->levels.count--;
            continue;
        }
        int32_t node = found->levels.count > 0 ? found->levels.items[found->levels.count - 1] : DWARF_NO_NODE;
        bool entered = enter(walk, abbrev, entry, &node);
        dwarf_abbrev_skip(walk->abbrevs, abbrev, &walk->cursor);
        if (!abbrev->has_children)
            continue;
        if (!entered)
            skip_children(walk, abbrev);
        else if (!vec_push(&found->levels, node))
            walk->result = -ENOMEM;
    }
    if (walk->result == 0 && walk->cursor.failed)
        walk->result = -EINVAL;
}

static int begin(struct walk *walk)
{
    struct dwarf_functions *found = walk->found;
    if (!dwarf_work_spend(walk->work, walk->unit->head.end - walk->unit->head.offset))
        return -EINVAL;
    if (!vec_reserve(&found->innermost, walk->count))
        return -ENOMEM;
    found->nodes.count = 0;
    found->innermost.count = walk->count;
    for (size_t i = 0; i < walk->count; i++)
        found->innermost.items[i] = DWARF_NO_NODE;
    return 0;
}

static bool all_found(const struct walk *walk)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->found->innermost.items[i] == DWARF_NO_NODE)
            return false;
    return true;
}

int dwarf_functions_find(struct dwarf_functions *functions, const struct dwarf_unit *unit, const uint64_t *addresses,
                         size_t count, struct dwarf_work *work)
{
    struct walk walk = {
        .found = functions,
        .unit = unit,
        .abbrevs = &unit->abbrevs,
        .addresses = addresses,
        .count = count,
        .work = work,
    };
    functions->nodes.count = functions->innermost.count = 0;
    walk.result = begin(&walk);
    if (walk.result == 0)
        walk_entries(&walk);
    if (walk.result != 0 || all_found(&walk))
        return walk.result;
    /* Functions can be inside of others that have none of the addresses: nested ones of C, methods of local classes. That is
     * seldom, and then everything is walked. */
    walk.everything = true;
    walk.result = begin(&walk);
    if (walk.result == 0)
        walk_entries(&walk);
    return walk.result;
}
