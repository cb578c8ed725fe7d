#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api_support.h"

#include "symbols/elf_symbols.h"

#include <stdio.h>

char program_code_id[2 * MODULE_ID_BYTES + 1], program_id[2 * BREAKPAD_ID_BYTES + 2];
uint64_t draw_start, draw_size;
const struct symbol_search search;
const struct source_search sources;
struct api_module modules[2];
const struct symbol_api api = {&search, &sources, modules, 2, 0};

int find_modules(void **state)
{
    (void)state;
    struct elf_file *file;
    struct error error = {0};
    struct elf_symbol symbol;
    enum elf_symbol_tables tables;
    modules[0] = (struct api_module){
        .name = SLICE("libblend.so"),
        .path = SLICE(BLEND),
        .debug_name = SLICE("libblend.so"),
        .breakpad_id = SLICE(BLEND_ID),
        .code_id = SLICE(BLEND_CODE_ID),
    };
    if (elf_file_open(NULL, PROGRAM, &file, &error) != 0)
        return -1;
    module_code_id(elf_file_build_id(file), program_code_id);
    module_breakpad_id(elf_file_build_id(file), program_id);
    const struct elf_section *text = elf_file_section_named(file, ".text");
    for (uint64_t address = text->address; address < text->address + text->size; address++)
        if (elf_symbols_find(file, NULL, &address, 1, &symbol, &tables, &error) == 0 && slice_is(symbol.name, "draw")) {
            draw_start = symbol.start;
            draw_size = symbol.size;
        }
    elf_file_close(file);
    modules[1] = (struct api_module){
        .name = SLICE("libprogram.so"),
        .path = SLICE(PROGRAM),
        .debug_name = SLICE("libprogram.so"),
        .breakpad_id = slice_of(program_id),
        .code_id = slice_of(program_code_id),
    };
    return draw_size > 0 ? 0 : -1;
}

static struct text_buffer response;

const char *ask_slice(const char *path, struct slice request)
{
    text_cut(&response, 0);
    assert_int_equal(symbol_api_answer(&api, slice_of(path), request, &response), 0);
    text_add_char(&response, '\0');
    assert_false(response.failed);
    return response.bytes.items;
}

const char *ask(const char *path, const char *format, ...)
{
    char request[8192];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(request, sizeof request, format, arguments);
    va_end(arguments);
    assert_in_range(length, 0, sizeof request - 1);
    return ask_slice(path, slice_of(request));
}

void assert_refused(const char *answer)
{
    if (!answer || strncmp(answer, "{\"error\":\"", 10) != 0)
        fail_msg("not refused: %.200s", answer ? answer : "nothing");
}

void assert_says(const char *answer, const char *part)
{
    if (!answer || !strstr(answer, part))
        fail_msg("%s\nis not in\n%.2000s", part, answer ? answer : "nothing");
}

int forget_answer(void **state)
{
    (void)state;
    text_free(&response);
    return 0;
}
