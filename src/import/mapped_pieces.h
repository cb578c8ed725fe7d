/* The pieces that mappings fall into: an unmapping may end a part of one, or several at once.
 *
 *     row 0   map    ├──────────────────┤
 *     row 1   unmap        ├─────┤
 *     row 2   unmap                 ├────────┤
 *                    ├ A ──┤─ B ─┤─C┤ D ┤          pieces of row 0: A lives on, C too, B ends by row 1, D by row 2
 *
 * So each piece has one beginning and at most one end, and can be told as a block of its own. A mapping in the place of
 * others ends them. Live pieces are a treap by address: every step takes a time that grows with the logarithm of their number,
 * whoever made the file. */
#ifndef SONDE_IMPORT_MAPPED_PIECES_H
#define SONDE_IMPORT_MAPPED_PIECES_H

#include "common/vec.h"

#include <stdint.h>

#define PIECE_NONE UINT32_MAX

struct mapped_piece {
    uint64_t start, end;
    uint32_t begun_by, ended_by; /* rows, as the caller counts them; ended_by PIECE_NONE = it lives on */
    uint32_t left, right;        /* internal: of live pieces */
};

struct mapped_pieces {
    VEC(struct mapped_piece) items;
    uint32_t root;
    uint64_t seed;
};

void mapped_pieces_init(struct mapped_pieces *pieces);
void mapped_pieces_free(struct mapped_pieces *pieces);

/* In the order of time. A range that passes the end of the addresses ends there. False when the heap is empty. */
bool mapped_pieces_unmap(struct mapped_pieces *pieces, uint64_t start, uint64_t size, uint32_t row);
bool mapped_pieces_map(struct mapped_pieces *pieces, uint64_t start, uint64_t size, uint32_t row);

#endif
