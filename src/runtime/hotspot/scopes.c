#include "runtime/hotspot/scopes.h"

#include <string.h>

/* Where the tables of one piece of compiled code are. */
struct tables {
    uint64_t pcs, pcs_end;
    uint64_t scopes, scopes_end;
    uint64_t metadata;
};

struct pc_descriptor {
    int32_t pc, scope, objects, flags;
};

static bool find_tables(struct hotspot_reader *reader, const struct hotspot_blob *blob, struct tables *tables)
{
    const struct hotspot_layout *layout = reader->layout;
    uint64_t base = blob->start, offset, end, size;
    if (hotspot_get(reader, blob->start, CODE_IMMUTABLE, &base)) {
        if (!hotspot_get(reader, blob->start, CODE_SCOPES_OFFSET, &end) ||
            !hotspot_get(reader, blob->start, CODE_IMMUTABLE_SIZE, &size) || end > size || size > INT32_MAX)
            return false;
        tables->pcs_end = base + end;
        tables->scopes = base + end;
        tables->scopes_end = base + size;
    } else {
        if (!hotspot_get(reader, blob->start, CODE_PCS_END, &end) ||
            !hotspot_get(reader, blob->start, CODE_SCOPES, &tables->scopes))
            return false;
        tables->pcs_end = base + end;
    }
    if (!hotspot_get(reader, blob->start, CODE_PCS, &offset))
        return false;
    tables->pcs = base + offset;
    if (!hotspot_has(layout, CODE_IMMUTABLE))
        tables->scopes_end = tables->pcs;
    if (hotspot_get(reader, blob->start, CODE_METADATA, &offset)) {
        bool from_data = layout->field[CODE_METADATA].bytes == 2;
        tables->metadata = blob->start + offset + (from_data ? hotspot_value(reader, blob->start, BLOB_DATA_OFFSET) : 0);
    } else {
        tables->metadata =
            hotspot_value(reader, blob->start, BLOB_MUTABLE) + hotspot_value(reader, blob->start, BLOB_RELOCATION_SIZE);
    }
    return tables->pcs <= tables->pcs_end && tables->scopes <= tables->scopes_end;
}

/* The first descriptor at `offset` or behind it: the last descriptors are read at once. */
static bool find_descriptor(struct hotspot_reader *reader, const struct tables *tables, int64_t offset,
                            struct pc_descriptor *out)
{
    enum { PIECE = 16 };
    struct pc_descriptor piece[PIECE];
    uint64_t first = 0, last = (tables->pcs_end - tables->pcs) / sizeof *piece;
    while (last - first > PIECE) {
        uint64_t middle = first + (last - first) / 2;
        int32_t pc;
        if (!hotspot_read(reader, tables->pcs + (middle - 1) * sizeof *piece, &pc, sizeof pc))
            return false;
        if (pc < offset)
            first = middle;
        else
            last = middle;
    }
    uint64_t count = last - first;
    if (!hotspot_read(reader, tables->pcs + first * sizeof *piece, piece, count * sizeof *piece))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (piece[i].pc >= offset) {
            *out = piece[i];
            return piece[i].pc != INT32_MAX;
        }
    }
    return false;
}

/* One scope: {scope of its caller, 0 = none; number of its method in the metadata, from 1 on; bytecode index + 1}. */
static bool read_scope(struct hotspot_reader *reader, const struct tables *tables, uint32_t offset, struct hotspot_scope *scope,
                       uint32_t *caller)
{
    uint8_t bytes[15];
    uint32_t number[3];
    size_t at = 0, length = sizeof bytes;
    if (offset >= tables->scopes_end - tables->scopes)
        return false;
    if (length > tables->scopes_end - tables->scopes - offset)
        length = tables->scopes_end - tables->scopes - offset;
    if (!hotspot_read(reader, tables->scopes + offset, bytes, length))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (!hotspot_unpack(reader->layout, bytes, length, &at, &number[i]))
            return false;
    *caller = number[0];
    scope->bci = number[2] > 0 && number[2] <= UINT16_MAX ? (int32_t)number[2] - 1 : HOTSPOT_NO_BCI;
    return number[1] > 0 && number[1] < INT32_MAX / 8 &&
           hotspot_read(reader, tables->metadata + 8 * (uint64_t)(number[1] - 1), &scope->method, sizeof scope->method) &&
           scope->method != 0;
}

/* Callers' scopes were written before those that they call: offsets go down. */
static size_t read_scopes(struct hotspot_reader *reader, const struct tables *tables, uint32_t offset,
                          struct hotspot_scope *scopes)
{
    size_t count = 0;
    while (count < HOTSPOT_SCOPES_MAX) {
        uint32_t caller;
        if (!read_scope(reader, tables, offset, &scopes[count], &caller))
            return 0;
        count++;
        if (caller == 0 || caller >= offset)
            break;
        offset = caller;
    }
    return count;
}

static size_t method_alone(struct hotspot_reader *reader, const struct hotspot_blob *blob, struct hotspot_scope *scope)
{
    *scope = (struct hotspot_scope){.bci = HOTSPOT_NO_BCI};
    return hotspot_get(reader, blob->start, METHOD_OF_CODE, &scope->method) && scope->method != 0;
}

static size_t find_scopes(struct hotspot_reader *reader, const struct hotspot_blob *blob, uint64_t pc, bool exact,
                          struct hotspot_scope *scopes)
{
    struct tables tables;
    struct pc_descriptor descriptor;
    size_t count = 0;
    /* A descriptor stands at the end of its instruction. */
    if (blob->kind == BLOB_COMPILED && pc >= blob->code && pc - blob->code < INT32_MAX && find_tables(reader, blob, &tables) &&
        find_descriptor(reader, &tables, (int64_t)(pc - blob->code) + exact, &descriptor) && descriptor.scope > 0)
        count = read_scopes(reader, &tables, (uint32_t)descriptor.scope, scopes);
    return count > 0 ? count : method_alone(reader, blob, scopes);
}

/* --- what was found before ----------------------------------------------------------------------------------------------- */

static struct hotspot_scope_entry *entry_of(struct hotspot_scope_cache *cache, uint64_t key)
{
    return &cache->entries[(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % HOTSPOT_SCOPE_ENTRIES];
}

static size_t recall(struct hotspot_scope_cache *cache, uint64_t key, uint64_t compilation, struct hotspot_scope *scopes)
{
    struct hotspot_scope_entry *entry = entry_of(cache, key);
    uint32_t version = atomic_load_explicit(&entry->version, memory_order_acquire);
    if (version % 2 != 0 || atomic_load_explicit(&entry->key, memory_order_relaxed) != key ||
        atomic_load_explicit(&entry->compilation, memory_order_relaxed) != compilation)
        return 0;
    uint32_t count = atomic_load_explicit(&entry->count, memory_order_relaxed);
    for (uint32_t i = 0; i < count && i < HOTSPOT_SCOPES_KEPT; i++)
        scopes[i] = (struct hotspot_scope){atomic_load_explicit(&entry->method[i], memory_order_relaxed),
                                           atomic_load_explicit(&entry->bci[i], memory_order_relaxed)};
    /* Read before the version is looked at again, which then says whether all of it was of one writer. */
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&entry->version, memory_order_relaxed) == version ? count : 0;
}

/* Two at once: the second leaves it. */
static void remember(struct hotspot_scope_cache *cache, uint64_t key, uint64_t compilation, const struct hotspot_scope *scopes,
                     size_t count)
{
    struct hotspot_scope_entry *entry = entry_of(cache, key);
    uint32_t version = atomic_load_explicit(&entry->version, memory_order_relaxed);
    if (count > HOTSPOT_SCOPES_KEPT || version % 2 != 0 ||
        !atomic_compare_exchange_strong_explicit(&entry->version, &version, version + 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    /* Nobody may see what follows and the even version of before. */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&entry->key, key, memory_order_relaxed);
    atomic_store_explicit(&entry->compilation, compilation, memory_order_relaxed);
    for (size_t i = 0; i < count; i++) {
        atomic_store_explicit(&entry->method[i], scopes[i].method, memory_order_relaxed);
        atomic_store_explicit(&entry->bci[i], scopes[i].bci, memory_order_relaxed);
    }
    atomic_store_explicit(&entry->count, (uint32_t)count, memory_order_relaxed);
    atomic_store_explicit(&entry->version, version + 2, memory_order_release);
}

size_t hotspot_scopes_at(struct hotspot_reader *reader, struct hotspot_scope_cache *cache, const struct hotspot_blob *blob,
                         uint64_t pc, bool exact, struct hotspot_scope scopes[HOTSPOT_SCOPES_MAX], bool *fresh)
{
    uint64_t compilation, key = pc << 1 | exact;
    *fresh = true;
    if (!cache || !hotspot_get(reader, blob->start, CODE_ID, &compilation))
        return find_scopes(reader, blob, pc, exact, scopes);
    /* Numbers of compilations begin anew for loops that were replaced while they ran: two of one number are at two places. */
    compilation ^= blob->start << 24;
    size_t count = recall(cache, key, compilation, scopes);
    *fresh = count == 0;
    if (*fresh) {
        count = find_scopes(reader, blob, pc, exact, scopes);
        if (count > 0)
            remember(cache, key, compilation, scopes, count);
    }
    return count;
}
