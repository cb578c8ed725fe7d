#include "unwind/found_module.h"

#include <dlfcn.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE

extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

/* The table in .eh_frame_hdr, of the form that all linkers make. */
static bool read_header(uint64_t address, uint64_t end, struct eh_frame_table *table)
{
    enum { HEADER_BYTES = 32, USUAL_TABLE = POINTER_TO_DATA | POINTER_S32 };
    if (end - address < HEADER_BYTES)
        return false;
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)address;
    struct byte_reader in = byte_reader_of(bytes, HEADER_BYTES);
    uint8_t version = byte_reader_u8(&in), eh_frame_encoding = byte_reader_u8(&in);
    uint8_t count_encoding = byte_reader_u8(&in), table_encoding = byte_reader_u8(&in);
    uint64_t eh_frame = eh_frame_pointer(&in, eh_frame_encoding, address + (uint64_t)(in.at - bytes), address);
    uint64_t count = eh_frame_pointer(&in, count_encoding, address + (uint64_t)(in.at - bytes), address);
    uint64_t rows = address + (uint64_t)(in.at - bytes);
    if (in.failed || version != 1 || table_encoding != USUAL_TABLE || count == 0 || eh_frame >= end ||
        rows % _Alignof(struct eh_frame_index_row) != 0 || count > (end - rows) / sizeof(struct eh_frame_index_row))
        return false;
    *table = (struct eh_frame_table){
        .bytes = (const uint8_t *)(uintptr_t)eh_frame,
        .length = (size_t)(end - eh_frame),
        .address = eh_frame,
        .index = (const void *)(uintptr_t)rows,
        .index_count = (size_t)count,
        .index_address = address,
    };
    return true;
}

bool found_module(uint64_t address, struct unwind_module *out)
{
    struct dl_find_object object;
    if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)address, &object) != 0)
        return false;
    uint64_t start = (uintptr_t)object.dlfo_map_start, end = (uintptr_t)object.dlfo_map_end;
    uint64_t header = (uintptr_t)object.dlfo_eh_frame;
    *out = (struct unwind_module){.start = start, .end = end};
    /* A linker that leaves gaps between segments has the tables before the code, and what is behind them is mapped up to there.
     */
    return header >= start && header < end && read_header(header, end, &out->eh_frame);
}

#else

bool found_module(uint64_t address, struct unwind_module *out)
{
    (void)address, (void)out;
    return false;
}

#endif
