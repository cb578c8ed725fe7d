#include "runtime/runtime.h"

bool runtime_read(struct runtime_walk *walk, uint64_t address, void *out, size_t length)
{
    struct unwind_memory *memory = walk->memory;
    if (unwind_memory_in_window(memory, address, length)) {
        uint8_t *bytes = out;
        size_t done = 0;
        for (; length - done >= sizeof(uint64_t); done += sizeof(uint64_t)) {
            uint64_t word = unwind_memory_word(address + done);
            memcpy(bytes + done, &word, sizeof word);
        }
        if (done < length && length >= sizeof(uint64_t)) {
            uint64_t word = unwind_memory_word(address + length - sizeof word);
            memcpy(bytes + length - sizeof word, &word, sizeof word);
            return true;
        }
        if (done == length)
            return true;
    }
    return memory->copy && unwind_memory_copy_of(memory->pid, out, address, length, &memory->error) == length;
}

uint32_t runtime_native_at(const struct raw_stack *raw, uint64_t address, uint32_t from)
{
    for (uint32_t i = from; i < raw->native_count; i++) {
        if (raw->native[i].sp <= address &&
            (i + 1 < raw->native_count ? raw->native[i + 1].sp > address : raw->end == UNWIND_COMPLETE))
            return i;
    }
    return UINT32_MAX;
}

bool runtime_add_frame(struct raw_stack *raw, const struct raw_runtime_frame *frame)
{
    if (raw->runtime_count == RAW_RUNTIME_MAX) {
        raw->cut = true;
        return false;
    }
    raw->runtime[raw->runtime_count++] = *frame;
    return true;
}
