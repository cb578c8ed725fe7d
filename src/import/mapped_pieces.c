#include "import/mapped_pieces.h"

#include "common/hash_seed.h"
#include "common/map.h"

void mapped_pieces_init(struct mapped_pieces *pieces)
{
    uint64_t seeds[2];
    hash_seed(seeds);
    *pieces = (struct mapped_pieces){.root = PIECE_NONE, .seed = seeds[0]};
}

void mapped_pieces_free(struct mapped_pieces *pieces)
{
    vec_free(&pieces->items);
}

/* ---- the treap ---- */

/* Secret, so that nobody can make a file whose treap is a list. */
static uint64_t priority(const struct mapped_pieces *pieces, uint32_t piece)
{
    return hash_combine(pieces->seed, piece);
}

/* Those that start below the address, and the others. */
static void split(struct mapped_pieces *pieces, uint32_t root, uint64_t address, uint32_t *below, uint32_t *above)
{
    if (root == PIECE_NONE) {
        *below = *above = PIECE_NONE;
        return;
    }
    struct mapped_piece *piece = &pieces->items.items[root];
    if (piece->start < address) {
        split(pieces, piece->right, address, &piece->right, above);
        *below = root;
    } else {
        split(pieces, piece->left, address, below, &piece->left);
        *above = root;
    }
}

/* All of `below` start before all of `above`. */
static uint32_t merge(struct mapped_pieces *pieces, uint32_t below, uint32_t above)
{
    if (below == PIECE_NONE || above == PIECE_NONE)
        return below == PIECE_NONE ? above : below;
    if (priority(pieces, below) > priority(pieces, above)) {
        uint32_t right = merge(pieces, pieces->items.items[below].right, above);
        pieces->items.items[below].right = right;
        return below;
    }
    uint32_t left = merge(pieces, below, pieces->items.items[above].left);
    pieces->items.items[above].left = left;
    return above;
}

static bool add(struct mapped_pieces *pieces, uint64_t start, uint64_t end, uint32_t row)
{
    uint32_t below, above, piece = (uint32_t)pieces->items.count;
    if (piece == PIECE_NONE || !vec_push(&pieces->items, ((struct mapped_piece){
                                                             .start = start,
                                                             .end = end,
                                                             .begun_by = row,
                                                             .ended_by = PIECE_NONE,
                                                             .left = PIECE_NONE,
                                                             .right = PIECE_NONE,
                                                         })))
        return false;
    split(pieces, pieces->root, start, &below, &above);
    pieces->root = merge(pieces, merge(pieces, below, piece), above);
    return true;
}

/* ---- cutting ---- */

/* No live piece goes across the address any more. */
static bool cut_at(struct mapped_pieces *pieces, uint64_t address)
{
    uint32_t found = PIECE_NONE;
    for (uint32_t at = pieces->root; at != PIECE_NONE;) {
        const struct mapped_piece *piece = &pieces->items.items[at];
        bool is_before = piece->start < address;
        found = is_before ? at : found;
        at = is_before ? piece->right : piece->left;
    }
    if (found == PIECE_NONE || pieces->items.items[found].end <= address)
        return true;
    struct mapped_piece *piece = &pieces->items.items[found];
    uint64_t end = piece->end;
    uint32_t row = piece->begun_by;
    piece->end = address;
    return add(pieces, address, end, row);
}

/* The treap is taken apart from its root: no recursion is deeper than the treap is. */
static void end_all(struct mapped_pieces *pieces, uint32_t root, uint32_t row)
{
    if (root == PIECE_NONE)
        return;
    end_all(pieces, pieces->items.items[root].left, row);
    end_all(pieces, pieces->items.items[root].right, row);
    pieces->items.items[root].ended_by = row;
}

static uint64_t end_of(uint64_t start, uint64_t size)
{
    return size > UINT64_MAX - start ? UINT64_MAX : start + size;
}

bool mapped_pieces_unmap(struct mapped_pieces *pieces, uint64_t start, uint64_t size, uint32_t row)
{
    uint32_t below, within, above;
    uint64_t end = end_of(start, size);
    if (start == end)
        return true;
    if (!cut_at(pieces, start) || !cut_at(pieces, end))
        return false;
    split(pieces, pieces->root, start, &below, &above);
    split(pieces, above, end, &within, &above);
    end_all(pieces, within, row);
    pieces->root = merge(pieces, below, above);
    return true;
}

bool mapped_pieces_map(struct mapped_pieces *pieces, uint64_t start, uint64_t size, uint32_t row)
{
    uint64_t end = end_of(start, size);
    return start == end || (mapped_pieces_unmap(pieces, start, size, row) && add(pieces, start, end, row));
}
