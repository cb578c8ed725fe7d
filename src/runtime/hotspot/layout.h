/* Where a HotSpot keeps what: offsets of fields, sizes of types and addresses of variables, as the VM publishes them itself, in
 * tables that its debugger reads (gHotSpotVMStructs and the like).
 *
 * All of it is there as soon as libjvm is loaded; what the variables hold comes later, while the VM starts. Fields differ from
 * version to version: who reads asks hotspot_has(). */
#ifndef SONDE_RUNTIME_HOTSPOT_LAYOUT_H
#define SONDE_RUNTIME_HOTSPOT_LAYOUT_H

#include "runtime/runtime.h"

#include <stdbool.h>
#include <stdint.h>

enum hotspot_field {
    VECTOR_LENGTH,
    VECTOR_DATA,
    HEAP_MEMORY,
    HEAP_SEGMENTS,
    HEAP_SEGMENT_BITS,
    SPACE_LOW,
    SPACE_HIGH,
    BLOCK_USED,
    BLOB_NAME,
    BLOB_FRAME_WORDS,
    BLOB_FRAME_COMPLETE,
    BLOB_CODE,            /* an address, up to 22 … */
    BLOB_CODE_OFFSET,     /* … then from the start of the blob */
    BLOB_DATA_OFFSET,     /* where the code ends */
    BLOB_MUTABLE,         /* from 25 on: metadata are there … */
    BLOB_RELOCATION_SIZE, /* … behind this */
    METHOD_OF_CODE,
    CODE_LEVEL,
    CODE_ID,
    CODE_ENTRY,         /* an address, or … */
    CODE_ENTRY_OFFSET,  /* … from the code */
    CODE_PCS,           /* from the blob, or from the immutable data */
    CODE_PCS_END,       /* up to 22 */
    CODE_SCOPES,        /* an address, or … */
    CODE_SCOPES_OFFSET, /* … from the immutable data */
    CODE_METADATA,      /* from the blob, or, where it has 16 bits, from the blob's data */
    CODE_IMMUTABLE,
    CODE_IMMUTABLE_SIZE,
    CODE_DEOPT,        /* an address, or … */
    CODE_DEOPT_OFFSET, /* … from the blob */
    CODE_ORIGINAL_PC,  /* from the frame's stack pointer */
    METHOD_CONST,
    METHOD_ENTRY, /* of the interpreter */
    CONST_CONSTANTS,
    CONST_CODE_SIZE,
    CONST_NAME,
    CONST_SIGNATURE,
    CONST_FLAGS,
    POOL_HOLDER,
    POOL_LENGTH,
    POOL_SOURCE_FILE,  /* a number in the pool, from 12 on … */
    CLASS_SOURCE_FILE, /* … and before */
    CLASS_NAME,
    SYMBOL_LENGTH,
    SYMBOL_TEXT,
    FLAG_NAME, /* of its switches */
    FLAG_ADDRESS,
    FLAG_BITS,           /* who set it */
    THREAD_CONTINUATION, /* from 21 on: the frame that entered a virtual thread */
    THREAD_EXCEPTION_PC, /* where a fault interrupted it */
    HOTSPOT_FIELD_COUNT
};

enum hotspot_variable {
    VARIABLE_HEAPS,
    VARIABLE_LOW,
    VARIABLE_HIGH,
    VARIABLE_CALL_STUB_RETURN,
    VARIABLE_CONTINUATION_RETURN, /* from 21 on */
    VARIABLE_VERSION,
    VARIABLE_FLAGS, /* an array of switches */
    VARIABLE_FLAG_COUNT,
    HOTSPOT_VARIABLE_COUNT
};

enum hotspot_size { SIZE_BLOCK, SIZE_CONST_METHOD, SIZE_POOL, SIZE_FLAG, HOTSPOT_SIZE_COUNT };

struct hotspot_field_place {
    uint16_t offset;
    uint8_t bytes; /* 1, 2, 4 or 8; 0 = this VM has no such field */
    bool is_signed;
};

struct hotspot_layout {
    struct runtime_layout head;
    uint32_t version;         /* 17, 21, 25 … */
    uint32_t line_table_flag; /* in CONST_FLAGS: lines stand behind the bytecodes */
    struct hotspot_field_place field[HOTSPOT_FIELD_COUNT];
    uint32_t size[HOTSPOT_SIZE_COUNT];
    uint64_t variable[HOTSPOT_VARIABLE_COUNT]; /* addresses; 0 = there is none */
};

/* Whether bytes of another process are a layout that the walker can use. */
bool hotspot_layout_check(const struct hotspot_layout *layout);

static inline bool hotspot_has(const struct hotspot_layout *layout, enum hotspot_field field)
{
    return layout->field[field].bytes != 0;
}

#endif
