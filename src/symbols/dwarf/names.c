#include "symbols/dwarf/names.h"

#include <errno.h>

/* Three are usual. A chain that is longer goes in circles. */
enum { LONGEST_CHAIN = 16 };

void dwarf_names_free(struct dwarf_names *names)
{
    for (size_t i = 0; i < DWARF_OPEN_UNITS; i++)
        dwarf_unit_free(&names->others[i]);
}

void dwarf_names_forget(struct dwarf_names *names, const struct dwarf_file *file)
{
    for (size_t i = 0; i < DWARF_OPEN_UNITS; i++)
        if (names->others[i].file == file)
            names->others[i].file = NULL;
}

struct name_values {
    struct dwarf_value linkage_name, name, reference;
};

static bool read_values(const struct dwarf_unit *unit, uint64_t entry, struct name_values *values)
{
    struct byte_reader cursor;
    const struct dwarf_abbrev *abbrev = dwarf_unit_entry(unit, entry, &cursor);
    if (!abbrev)
        return false;
    *values = (struct name_values){0};
    for (uint32_t i = 0; i < abbrev->attribute_count; i++) {
        const struct dwarf_attribute *attribute = dwarf_abbrev_attribute(&unit->abbrevs, abbrev, i);
        struct dwarf_value value = dwarf_form_read(&cursor, attribute->form, attribute->constant, unit->abbrevs.sizes);
        switch (attribute->name) {
        case AT_linkage_name:
        case AT_MIPS_linkage_name:
            values->linkage_name = value;
            break;
        case AT_name:
            values->name = value;
            break;
        case AT_abstract_origin:
            values->reference = value;
            break;
        case AT_specification:
            if (values->reference.form == 0)
                values->reference = value;
            break;
        default:
            break;
        }
    }
    return !cursor.failed;
}

/* The unit of an entry in any file; NULL in *unit where there is none. */
static int open_unit(struct dwarf_names *names, const struct dwarf_file *file, uint64_t entry, const struct dwarf_unit **unit,
                     struct dwarf_work *work)
{
    *unit = NULL;
    const struct dwarf_unit_head *head = dwarf_file_unit_at(file, entry);
    if (!head)
        return 0;
    struct dwarf_unit *other = &names->others[(size_t)(head - file->units.items) % DWARF_OPEN_UNITS];
    int result = 0;
    if (other->file != file || other->head.offset != head->offset)
        result = dwarf_unit_open(other, file, head, DWARF_ALL_ENTRIES, work);
    if (result == 0)
        *unit = other;
    return result == -ENOMEM ? result : 0;
}

int dwarf_names_find(struct dwarf_names *names, const struct dwarf_unit *unit, uint64_t entry, struct slice *name,
                     struct dwarf_place *at, struct dwarf_work *work)
{
    *name = (struct slice){0};
    *at = (struct dwarf_place){0};
    for (unsigned i = 0; i < LONGEST_CHAIN; i++) {
        struct name_values values;
        const struct dwarf_file *file;
        if (!read_values(unit, entry, &values))
            return 0;
        struct slice linkage_name = dwarf_unit_text(unit, values.linkage_name);
        if (linkage_name.length > 0) {
            *name = linkage_name;
            at->unit = NULL;
            return 0;
        }
        if (name->length == 0) {
            *name = dwarf_unit_text(unit, values.name);
            *at = (struct dwarf_place){name->length > 0 ? unit : NULL, entry};
        }
        if (!dwarf_unit_reference(unit, values.reference, &file, &entry))
            return 0;
        if (file != unit->file || entry < unit->head.offset || entry >= unit->head.end) {
            int result = open_unit(names, file, entry, &unit, work);
            if (result != 0 || !unit)
                return result;
        }
    }
    return 0;
}
