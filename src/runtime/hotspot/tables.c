#include "runtime/hotspot/tables.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 48, ROWS_MAX = 20000 };

/* Versions that the walker was made for: others may keep things elsewhere than tables can tell. */
enum { OLDEST_VERSION = 11 };

static const struct {
    const char *type, *name;
    enum hotspot_field field;
} wanted_fields[] = {
    {"GrowableArrayBase", "_len", VECTOR_LENGTH},
    {"GenericGrowableArray", "_len", VECTOR_LENGTH},
    {"GrowableArray<int>", "_data", VECTOR_DATA},
    {"CodeHeap", "_memory", HEAP_MEMORY},
    {"CodeHeap", "_segmap", HEAP_SEGMENTS},
    {"CodeHeap", "_log2_segment_size", HEAP_SEGMENT_BITS},
    {"VirtualSpace", "_low", SPACE_LOW},
    {"VirtualSpace", "_high", SPACE_HIGH},
    {"HeapBlock::Header", "_used", BLOCK_USED},
    {"CodeBlob", "_name", BLOB_NAME},
    {"CodeBlob", "_frame_size", BLOB_FRAME_WORDS},
    {"CodeBlob", "_frame_complete_offset", BLOB_FRAME_COMPLETE},
    {"CodeBlob", "_code_begin", BLOB_CODE},
    {"CodeBlob", "_code_offset", BLOB_CODE_OFFSET},
    {"CodeBlob", "_data_offset", BLOB_DATA_OFFSET},
    {"CodeBlob", "_mutable_data", BLOB_MUTABLE},
    {"CodeBlob", "_relocation_size", BLOB_RELOCATION_SIZE},
    {"CompiledMethod", "_method", METHOD_OF_CODE},
    {"nmethod", "_method", METHOD_OF_CODE},
    {"nmethod", "_comp_level", CODE_LEVEL},
    {"nmethod", "_compile_id", CODE_ID},
    {"nmethod", "_verified_entry_point", CODE_ENTRY},
    {"nmethod", "_verified_entry_offset", CODE_ENTRY_OFFSET},
    {"nmethod", "_scopes_pcs_offset", CODE_PCS},
    {"nmethod", "_dependencies_offset", CODE_PCS_END},
    {"CompiledMethod", "_scopes_data_begin", CODE_SCOPES},
    {"nmethod", "_scopes_data_offset", CODE_SCOPES_OFFSET},
    {"nmethod", "_metadata_offset", CODE_METADATA},
    {"nmethod", "_immutable_data", CODE_IMMUTABLE},
    {"nmethod", "_immutable_data_size", CODE_IMMUTABLE_SIZE},
    {"CompiledMethod", "_deopt_handler_begin", CODE_DEOPT},
    {"nmethod", "_deopt_handler_offset", CODE_DEOPT_OFFSET},
    {"nmethod", "_deopt_handler_entry_offset", CODE_DEOPT_OFFSET},
    {"nmethod", "_orig_pc_offset", CODE_ORIGINAL_PC},
    {"Method", "_constMethod", METHOD_CONST},
    {"Method", "_i2i_entry", METHOD_ENTRY},
    {"ConstMethod", "_constants", CONST_CONSTANTS},
    {"ConstMethod", "_code_size", CONST_CODE_SIZE},
    {"ConstMethod", "_name_index", CONST_NAME},
    {"ConstMethod", "_signature_index", CONST_SIGNATURE},
    {"ConstMethod", "_flags", CONST_FLAGS},
    {"ConstMethod", "_flags._flags", CONST_FLAGS},
    {"ConstantPool", "_pool_holder", POOL_HOLDER},
    {"ConstantPool", "_length", POOL_LENGTH},
    {"ConstantPool", "_source_file_name_index", POOL_SOURCE_FILE},
    {"InstanceKlass", "_source_file_name_index", CLASS_SOURCE_FILE},
    {"Klass", "_name", CLASS_NAME},
    {"Symbol", "_length", SYMBOL_LENGTH},
    {"Symbol", "_body", SYMBOL_TEXT},
    {"JVMFlag", "_name", FLAG_NAME},
    {"JVMFlag", "_addr", FLAG_ADDRESS},
    {"JVMFlag", "_flags", FLAG_BITS},
    {"JavaThread", "_cont_entry", THREAD_CONTINUATION},
    {"JavaThread", "_saved_exception_pc", THREAD_EXCEPTION_PC},
};

static const struct {
    const char *type, *name;
    enum hotspot_variable variable;
} wanted_variables[] = {
    {"CodeCache", "_heaps", VARIABLE_HEAPS},
    {"CodeCache", "_low_bound", VARIABLE_LOW},
    {"CodeCache", "_high_bound", VARIABLE_HIGH},
    {"StubRoutines", "_call_stub_return_address", VARIABLE_CALL_STUB_RETURN},
    {"ContinuationEntry", "_return_pc", VARIABLE_CONTINUATION_RETURN},
    {"Abstract_VM_Version", "_vm_major_version", VARIABLE_VERSION},
    {"JVMFlag", "flags", VARIABLE_FLAGS},
    {"JVMFlag", "numFlags", VARIABLE_FLAG_COUNT},
};

static const struct {
    const char *type;
    enum hotspot_size size;
} wanted_sizes[] = {
    {"HeapBlock", SIZE_BLOCK},
    {"ConstMethod", SIZE_CONST_METHOD},
    {"ConstantPool", SIZE_POOL},
    {"JVMFlag", SIZE_FLAG},
};

/* How wide a field is, by what the table says of its type. */
static struct hotspot_field_place place_of(const char *type, uint64_t offset)
{
    static const struct {
        const char *type;
        uint8_t bytes;
        bool is_signed;
    } types[] = {
        {"int", 4, true},           {"u2", 2, false},
        {"u4", 4, false},           {"uint", 4, false},
        {"uint32_t", 4, false},     {"unsigned short", 2, false},
        {"int16_t", 2, true},       {"uint16_t", 2, false},
        {"u1", 1, false},           {"bool", 1, false},
        {"CompLevel", 1, true},     {"size_t", 8, false},
        {"VirtualSpace", 8, false}, {"JVMFlag::Flags", 4, false},
    };
    struct hotspot_field_place place = {.offset = (uint16_t)offset, .bytes = 8};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(type, types[i].type) == 0) {
            place.bytes = types[i].bytes;
            place.is_signed = types[i].is_signed;
        }
    }
    return place;
}

/* What the exported variables say of one table: where it is, and where the columns of a row are. */
struct table {
    uint64_t row, stride;
    uint64_t column[6];
};

struct source {
    struct hotspot_reader *reader;
    uint64_t (*address_of)(void *data, const char *name);
    void *data;
};

static bool read_word(struct source *source, const char *name, uint64_t *out)
{
    uint64_t address = source->address_of(source->data, name);
    return address && hotspot_read(source->reader, address, out, sizeof *out);
}

static bool open_table(struct source *source, const char *start, const char *stride, const char *const *columns, size_t count,
                       struct table *table)
{
    memset(table, 0, sizeof *table);
    bool ok = read_word(source, start, &table->row) && read_word(source, stride, &table->stride) && table->stride >= 8 &&
              table->stride <= 256;
    for (size_t i = 0; ok && i < count; i++)
        ok = read_word(source, columns[i], &table->column[i]) && table->column[i] < table->stride;
    return ok;
}

/* The text that a column of the row points to; empty where it cannot be read. */
static bool read_text(struct source *source, const struct table *table, size_t column, char out[NAME_ROOM])
{
    uint64_t address;
    out[0] = '\0';
    if (!hotspot_read(source->reader, table->row + table->column[column], &address, sizeof address) || address == 0)
        return false;
    hotspot_read_text(source->reader, address, out, NAME_ROOM);
    return true;
}

static bool is_wanted_type(const char *type)
{
    for (size_t i = 0; i < sizeof wanted_variables / sizeof *wanted_variables; i++)
        if (strcmp(type, wanted_variables[i].type) == 0)
            return true;
    for (size_t i = 0; i < sizeof wanted_fields / sizeof *wanted_fields; i++)
        if (strcmp(type, wanted_fields[i].type) == 0)
            return true;
    return false;
}

static void take_field(struct source *source, struct hotspot_layout *layout, const struct table *table, const char *type)
{
    char name[NAME_ROOM], field_type[NAME_ROOM];
    uint64_t offset = 0, address = 0;
    uint32_t is_static = 0;
    read_text(source, table, 1, name);
    if (!hotspot_read(source->reader, table->row + table->column[3], &is_static, sizeof is_static))
        return;
    if (is_static) {
        for (size_t i = 0; i < sizeof wanted_variables / sizeof *wanted_variables; i++)
            if (strcmp(name, wanted_variables[i].name) == 0 && strcmp(type, wanted_variables[i].type) == 0 &&
                hotspot_read(source->reader, table->row + table->column[5], &address, sizeof address))
                layout->variable[wanted_variables[i].variable] = address;
        return;
    }
    for (size_t i = 0; i < sizeof wanted_fields / sizeof *wanted_fields; i++) {
        if (strcmp(name, wanted_fields[i].name) != 0 || strcmp(type, wanted_fields[i].type) != 0)
            continue;
        read_text(source, table, 2, field_type);
        if (hotspot_read(source->reader, table->row + table->column[4], &offset, sizeof offset) && offset < 4096)
            layout->field[wanted_fields[i].field] = place_of(field_type, offset);
    }
}

static bool take_fields(struct source *source, struct hotspot_layout *layout)
{
    static const char *const columns[] = {"gHotSpotVMStructEntryTypeNameOffset",   "gHotSpotVMStructEntryFieldNameOffset",
                                          "gHotSpotVMStructEntryTypeStringOffset", "gHotSpotVMStructEntryIsStaticOffset",
                                          "gHotSpotVMStructEntryOffsetOffset",     "gHotSpotVMStructEntryAddressOffset"};
    struct table table;
    char type[NAME_ROOM];
    uint64_t text, last = 0;
    bool is_wanted = false;
    if (!open_table(source, "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride", columns, 6, &table))
        return false;
    for (size_t i = 0; i < ROWS_MAX; i++, table.row += table.stride) {
        if (!hotspot_read(source->reader, table.row + table.column[0], &text, sizeof text) || text == 0)
            break;
        /* The fields of a type follow each other, and most types are not wanted. */
        if (text != last) {
            hotspot_read_text(source->reader, text, type, sizeof type);
            is_wanted = is_wanted_type(type);
            last = text;
        }
        if (is_wanted)
            take_field(source, layout, &table, type);
    }
    return true;
}

static void take_sizes(struct source *source, struct hotspot_layout *layout)
{
    static const char *const columns[] = {"gHotSpotVMTypeEntryTypeNameOffset", "gHotSpotVMTypeEntrySizeOffset"};
    struct table table;
    char type[NAME_ROOM];
    uint64_t size;
    if (!open_table(source, "gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride", columns, 2, &table))
        return;
    for (size_t i = 0; i < ROWS_MAX && read_text(source, &table, 0, type); i++, table.row += table.stride)
        for (size_t j = 0; j < sizeof wanted_sizes / sizeof *wanted_sizes; j++)
            if (strcmp(type, wanted_sizes[j].type) == 0 &&
                hotspot_read(source->reader, table.row + table.column[1], &size, sizeof size) && size <= 4096)
                layout->size[wanted_sizes[j].size] = (uint32_t)size;
}

static void take_constants(struct source *source, struct hotspot_layout *layout)
{
    static const char *const columns[] = {"gHotSpotVMIntConstantEntryNameOffset", "gHotSpotVMIntConstantEntryValueOffset"};
    static const char *const names[] = {"ConstMethod::_has_linenumber_table", "ConstMethodFlags::_misc_has_linenumber_table"};
    struct table table;
    char name[NAME_ROOM];
    uint32_t value;
    if (!open_table(source, "gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntryArrayStride", columns, 2, &table))
        return;
    for (size_t i = 0; i < ROWS_MAX && read_text(source, &table, 0, name); i++, table.row += table.stride)
        if ((strcmp(name, names[0]) == 0 || strcmp(name, names[1]) == 0) &&
            hotspot_read(source->reader, table.row + table.column[1], &value, sizeof value))
            layout->line_table_flag = value;
}

/* Nothing can be walked without these. What is missing besides costs a part of what is shown: names of inlined functions, say.
 */
static bool can_be_walked(const struct hotspot_layout *layout)
{
    static const enum hotspot_field needed[] = {
        VECTOR_LENGTH, VECTOR_DATA, HEAP_MEMORY,      HEAP_SEGMENTS,       HEAP_SEGMENT_BITS, SPACE_LOW,   SPACE_HIGH,
        BLOCK_USED,    BLOB_NAME,   BLOB_FRAME_WORDS, BLOB_FRAME_COMPLETE, METHOD_OF_CODE,    METHOD_CONST};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!hotspot_has(layout, needed[i]))
            return false;
    for (size_t i = 0; i <= VARIABLE_CALL_STUB_RETURN; i++)
        if (layout->variable[i] == 0)
            return false;
    return (hotspot_has(layout, BLOB_CODE) || hotspot_has(layout, BLOB_CODE_OFFSET)) && layout->size[SIZE_BLOCK] != 0 &&
           layout->size[SIZE_CONST_METHOD] != 0 && layout->version >= OLDEST_VERSION;
}

bool hotspot_layout_make(struct hotspot_layout *layout, struct hotspot_reader *reader,
                         uint64_t (*address_of)(void *data, const char *name), void *data)
{
    struct source source = {.reader = reader, .address_of = address_of, .data = data};
    struct runtime_layout head = {.kind = RUNTIME_HOTSPOT,
                                  .length = sizeof *layout,
                                  .module_start = layout->head.module_start,
                                  .module_end = layout->head.module_end};
    memset(layout, 0, sizeof *layout);
    layout->head = head;
    if (!take_fields(&source, layout))
        return false;
    take_sizes(&source, layout);
    take_constants(&source, layout);
    if (layout->variable[VARIABLE_VERSION])
        hotspot_read(reader, layout->variable[VARIABLE_VERSION], &layout->version, sizeof layout->version);
    layout->head.is_known = can_be_walked(layout);
    snprintf(layout->head.name, sizeof layout->head.name, "HotSpot %u", layout->version);
    return true;
}
