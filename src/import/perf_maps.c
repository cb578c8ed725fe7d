#include "import/perf_maps.h"

#include "import/file_lib.h"

/* ---- a record ---- */

struct map_line {
    uint64_t pid, start, size, offset;
    struct slice build_id, path;
};

/* What is left of a line. */
struct rest {
    struct slice text;
};

static bool take(struct rest *rest, struct slice word)
{
    if (!slice_starts_with(rest->text, word))
        return false;
    rest->text = slice_from(rest->text, word.length);
    return true;
}

/* The characters before the next of `end`, which is taken, too. */
static bool take_until(struct rest *rest, char end, struct slice *taken)
{
    const char *at = rest->text.length > 0 ? memchr(rest->text.text, end, rest->text.length) : NULL;
    if (!at)
        return false;
    *taken = slice_until(rest->text, (size_t)(at - rest->text.text));
    rest->text = slice_from(rest->text, taken->length + 1);
    return true;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* `7`, `0x55d0000`; what is zero is written `0`. Below 2^63. */
static bool take_number(struct rest *rest, uint64_t *number)
{
    uint64_t base = take(rest, SLICE("0x")) ? 16 : 10;
    size_t count = 0;
    *number = 0;
    while (count < rest->text.length && (uint64_t)digit_of(rest->text.text[count]) < base) {
        if (*number > (INT64_MAX - base) / base)
            return false;
        *number = *number * base + (uint64_t)digit_of(rest->text.text[count++]);
    }
    rest->text = slice_from(rest->text, count);
    return count > 0;
}

/* Behind the offset: the device, inode and generation of the file, or its build id. */
static struct slice build_id_of(struct slice file)
{
    struct rest rest = {file};
    struct slice id;
    return take(&rest, SLICE(" <")) && take_until(&rest, '>', &id) ? id : SLICE("");
}

/* False for what maps no code of a file. */
static bool parse(struct slice text, struct map_line *line)
{
    static const struct slice deleted = {" (deleted)", 10};
    struct slice mark = SLICE(": PERF_RECORD_MMAP"), tid, file, protection;
    const char *at = memmem(text.text, text.length, mark.text, mark.length);
    if (!at)
        return false;
    struct rest rest = {slice_from(text, (size_t)(at - text.text) + mark.length)};
    take(&rest, SLICE("2"));
    if (!take(&rest, SLICE(" ")) || !take_number(&rest, &line->pid) || !take(&rest, SLICE("/")) ||
        !take_until(&rest, '[', &tid) || !take_number(&rest, &line->start) || !take(&rest, SLICE("(")) ||
        !take_number(&rest, &line->size) || !take(&rest, SLICE(") @ ")) || !take_number(&rest, &line->offset) ||
        !take_until(&rest, ']', &file) || !take(&rest, SLICE(": ")) || !take_until(&rest, ' ', &protection))
        return false;
    line->build_id = build_id_of(file);
    line->path = rest.text;
    while (line->path.length > 0 && strchr("\r\n", line->path.text[line->path.length - 1]))
        line->path.length--;
    if (slice_ends_with(line->path, deleted))
        line->path.length -= deleted.length;
    bool is_file = slice_starts_with(line->path, SLICE("/")) && !slice_starts_with(line->path, SLICE("//"));
    return memchr(protection.text, 'x', protection.length) && (is_file || slice_is(line->path, "[vdso]")) &&
           line->size <= INT64_MAX - line->start && line->size <= INT64_MAX - line->offset;
}

/* ---- modules and maps ---- */

static uint32_t find_module(struct perf_maps *maps, struct string_index path, struct string_index code_id)
{
    uint64_t hash = hash_combine(path.i, code_id.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&maps->module_of_path, hash); map_probe_next(&probe, &row);)
        if (string_same(maps->modules.items[row].path, path) && string_same(maps->modules.items[row].code_id, code_id))
            return row;
    row = (uint32_t)maps->modules.count;
    struct perf_module module = {path, code_id, lib_none()};
    return vec_push(&maps->modules, module) && map_insert(&maps->module_of_path, hash, row) ? row : INDEX_NONE;
}

static uint64_t hash_of_process(uint64_t pid, struct string_index path)
{
    return hash_combine(pid + 1, path.i);
}

/* A file is looked at once for each of its pieces, however many processes have it. */
static uint64_t address_of(struct perf_maps *maps, const struct string_table *strings, uint32_t module, uint64_t offset)
{
    struct string_index path = maps->modules.items[module].path;
    uint32_t row;
    for (struct map_probe probe = map_probe(&maps->by_path, hash_u64(path.i)); map_probe_next(&probe, &row);)
        if (maps->rows.items[row].module == module && maps->rows.items[row].offset == offset)
            return maps->rows.items[row].address;
    const struct import_files *files = &maps->files;
    return files->address_of_offset ? files->address_of_offset(files->context, string_table_get(strings, path), offset)
                                    : offset;
}

bool perf_maps_add(struct perf_maps *maps, struct string_table *strings, struct slice text)
{
    struct map_line line;
    if (!parse(text, &line))
        return true;
    struct string_index path = string_table_add(strings, line.path);
    struct string_index code_id = line.build_id.length > 0 ? string_table_add(strings, line.build_id) : STRING_NONE;
    if (!string_exists(path) || (line.build_id.length > 0 && !string_exists(code_id)))
        return false;
    uint32_t module = find_module(maps, path, code_id), row = (uint32_t)maps->rows.count;
    if (module == INDEX_NONE)
        return false;
    uint64_t address = address_of(maps, strings, module, line.offset);
    struct perf_map map = {line.pid, line.start, line.size, line.offset, address, module};
    return vec_push(&maps->rows, map) && map_insert(&maps->by_path, hash_u64(path.i), row) &&
           map_insert(&maps->by_path, hash_of_process(line.pid, path), row);
}

/* ---- addresses ---- */

static bool is_mapped(const struct perf_map *map, uint64_t address)
{
    return address >= map->start && address - map->start < map->size;
}

static bool is_in_file(const struct perf_map *map, uint64_t address)
{
    return address >= map->offset && address - map->offset < map->size;
}

/* The last of the maps of `path` that has the address, of one process or (without `pid`) of any; else one that has it in its
 * file. */
static uint32_t find_map(const struct perf_maps *maps, const uint64_t *pid, struct string_index path, uint64_t address)
{
    uint32_t mapped = INDEX_NONE, in_file = INDEX_NONE, row;
    uint64_t hash = pid ? hash_of_process(*pid, path) : hash_u64(path.i);
    for (struct map_probe probe = map_probe(&maps->by_path, hash); map_probe_next(&probe, &row);) {
        const struct perf_map *map = &maps->rows.items[row];
        if (!string_same(maps->modules.items[map->module].path, path) || (pid && map->pid != *pid))
            continue;
        if (is_mapped(map, address))
            mapped = mapped == INDEX_NONE || row > mapped ? row : mapped;
        else if (is_in_file(map, address))
            in_file = in_file == INDEX_NONE || row > in_file ? row : in_file;
    }
    return mapped != INDEX_NONE ? mapped : in_file;
}

bool perf_maps_find(struct perf_maps *maps, const struct string_table *strings, uint64_t pid, struct slice path,
                    uint64_t address, uint32_t *module, uint64_t *relative)
{
    *module = INDEX_NONE;
    struct string_index string = maps->rows.count > 0 ? string_table_find(strings, path) : STRING_NONE;
    if (!string_exists(string))
        return true;
    uint32_t row = find_map(maps, &pid, string, address);
    /* A process that began with a fork has the maps of its parent, of which no record tells. */
    if (row == INDEX_NONE && (row = find_map(maps, NULL, string, address)) != INDEX_NONE) {
        struct perf_map map = maps->rows.items[row];
        map.pid = pid;
        row = (uint32_t)maps->rows.count;
        if (!vec_push(&maps->rows, map) || !map_insert(&maps->by_path, hash_of_process(pid, string), row))
            return false;
    }
    if (row == INDEX_NONE)
        return true;
    const struct perf_map *map = &maps->rows.items[row];
    uint64_t offset = is_mapped(map, address) ? address - map->start + map->offset : address;
    *module = map->module;
    *relative = offset - map->offset + map->address;
    return true;
}

/* ---- libraries ---- */

struct lib_index perf_maps_lib(struct perf_maps *maps, struct profile *profile, uint32_t module)
{
    struct perf_module *row = &maps->modules.items[module];
    struct slice code_id = string_exists(row->code_id) ? profile_text(profile, row->code_id) : SLICE("");
    struct lib lib;
    if (!lib_exists(row->lib) && file_lib_describe(profile, profile_text(profile, row->path), code_id, &lib))
        row->lib = lib_table_append(&profile->libs, &lib);
    return row->lib;
}

void perf_maps_free(struct perf_maps *maps)
{
    vec_free(&maps->rows);
    vec_free(&maps->modules);
    map_free(&maps->by_path);
    map_free(&maps->module_of_path);
}
