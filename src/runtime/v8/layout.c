#include "runtime/v8/layout.h"

/* Far enough for any frame of V8, whose words are close to its frame pointer. */
enum { FARTHEST = -256, WORD_BYTES = 8, WORD_BITS = 64 };

static bool read_int(const struct module_names *names, const char *name, int32_t *value)
{
    uint64_t address = module_names_find(names, name, NULL), word;
    if (address == 0 || !unwind_memory_read(names->memory, address, &word))
        return false;
    *value = (int32_t)(uint32_t)word;
    return true;
}

static bool is_word(int32_t offset)
{
    return offset < 0 && offset >= FARTHEST && offset % WORD_BYTES == 0;
}

static bool check_words(const struct v8_words *words)
{
    return is_word(words->context_or_type) && is_word(words->bytecode_array) && is_word(words->bytecode_offset) &&
           words->object_tag > 0 && words->object_tag_mask >= words->object_tag && words->object_tag_mask < WORD_BYTES &&
           words->smi_shift > 0 && words->smi_shift < WORD_BITS;
}

bool v8_words_find(struct v8_words *words, const struct module_names *names)
{
    int32_t tag_bits = 0, more_bits = 0;
    *words = (struct v8_words){0};
    bool found = read_int(names, "v8dbg_SmiValueShift", &tag_bits) && read_int(names, "v8dbg_SmiShiftSize", &more_bits);
    words->smi_shift = found && tag_bits >= 0 && tag_bits < WORD_BITS && more_bits < WORD_BITS ? tag_bits + more_bits : 0;
    return read_int(names, "v8dbg_off_fp_context_or_frame_type", &words->context_or_type) &&
           read_int(names, "v8dbg_off_fp_bytecode_array", &words->bytecode_array) &&
           read_int(names, "v8dbg_off_fp_bytecode_offset", &words->bytecode_offset) &&
           read_int(names, "v8dbg_HeapObjectTag", &words->object_tag) &&
           read_int(names, "v8dbg_HeapObjectTagMask", &words->object_tag_mask) && check_words(words);
}

bool v8_layout_check(const struct v8_layout *layout)
{
    return check_words(&layout->words) && layout->head.name[RUNTIME_NAME_ROOM - 1] == '\0';
}
