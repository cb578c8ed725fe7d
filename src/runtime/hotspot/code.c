#include "runtime/hotspot/code.h"

#include <string.h>

static uint64_t get(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void set(_Atomic uint64_t *value, uint64_t to)
{
    atomic_store_explicit(value, to, memory_order_relaxed);
}

/* Only upwards: another thread may have seen more in the meantime. */
static void raise_to(_Atomic uint64_t *value, uint64_t to)
{
    uint64_t now = get(value);
    while (now < to && !atomic_compare_exchange_weak_explicit(value, &now, to, memory_order_release, memory_order_relaxed))
        ;
}

static bool read_variable(struct hotspot_reader *reader, enum hotspot_variable variable, uint64_t *value)
{
    uint64_t address = reader->layout->variable[variable];
    return address && hotspot_read(reader, address, value, sizeof *value) && *value;
}

static bool read_space(struct hotspot_reader *reader, uint64_t heap, enum hotspot_field space, uint64_t *low, uint64_t *high)
{
    uint64_t at = heap + reader->layout->field[space].offset;
    return hotspot_get(reader, at, SPACE_LOW, low) && hotspot_get(reader, at, SPACE_HIGH, high) && *low && *low <= *high;
}

/* What is read directly from now on. After a seccomp filter the kernel is not asked. */
static bool is_mapped(struct hotspot_reader *reader, uint64_t low, uint64_t high)
{
    uint8_t byte;
    return !reader->code->is_own || low == high || !reader->memory->copy ||
           (unwind_memory_copy(&byte, low, 1) == 1 && unwind_memory_copy(&byte, high - 1, 1) == 1);
}

/* Whoever is later writes the same again, or more. */
static bool read_heap(struct hotspot_reader *reader, uint64_t address, struct hotspot_heap *heap)
{
    uint64_t low, high, segments_low, segments_high, bits;
    if (!read_space(reader, address, HEAP_MEMORY, &low, &high) ||
        !read_space(reader, address, HEAP_SEGMENTS, &segments_low, &segments_high) ||
        !hotspot_get(reader, address, HEAP_SEGMENT_BITS, &bits) || bits < 4 || bits > 16 || !is_mapped(reader, low, high) ||
        !is_mapped(reader, segments_low, segments_high))
        return false;
    set(&heap->low, low);
    set(&heap->segments_low, segments_low);
    set(&heap->segment_bits, bits);
    raise_to(&heap->segments_high, segments_high);
    raise_to(&heap->high, high);
    return true;
}

static bool read_heaps(struct hotspot_reader *reader)
{
    struct hotspot_code *code = reader->code;
    uint64_t vector, count, data, heap;
    uint32_t found = 0;
    if (!read_variable(reader, VARIABLE_HEAPS, &vector) || !hotspot_get(reader, vector, VECTOR_LENGTH, &count) ||
        !hotspot_get(reader, vector, VECTOR_DATA, &data) || count > HOTSPOT_HEAPS_MAX)
        return false;
    while (found < count && hotspot_read(reader, data + 8 * found, &heap, sizeof heap) &&
           read_heap(reader, heap, &code->heaps[found]))
        found++;
    /* Release: a heap that is counted is filled in. Never fewer: they are made one after the other, while the VM starts. */
    uint32_t known = atomic_load_explicit(&code->heap_count, memory_order_relaxed);
    while (known < found &&
           !atomic_compare_exchange_weak_explicit(&code->heap_count, &known, found, memory_order_release, memory_order_relaxed))
        ;
    return found > 0;
}

bool hotspot_code_ready(struct hotspot_reader *reader)
{
    struct hotspot_code *code = reader->code;
    uint64_t value;
    if (!get(&code->high)) {
        uint64_t low, high;
        if (!read_variable(reader, VARIABLE_LOW, &low) || !read_variable(reader, VARIABLE_HIGH, &high) || low >= high)
            return false;
        set(&code->low, low);
        raise_to(&code->high, high);
    }
    /* Comes some time later, while the VM starts. */
    if (!get(&code->call_stub_return) && read_variable(reader, VARIABLE_CALL_STUB_RETURN, &value))
        set(&code->call_stub_return, value);
    return true;
}

/* The names tell the kinds; what is not known here is a stub, and so is code whose name cannot be read. */
static enum hotspot_blob_kind kind_of_name(struct hotspot_reader *reader, uint64_t address)
{
    static const struct {
        const char *start;
        enum hotspot_blob_kind kind;
    } kinds[] = {
        {"nmethod", BLOB_COMPILED},
        {"native nmethod", BLOB_NATIVE_WRAPPER},
        {"Interpreter", BLOB_INTERPRETER},
        {"vtable chunks", BLOB_VTABLE},
        {"InlineCacheBuffer", BLOB_VTABLE},
        {"I2C/C2I adapters", BLOB_ADAPTER},
        {"MethodHandles adapters", BLOB_ADAPTER},
        {"StubRoutines (continuation", BLOB_CONTINUATION},
        {"ExceptionBlob", BLOB_EXCEPTION},
        {"SafepointBlob", BLOB_SAFEPOINT},
    };
    char text[32];
    if (!hotspot_read_text(reader, address, text, sizeof text))
        return BLOB_OTHER;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(text, kinds[i].start, strlen(kinds[i].start)) == 0)
            return kinds[i].kind;
    return BLOB_OTHER;
}

/* What the name says; false: there is no room to remember it. */
static bool kind_at(struct hotspot_reader *reader, uint64_t name, enum hotspot_blob_kind *kind)
{
    enum { PROBES = 8 };
    struct hotspot_code *code = reader->code;
    for (size_t i = 0; i < PROBES; i++) {
        _Atomic uint64_t *slot = &code->names[((name * UINT64_C(0x9e3779b97f4a7c15) >> 56) + i) % HOTSPOT_NAMES_MAX];
        uint64_t known = get(slot);
        *kind = (enum hotspot_blob_kind)(known & ((1 << HOTSPOT_KIND_BITS) - 1));
        if (known >> HOTSPOT_KIND_BITS == (name & UINT64_MAX >> HOTSPOT_KIND_BITS) && known != 0)
            return true;
        if (known == 0) {
            *kind = kind_of_name(reader, name);
            uint64_t nobody = 0, entry = name << HOTSPOT_KIND_BITS | *kind;
            if (atomic_compare_exchange_strong_explicit(slot, &nobody, entry, memory_order_relaxed, memory_order_relaxed) ||
                nobody == entry)
                return true;
        }
    }
    *kind = kind_of_name(reader, name);
    return false;
}

uint64_t hotspot_names_next(const struct hotspot_code *code, uint64_t seen[HOTSPOT_NAMES_MAX / 64])
{
    for (size_t i = 0; i < HOTSPOT_NAMES_MAX; i++) {
        uint64_t known = get(&code->names[i]);
        enum hotspot_blob_kind kind = (enum hotspot_blob_kind)(known & ((1 << HOTSPOT_KIND_BITS) - 1));
        if (known == 0 || seen[i / 64] >> i % 64 & 1)
            continue;
        seen[i / 64] |= (uint64_t)1 << i % 64;
        if (kind != BLOB_COMPILED && kind != BLOB_NATIVE_WRAPPER)
            return known >> HOTSPOT_KIND_BITS;
    }
    return 0;
}

/* The block that holds the address: where its header is. */
static bool block_at(struct hotspot_reader *reader, const struct hotspot_heap *heap, uint64_t address, uint64_t *block)
{
    enum { FREE = 0xff, STEPS_MAX = 100000 };
    uint64_t low = get(&heap->low), bits = get(&heap->segment_bits) & 31, segments = get(&heap->segments_low);
    uint64_t count = get(&heap->segments_high) - segments;
    uint64_t segment = (address - low) >> bits;
    for (size_t i = 0; i < STEPS_MAX; i++) {
        uint8_t back;
        if (segment >= count)
            return false;
        if (reader->code->is_own)
            back = unwind_memory_byte(segments + segment);
        else if (!hotspot_read(reader, segments + segment, &back, sizeof back))
            return false;
        if (back == FREE)
            return false;
        if (back == 0) {
            *block = low + (segment << bits);
            return true;
        }
        if (back > segment)
            return false;
        segment -= back;
    }
    return false;
}

/* The heap that the address is in, as far as it is known: heaps grow, and their segments a moment later. */
static const struct hotspot_heap *heap_at(const struct hotspot_code *code, uint64_t address)
{
    uint32_t count = atomic_load_explicit(&code->heap_count, memory_order_acquire);
    for (uint32_t i = 0; i < count && i < HOTSPOT_HEAPS_MAX; i++) {
        const struct hotspot_heap *heap = &code->heaps[i];
        uint64_t low = get(&heap->low), segments = get(&heap->segments_high) - get(&heap->segments_low);
        if (address >= low && address < atomic_load_explicit(&heap->high, memory_order_acquire) &&
            (address - low) >> (get(&heap->segment_bits) & 31) < segments)
            return heap;
    }
    return NULL;
}

bool hotspot_blob_at(struct hotspot_reader *reader, uint64_t pc, struct hotspot_blob *blob)
{
    const struct hotspot_layout *layout = reader->layout;
    const struct hotspot_heap *heap = heap_at(reader->code, pc);
    uint64_t block, used, name, words, complete, offset;
    if (!heap && read_heaps(reader))
        heap = heap_at(reader->code, pc);
    if (!heap || !block_at(reader, heap, pc, &block) || !hotspot_get(reader, block, BLOCK_USED, &used) || used == 0)
        return false;
    memset(blob, 0, sizeof *blob);
    blob->start = block + layout->size[SIZE_BLOCK];
    if (!hotspot_get(reader, blob->start, BLOB_NAME, &name) || !hotspot_get(reader, blob->start, BLOB_FRAME_WORDS, &words) ||
        !hotspot_get(reader, blob->start, BLOB_FRAME_COMPLETE, &complete))
        return false;
    if (hotspot_get(reader, blob->start, BLOB_CODE_OFFSET, &offset))
        blob->code = blob->start + offset;
    else if (!hotspot_get(reader, blob->start, BLOB_CODE, &blob->code))
        return false;
    blob->name = kind_at(reader, name, &blob->kind) ? name : 0;
    blob->frame_words = (int64_t)words > 0 && words < 1 << 20 ? (uint32_t)words : 0;
    blob->frame_complete = (int32_t)complete;
    return true;
}
