/* The unwind tables of a module: which of its functions has which call frame program.
 *
 *     index        address of a function ▶ its FDE, sorted: the table in .eh_frame_hdr, or one made in its shape
 *     .eh_frame    CIE: what many functions share (factors, augmentation, first instructions)
 *                  FDE: one function: its CIE, start, length, instructions
 *
 * The bytes are copies made by modules.c, or those of a module that never goes. They are untrusted all the same: every length
 * and offset is checked against the section. Nothing here allocates or locks; all of it may run in a signal handler. */
#ifndef SONDE_UNWIND_EH_FRAME_H
#define SONDE_UNWIND_EH_FRAME_H

#include "common/byte_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row of the index; both are distances from `index_address`. */
struct eh_frame_index_row {
    int32_t function;
    int32_t fde;
};

/* A large index comes with a coarse one, of 4 KiB: the code from the first function to the last in pieces of one size, and
 * where the rows of each piece begin. Without it a search of the index takes ten looks at memory that nobody else uses: that
 * was most of what a sample of a young compiler cost. */
enum {
    EH_FRAME_COARSE_PIECES = 2048,
    EH_FRAME_COARSE_LOOKS = 4096,     /* rows to look at to make one */
    EH_FRAME_COARSE_LEAST = 8 << 10,  /* rows of an index … */
    EH_FRAME_COARSE_MOST = 256 << 10, /* … but those of a larger one take too long to look through */
};

struct eh_frame_coarse {
    uint64_t start, bytes;                       /* of the first piece; of each */
    size_t step;                                 /* in rows */
    uint16_t before[EH_FRAME_COARSE_PIECES + 1]; /* in steps: the last that is not behind the beginning of the piece */
};

struct eh_frame_table {
    const uint8_t *bytes; /* .eh_frame */
    size_t length;
    uint64_t address;                       /* where it is mapped in the module */
    const struct eh_frame_index_row *index; /* sorted by function; NULL: none, so no rules */
    size_t index_count;
    uint64_t index_address;
    uint64_t code_start, code_end;        /* about where the functions are, for a good guess; 0, 0: not known */
    const struct eh_frame_coarse *coarse; /* NULL: none */
};

/* What an FDE and its CIE say. The readers point into the table's bytes. */
struct frame_description {
    uint64_t start, length; /* the function; an end past the address space is refused */
    uint64_t code_factor;   /* of the distances between locations */
    int64_t data_factor;    /* of the offsets of saved registers */
    uint64_t return_register;
    uint8_t pointer_encoding;
    bool signal_frame; /* augmentation S: the caller stands where it was interrupted, not behind a call */
    bool b_key;        /* augmentation B: aarch64 return addresses signed with the B key */
    struct byte_reader common_program, program;
};

/* Whether an index of so many rows is to have a coarse one. */
static inline bool eh_frame_coarse_is_wanted(size_t rows)
{
    return rows >= EH_FRAME_COARSE_LEAST && rows <= EH_FRAME_COARSE_MOST;
}

/* Only for such an index, all of which is there. False where its rows make no sense. */
bool eh_frame_coarse_make(const struct eh_frame_table *table, struct eh_frame_coarse *coarse);

/* The description of the function that `address` lies in; false where there is none, or it makes no sense. */
bool eh_frame_find(const struct eh_frame_table *table, uint64_t address, struct frame_description *out);

enum eh_frame_entry_kind {
    EH_FRAME_END, /* the terminator, or the end of the bytes */
    EH_FRAME_BAD, /* its length does not fit: nothing behind it can be found */
    EH_FRAME_CIE,
    EH_FRAME_FDE,
};

/* The entry at `offset` of the table, and where the one behind it is. */
enum eh_frame_entry_kind eh_frame_entry(const struct eh_frame_table *table, size_t offset, size_t *next);

/* Reads the FDE at `offset` and its CIE; false where it is not an FDE or something in it is unknown or does not fit. */
bool eh_frame_read(const struct eh_frame_table *table, size_t offset, struct frame_description *out);

/* Pointer encodings (DW_EH_PE_…): the low four bits say how it is stored, the next three what it is relative to. */
enum {
    POINTER_ABSOLUTE = 0x00,
    POINTER_ULEB = 0x01,
    POINTER_U16 = 0x02,
    POINTER_U32 = 0x03,
    POINTER_U64 = 0x04,
    POINTER_SLEB = 0x09,
    POINTER_S16 = 0x0a,
    POINTER_S32 = 0x0b,
    POINTER_S64 = 0x0c,
    POINTER_FORMAT = 0x0f,
    POINTER_TO_HERE = 0x10, /* … + the address of the pointer itself */
    POINTER_TO_TEXT = 0x20,
    POINTER_TO_DATA = 0x30,
    POINTER_TO_FUNCTION = 0x40,
    POINTER_ALIGNED = 0x50, /* absolute, at the next address that is a multiple of 8 */
    POINTER_BASE = 0x70,
    POINTER_INDIRECT = 0x80, /* the address where the value stands */
    POINTER_NONE = 0xff,
};

/* Reads a pointer at `in`, which is at `address` in the module. `data` is what POINTER_TO_DATA is relative to. A pointer that
 * is indirect, or relative to what is not known, fails the reader. */
uint64_t eh_frame_pointer(struct byte_reader *in, uint8_t encoding, uint64_t address, uint64_t data);

#endif
