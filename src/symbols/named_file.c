#include "symbols/named_file.h"

#include "symbols/api_file.h"

/* Whether a file of the debug information is the one that is asked for, by its path or by the name that the API gives it. */
static bool is_asked(const struct symbol_answers *answers, struct string_index path, struct slice file,
                     struct text_buffer *text)
{
    struct slice named = string_exists(path) ? symbol_text(answers, path) : SLICE("");
    return named.length > 0 && (slice_equal(named, file) || slice_equal(api_file_name(named, text), file));
}

struct string_index named_file_find(const struct symbol_answers *answers, uint64_t address, struct slice file,
                                    struct text_buffer *text)
{
    const struct symbol_answer *row = symbol_answers_find(answers, address);
    if (!row)
        return STRING_NONE;
    if (is_asked(answers, row->outer.file, file, text))
        return row->outer.file;
    for (uint32_t i = 0; i < row->inline_count; i++) {
        struct string_index inlined = answers->inlines.items[row->first_inline + i].file;
        if (is_asked(answers, inlined, file, text))
            return inlined;
    }
    return STRING_NONE;
}
