#include "symbols/dwarf/abbrev.h"

#include <errno.h>
#include <stdlib.h>

/* More than any entry has; keeps sums of sizes far from overflow. */
enum { MOST_ATTRIBUTES = 1 << 16 };

void dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs)
{
    vec_free(&abbrevs->items);
    vec_free(&abbrevs->attributes);
    vec_free(&abbrevs->steps);
    *abbrevs = (struct dwarf_abbrevs){0};
}

static enum dwarf_scope scope_of(unsigned tag)
{
    switch (tag) {
    case TAG_compile_unit:
    case TAG_partial_unit:
    case TAG_skeleton_unit:
    case TAG_type_unit:
    case TAG_namespace:
    case TAG_module:
        return SCOPE_OPEN;
    case TAG_lexical_block:
    case TAG_try_block:
    case TAG_catch_block:
    case TAG_with_stmt:
        return SCOPE_BLOCK;
    case TAG_subprogram:
        return SCOPE_FUNCTION;
    case TAG_inlined_subroutine:
        return SCOPE_INLINED;
    default:
        return SCOPE_OTHER;
    }
}

/* The bytes of fixed size at the end of what is known of the abbreviation so far. */
static uint32_t *tail(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev)
{
    return abbrev->step_count > 0 ? &abbrevs->steps.items[abbrevs->steps.count - 1].fixed : &abbrev->fixed;
}

static bool add_value(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev, uint16_t form)
{
    int size = dwarf_form_size(form, abbrevs->sizes);
    if (size >= 0) {
        *tail(abbrevs, abbrev) += (uint32_t)size;
        if (abbrev->sibling_form)
            abbrev->sibling_back += (uint32_t)size;
        return true;
    }
    /* Where the sibling stands is only known if all that follows has a fixed size. */
    abbrev->sibling_form = 0;
    abbrev->step_count++;
    return vec_push(&abbrevs->steps, ((struct dwarf_step){form, 0}));
}

static void note_name(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev, struct dwarf_attribute attribute)
{
    switch (attribute.name) {
    case AT_low_pc:
    case AT_ranges:
        abbrev->has_code = true;
        break;
    case AT_sibling:
        if (attribute.form == FORM_ref1 || attribute.form == FORM_ref2 || attribute.form == FORM_ref4 ||
            attribute.form == FORM_ref8) {
            abbrev->sibling_form = (uint8_t)attribute.form;
            abbrev->sibling_back = (uint32_t)dwarf_form_size(attribute.form, abbrevs->sizes);
        }
        break;
    default:
        break;
    }
}

static int read_attributes(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev, struct byte_reader *cursor)
{
    for (;;) {
        uint64_t name = byte_reader_uleb(cursor), form = byte_reader_uleb(cursor);
        int64_t constant = form == FORM_implicit_const ? byte_reader_sleb(cursor) : 0;
        if (cursor->failed || abbrev->attribute_count == MOST_ATTRIBUTES)
            return -EINVAL;
        if (name == 0 && form == 0)
            return 0;
        if (form > UINT16_MAX || !dwarf_form_known((unsigned)form)) {
            abbrev->unreadable = true;
            continue;
        }
        struct dwarf_attribute attribute = {name <= UINT16_MAX ? (uint16_t)name : 0, (uint16_t)form, constant};
        if (!add_value(abbrevs, abbrev, attribute.form) || !vec_push(&abbrevs->attributes, attribute))
            return -ENOMEM;
        abbrev->attribute_count++;
        note_name(abbrevs, abbrev, attribute);
    }
}

static int compare_codes(const void *a, const void *b)
{
    const struct dwarf_abbrev *x = a, *y = b;
    return x->code < y->code ? -1 : x->code > y->code;
}

static int read_table(struct dwarf_abbrevs *abbrevs, struct byte_reader *cursor, uint64_t only)
{
    for (;;) {
        struct dwarf_abbrev abbrev = {.code = byte_reader_uleb(cursor)};
        if (cursor->failed)
            return -EINVAL;
        if (abbrev.code == 0)
            return 0;
        if (abbrevs->items.count >= UINT32_MAX / MOST_ATTRIBUTES)
            return -EINVAL;
        uint64_t tag = byte_reader_uleb(cursor);
        abbrev.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
        abbrev.scope = (uint8_t)scope_of(abbrev.tag);
        abbrev.has_children = byte_reader_u8(cursor) != 0;
        abbrev.first_attribute = (uint32_t)abbrevs->attributes.count;
        abbrev.first_step = (uint32_t)abbrevs->steps.count;
        int result = read_attributes(abbrevs, &abbrev, cursor);
        if (result != 0)
            return result;
        if (!vec_push(&abbrevs->items, abbrev))
            return -ENOMEM;
        if (abbrev.code == abbrevs->dense + 1 && abbrevs->dense + 1 == abbrevs->items.count)
            abbrevs->dense++;
        if (abbrev.code == only)
            return 0;
    }
}

int dwarf_abbrevs_read(struct dwarf_abbrevs *abbrevs, struct slice section, uint64_t offset, struct dwarf_sizes sizes,
                       uint64_t only, struct dwarf_work *work)
{
    if (abbrevs->complete && abbrevs->section == section.text && abbrevs->offset == offset &&
        dwarf_sizes_same(abbrevs->sizes, sizes))
        return 0;
    abbrevs->items.count = abbrevs->attributes.count = abbrevs->steps.count = abbrevs->dense = 0;
    abbrevs->sizes = sizes;
    abbrevs->offset = offset;
    abbrevs->section = section.text;
    abbrevs->complete = false;
    struct byte_reader cursor = dwarf_section_at(section, offset);
    /* No more is read than may still be read: the table has an end then, if not its own. */
    if (byte_reader_left(&cursor) > work->left)
        cursor.end = cursor.at + work->left;
    const uint8_t *start = cursor.at;
    int result = read_table(abbrevs, &cursor, only);
    dwarf_work_spend(work, (uint64_t)(cursor.at - start));
    if (result != 0)
        return result;
    size_t others = abbrevs->items.count - abbrevs->dense;
    if (others > 1)
        qsort(abbrevs->items.items + abbrevs->dense, others, sizeof *abbrevs->items.items, compare_codes);
    abbrevs->complete = only == 0;
    return 0;
}

const struct dwarf_abbrev *dwarf_abbrevs_search(const struct dwarf_abbrevs *abbrevs, uint64_t code)
{
    size_t others = abbrevs->items.count - abbrevs->dense;
    struct dwarf_abbrev key = {.code = code};
    if (others == 0)
        return NULL;
    return bsearch(&key, abbrevs->items.items + abbrevs->dense, others, sizeof key, compare_codes);
}

void dwarf_abbrev_skip_steps(const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev, struct byte_reader *cursor)
{
    const struct dwarf_step *step = abbrevs->steps.items + abbrev->first_step, *end = step + abbrev->step_count;
    for (; step < end; step++) {
        dwarf_form_skip(cursor, step->form, abbrevs->sizes);
        byte_reader_take(cursor, step->fixed);
    }
}
