#include "import/file_lib.h"

#include "profile/module_ids.h"

struct slice file_lib_name(struct slice path)
{
    const char *slash = path.length > 0 ? memrchr(path.text, '/', path.length) : NULL;
    return slash ? slice_from(path, (size_t)(slash - path.text) + 1) : path;
}

bool file_lib_describe(struct profile *profile, struct slice path, struct slice code_id, struct lib *lib)
{
    struct string_table *strings = &profile->strings;
    char bytes[MODULE_ID_BYTES], id[2 * BREAKPAD_ID_BYTES + 2] = "";
    struct slice build_id = module_build_id(code_id, SLICE(""), bytes);
    struct string_index name = string_table_add(strings, file_lib_name(path)), whole = string_table_add(strings, path);
    *lib = (struct lib){
        .name = name,
        .path = whole,
        .debug_name = name,
        .debug_path = whole,
        .breakpad_id = string_table_add(strings, build_id.length > 0 ? module_breakpad_id(build_id, id) : SLICE("")),
        .code_id = build_id.length > 0 ? string_table_add(strings, code_id) : STRING_NONE,
        .arch = STRING_NONE,
    };
    return string_exists(name) && string_exists(whole) && string_exists(lib->breakpad_id) &&
           string_exists(lib->code_id) == (build_id.length > 0);
}
