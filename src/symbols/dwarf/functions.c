#include "symbols/dwarf/functions.h"

#include "symbols/dwarf/owners.h"
#include "symbols/dwarf/ranges.h"

#include <errno.h>

struct walk {
    struct dwarf_functions *found;
    const struct dwarf_unit *unit;
    const struct dwarf_abbrevs *abbrevs;
    const uint64_t *addresses; /* that are looked for */
    const size_t *indexes;     /* which of all addresses each is; NULL = the same */
    size_t count;
    struct dwarf_work *work;
    struct byte_reader cursor;
    int result;
};

void dwarf_functions_free(struct dwarf_functions *functions)
{
    vec_free(&functions->nodes);
    vec_free(&functions->innermost);
    vec_free(&functions->levels);
    vec_free(&functions->missing);
    vec_free(&functions->missing_indexes);
}

/* --- one entry --- */

struct code {
    struct dwarf_value low_pc, high_pc, ranges, call_file, call_line;
};

static bool read_code(const struct walk *walk, const struct dwarf_abbrev *abbrev, struct byte_reader cursor, struct code *code)
{
    *code = (struct code){0};
    for (uint32_t i = 0; i < abbrev->attribute_count; i++) {
        const struct dwarf_attribute *attribute = dwarf_abbrev_attribute(walk->abbrevs, abbrev, i);
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
                walk->found->innermost.items[walk->indexes ? walk->indexes[i] : i] = node;
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
        return !abbrev->has_code || take_scope(walk, abbrev, entry, node);
    case SCOPE_FUNCTION:
        return abbrev->has_code && take_scope(walk, abbrev, entry, node);
    default:
        return false;
    }
}

/* --- all entries --- */

/* The cursor is behind an entry with children: to its next sibling, if the entry says where that is. */
static bool jump_to_sibling(const struct dwarf_unit *unit, const struct dwarf_abbrev *abbrev, struct byte_reader *cursor)
{
    if (!abbrev->sibling_form || cursor->failed)
        return false;
    const uint8_t *start = (const uint8_t *)unit->file->sections.info.text + unit->head.offset;
    struct byte_reader value = {cursor->at - abbrev->sibling_back, cursor->at, false};
    uint64_t sibling = dwarf_form_read(&value, abbrev->sibling_form, 0, unit->head.sizes).number;
    /* Only ever forward, so that the walk ends. */
    if (sibling < (uint64_t)(cursor->at - start) || sibling > (uint64_t)(cursor->end - start))
        return false;
    cursor->at = start + sibling;
    return true;
}

/* The next entry's abbreviation, the cursor at its values; NULL at the end of a list of siblings. */
static inline const struct dwarf_abbrev *next_abbrev(const struct dwarf_abbrevs *abbrevs, struct byte_reader *cursor)
{
    uint64_t code = byte_reader_uleb(cursor);
    if (code == 0)
        return NULL;
    const struct dwarf_abbrev *abbrev = dwarf_abbrevs_find(abbrevs, code);
    if (!abbrev || abbrev->unreadable) {
        byte_reader_fail(cursor);
        return NULL;
    }
    return abbrev;
}

/* The cursor is behind an entry with children: past all of them. */
static void skip_children(struct walk *walk, const struct dwarf_abbrev *abbrev)
{
    struct byte_reader cursor = walk->cursor;
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

static uint64_t offset_of(const struct walk *walk)
{
    return (uint64_t)(walk->cursor.at - (const uint8_t *)walk->unit->file->sections.info.text);
}

/* The cursor is at the children of an entry, which is inside of `node`: walks them all, and ends behind them. */
static void walk_children(struct walk *walk, int32_t node)
{
    struct dwarf_functions *found = walk->found;
    found->levels.count = 0;
    if (!vec_push(&found->levels, node))
        walk->result = -ENOMEM;
    while (walk->result == 0 && found->levels.count > 0 && walk->cursor.at < walk->cursor.end) {
        uint64_t entry = offset_of(walk);
        const struct dwarf_abbrev *abbrev = next_abbrev(walk->abbrevs, &walk->cursor);
        if (!abbrev) {
            found->levels.count--;
            continue;
        }
        node = found->levels.items[found->levels.count - 1];
        bool entered = enter(walk, abbrev, entry, &node);
        dwarf_abbrev_skip(walk->abbrevs, abbrev, &walk->cursor);
        if (!abbrev->has_children)
            continue;
        if (!entered)
            skip_children(walk, abbrev);
        else if (!vec_push(&found->levels, node))
            walk->result = -ENOMEM;
    }
}

static int begin(struct walk *walk)
{
    const struct dwarf_unit_head *head = &walk->unit->head;
    if (!dwarf_work_spend(walk->work, head->end - head->offset))
        return -EINVAL;
    walk->cursor = dwarf_section_at(slice_until(walk->unit->file->sections.info, head->end), head->offset + head->first_entry);
    return 0;
}

static int end(const struct walk *walk)
{
    return walk->result == 0 && walk->cursor.failed ? -EINVAL : walk->result;
}

/* Where functions usually are: in the unit, and in its namespaces. */
static int walk_unit(struct walk *walk)
{
    walk->result = begin(walk);
    const struct dwarf_abbrev *unit = walk->result == 0 ? next_abbrev(walk->abbrevs, &walk->cursor) : NULL;
    if (!unit)
        return end(walk);
    dwarf_abbrev_skip(walk->abbrevs, unit, &walk->cursor);
    if (unit->has_children)
        walk_children(walk, DWARF_NO_NODE);
    return end(walk);
}

/* Where they can be, too: inside of others that have none of the addresses. Nested functions of C are, and lambdas and methods
 * of local classes. Every entry is looked at, whatever it is in. */
static int walk_everywhere(struct walk *walk)
{
    walk->result = begin(walk);
    while (walk->result == 0 && walk->cursor.at < walk->cursor.end) {
        uint64_t entry = offset_of(walk);
        const struct dwarf_abbrev *abbrev = next_abbrev(walk->abbrevs, &walk->cursor);
        int32_t node = DWARF_NO_NODE;
        if (!abbrev)
            continue;
        bool entered = abbrev->scope == SCOPE_FUNCTION && enter(walk, abbrev, entry, &node);
        dwarf_abbrev_skip(walk->abbrevs, abbrev, &walk->cursor);
        if (entered && abbrev->has_children)
            walk_children(walk, node);
    }
    return end(walk);
}

/* --- all of it --- */

static int prepare(struct dwarf_functions *functions, size_t count)
{
    functions->nodes.count = functions->innermost.count = 0;
    if (!vec_reserve(&functions->innermost, count))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        functions->innermost.items[i] = DWARF_NO_NODE;
    functions->innermost.count = count;
    return 0;
}

/* Leaves only the addresses without a function. */
static int keep_missing(struct walk *walk)
{
    struct dwarf_functions *found = walk->found;
    found->missing.count = found->missing_indexes.count = 0;
    for (size_t i = 0; i < walk->count; i++)
        if (found->innermost.items[i] == DWARF_NO_NODE &&
            (!vec_push(&found->missing, walk->addresses[i]) || !vec_push(&found->missing_indexes, i)))
            return -ENOMEM;
    walk->addresses = found->missing.items;
    walk->indexes = found->missing_indexes.items;
    walk->count = found->missing.count;
    return 0;
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
    int result = prepare(functions, count);
    if (result == 0)
        result = walk_unit(&walk);
    if (result == 0)
        result = keep_missing(&walk);
    return result == 0 && walk.count > 0 ? walk_everywhere(&walk) : result;
}
