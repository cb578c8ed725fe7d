/* Any request to the symbolication API: a path, a line end, and JSON. Of its two modules one is not there and the other is the
 * vdso, which is small and always there. What is answered is one JSON object; a source file never is, for neither names one. */
#include "target.h"

#include "common/json_reader.h"
#include "symbols/api.h"

static void check_answer(struct slice answer)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(answer, 0, false, &error);
    struct json_reader *reader = source ? json_reader_open(source, &error) : NULL;
    fuzz_check(reader);
    fuzz_check(json_begin_object(reader));
    for (struct slice key; json_next_key(reader, &key);) {
        fuzz_check(!slice_is(key, "source"));
        json_skip(reader);
    }
    fuzz_check(json_finish(reader) == 0);
    json_reader_close(reader);
    byte_source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct api_module modules[] = {
        {{"[vdso]", 6}, {"[vdso]", 6}, {"[vdso]", 6}, {"", 0}, {"", 0}},
        {{"a.so", 4}, {"/nowhere/a.so", 13}, {"a.so", 4}, {"AB0", 3}, {"ab", 2}},
    };
    static const struct symbol_search search = {.debug_folder = "/nowhere"};
    static const struct source_search sources;
    const struct symbol_api api = {&search, &sources, modules, 2, 0};
    struct slice input = {(const char *)data, size};
    const char *line_end = size > 0 ? memchr(input.text, '\n', size) : NULL;
    size_t path_length = line_end ? (size_t)(line_end - input.text) : size;
    struct slice request = slice_from(input, line_end ? path_length + 1 : size);
    struct text_buffer answer = {0};
    fuzz_check(symbol_api_answer(&api, slice_until(input, path_length), request, &answer) == 0);
    check_answer(text_slice(&answer));
    text_free(&answer);
    return 0;
}
