/* Functions that language runtimes told of, as they told of them (CODE entries). */
#include "import/session_state.h"

static struct slice text_of(const struct session_import *import, struct string_index text)
{
    return string_table_get(&import->process.code.strings, text);
}

struct func_index session_code_func(struct session_import *import, const struct known_code *code)
{
    struct profile *profile = import->profile;
    struct slice name = text_of(import, code->name), file = text_of(import, code->file);
    struct func func = {
        .name = session_text(import, name.length > 0 ? name : SLICE("(anonymous)")),
        .is_js = known_code_is_function(code),
        .resource = resource_none(),
        .source = source_none(),
        .line = code->line > 0 ? code->line : INDEX_NONE,
        .column = code->column > 0 ? code->column : INDEX_NONE,
        .original_location = location_none(),
    };
    if (file.length > 0) {
        struct source source = {STRING_NONE, session_text(import, file), 1, 1, STRING_NONE, STRING_NONE};
        func.source = string_exists(source.filename) ? source_table_add(&profile->sources, &source) : source_none();
        func.resource = location_script_resource(&import->locations, file);
        if (!source_exists(func.source) || !resource_exists(func.resource))
            return func_none();
    }
    import->any_runtime_frame = true;
    return string_exists(func.name) ? func_table_add(&profile->funcs, &func) : func_none();
}

/* ---- categories ---- */

static struct category_index category_of(struct session_import *import, enum runtime_kind runtime)
{
    switch (runtime) {
    case RUNTIME_HOTSPOT:
        return session_named_category(import, SLICE("Java"), SLICE("magenta"));
    case RUNTIME_PYTHON:
        return session_named_category(import, SLICE("Python"), SLICE("green"));
    default:
        return session_named_category(import, SLICE("JavaScript"), SLICE("yellow"));
    }
}

/* The subcategory of that name, added if it is new; INDEX_NONE when the heap is empty. */
static uint32_t subcategory_named(struct session_import *import, struct category_index index, const char *name)
{
    struct category *category = &import->profile->categories.rows.items[index.i];
    struct string_index text = session_text(import, slice_of(name));
    for (size_t i = 0; i < category->subcategories.count; i++)
        if (string_same(category->subcategories.items[i], text))
            return (uint32_t)i;
    if (!string_exists(text) || !vec_push(&category->subcategories, text))
        return INDEX_NONE;
    return (uint32_t)category->subcategories.count - 1;
}

struct category_index session_native_category(struct session_import *import)
{
    return import->process.code.rows.count > 0 ? session_named_category(import, SLICE("Native"), SLICE("blue"))
                                               : category_none();
}

bool session_code_frame(struct session_import *import, uint32_t row, uint64_t offset, enum frame_tier tier, struct frame *frame)
{
    const struct known_code *code = &import->process.code.rows.items[row];
    uint32_t line = code_index_line(&import->process.code, row, offset);
    if (line > 0)
        frame->line = line;
    frame->category = category_of(import, code->runtime);
    if (!category_exists(frame->category))
        return false;
    frame->subcategory =
        subcategory_named(import, frame->category, frame_tier_title(tier != TIER_NONE ? tier : (enum frame_tier)code->tier));
    return frame->subcategory != INDEX_NONE;
}
