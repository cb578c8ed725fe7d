#include "symbols/cache.h"

#include "symbols/cache_format.h"
#include "symbols/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- the file ---- */

bool cache_key_of(const char *folder, struct slice build_id, struct cache_key *key)
{
    char digits[2 * MODULE_ID_BYTES + 1];
    if (!folder || build_id.length == 0)
        return false;
    memset(key->build_id, 0, sizeof key->build_id);
    memcpy(key->build_id, build_id.text, build_id.length < BREAKPAD_ID_BYTES ? build_id.length : BREAKPAD_ID_BYTES);
    module_code_id((struct slice){key->build_id, BREAKPAD_ID_BYTES}, digits);
    int length = snprintf(key->path, sizeof key->path, "%s/%s", folder, digits);
    return length > 0 && (size_t)length < sizeof key->path;
}

void cache_version(char version[16])
{
    memset(version, 0, 16);
    snprintf(version, 16, "%s", SONDE_VERSION);
}

uint64_t cache_checksum(struct slice file)
{
    size_t start = offsetof(struct cache_header, checksum) + sizeof(uint64_t);
    return XXH3_64bits(file.text + start, file.length - start);
}

/* Sizes of 32-bit counts cannot overflow 64 bits. */
static bool lay_out(struct symbol_cache *cache)
{
    const struct cache_header *header = cache->header;
    const char *at = cache->bytes.text + sizeof *header;
    uint64_t size = sizeof *header + (uint64_t)header->address_count * (sizeof(uint64_t) + sizeof(struct cache_row)) +
                    (uint64_t)header->unknown_count * sizeof(uint64_t) +
                    (uint64_t)header->call_count * sizeof(struct cache_call) + (uint64_t)header->text_count * sizeof(uint32_t) +
                    header->text_bytes;
    if (size != cache->bytes.length)
        return false;
    cache->addresses = (const void *)at;
    at += header->address_count * sizeof(uint64_t);
    cache->rows = (const void *)at;
    at += header->address_count * sizeof(struct cache_row);
    cache->unknown = (const void *)at;
    at += header->unknown_count * sizeof(uint64_t);
    cache->calls = (const void *)at;
    at += header->call_count * sizeof(struct cache_call);
    cache->starts = (const void *)at;
    cache->texts = at + header->text_count * sizeof(uint32_t);
    return true;
}

bool symbol_cache_of_bytes(struct slice bytes, struct slice build_id, struct symbol_cache *cache)
{
    struct cache_key key;
    char version[16];
    *cache = (struct symbol_cache){.bytes = bytes, .header = (const void *)bytes.text};
    if (bytes.length < sizeof *cache->header || (uintptr_t)bytes.text % _Alignof(struct cache_header) != 0 ||
        !cache_key_of("", build_id, &key))
        return false;
    cache_version(version);
    if (memcmp(cache->header->magic, CACHE_MAGIC, sizeof cache->header->magic) != 0 ||
        memcmp(cache->header->version, version, sizeof version) != 0 ||
        memcmp(cache->header->build_id, key.build_id, sizeof key.build_id) != 0 || !lay_out(cache) ||
        cache->header->checksum != cache_checksum(bytes))
        return false;
    cache->worth = (struct symbol_cache_worth){cache->header->status, cache->header->reach};
    return true;
}

static struct slice map_file(int fd)
{
    struct stat status;
    struct slice bytes = {0};
    struct error ignored = {0};
    if (fstat(fd, &status) < 0 || status.st_size < (off_t)sizeof(struct cache_header) ||
        status.st_size > SYMBOL_CACHE_FILE_MOST || file_map(fd, true, &bytes, &ignored) < 0)
        return (struct slice){0};
    (void)!futimens(fd, NULL); /* it was used now: see cache_trim() */
    return bytes;
}

bool symbol_cache_open(const char *folder, struct slice build_id, struct symbol_cache *cache)
{
    struct cache_key key;
    *cache = (struct symbol_cache){0};
    int fd = cache_key_of(folder, build_id, &key) ? open(key.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return false;
    struct slice bytes = map_file(fd);
    close(fd);
    bool known = symbol_cache_of_bytes(bytes, build_id, cache);
    cache->mapped = bytes.text != NULL;
    if (!known)
        symbol_cache_close(cache);
    return known;
}

void symbol_cache_close(struct symbol_cache *cache)
{
    if (cache->mapped)
        file_unmap(cache->bytes);
    *cache = (struct symbol_cache){0};
}

void symbol_cache_give(struct symbol_cache *cache, struct symbol_answers *answers)
{
    if (cache->mapped)
        answers->mapped = cache->bytes;
    *cache = (struct symbol_cache){0};
}

/* ---- answers ---- */

struct taking {
    const struct symbol_cache *cache;
    struct symbol_answers *answers;
    uint32_t *texts; /* number + 1 in the answers of each text; 0 = not needed yet */
    uint32_t next_call;
};

/* The first row from `from` on whose address is not below `wanted`: steps that double, then a search in the last one. A batch
 * for all rows takes one step each, one for a few rows does not look at the rest. */
static size_t seek(const uint64_t *addresses, size_t count, size_t from, uint64_t wanted)
{
    size_t step = 1, low = from;
    while (step < count - from && addresses[from + step - 1] < wanted) {
        low = from + step;
        step *= 2;
    }
    size_t high = step < count - from ? from + step : count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (addresses[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A text is all in the file, with the NUL at its end; or NULL. */
static const char *text_at(const struct symbol_cache *cache, uint32_t number)
{
    uint32_t start = cache->starts[number], end = cache->header->text_bytes, length;
    if (start < sizeof length || start >= end)
        return NULL;
    memcpy(&length, cache->texts + start - sizeof length, sizeof length);
    return length < end - start && cache->texts[start + length] == '\0' ? cache->texts + start : NULL;
}

static int take_text(struct taking *taking, uint32_t number, struct string_index *out)
{
    *out = STRING_NONE;
    if (number == CACHE_TEXT_NONE)
        return 0;
    if (number >= taking->cache->header->text_count)
        return -EBADMSG;
    if (taking->texts[number] == 0) {
        const char *text = text_at(taking->cache, number);
        if (!text)
            return -EBADMSG;
        /* No text is twice in a file; and if one were, it would only have two numbers. */
        struct string_index index = string_table_borrow(&taking->answers->strings, text);
        if (!string_exists(index))
            return -ENOMEM;
        taking->texts[number] = index.i + 1;
    }
    *out = string_at(taking->texts[number] - 1);
    return 0;
}

static int take_call(struct taking *taking, const struct cache_call *call, struct symbol_call *out)
{
    out->line = call->line;
    int failed = take_text(taking, call->function, &out->function);
    if (!failed)
        failed = take_text(taking, call->mangled, &out->mangled);
    return failed ? failed : take_text(taking, call->file, &out->file);
}

static int take_row(struct taking *taking, size_t index)
{
    const struct cache_row *from = &taking->cache->rows[index];
    struct symbol_answers *answers = taking->answers;
    struct symbol_answer row = {
        .address = taking->cache->addresses[index],
        .symbol_start = from->symbol_start,
        .symbol_size = from->symbol_size,
        .first_inline = (uint32_t)answers->inlines.count,
        .inline_count = from->call_count,
    };
    uint32_t end;
    /* No two rows share calls, so that a small file cannot have endless answers. */
    if (from->first_call < taking->next_call || __builtin_add_overflow(from->first_call, from->call_count, &end) ||
        end > taking->cache->header->call_count)
        return -EBADMSG;
    taking->next_call = end;
    int failed = take_text(taking, from->symbol, &row.symbol);
    if (!failed)
        failed = take_text(taking, from->mangled, &row.mangled);
    if (!failed)
        failed = take_call(taking, &from->outer, &row.outer);
    for (uint32_t i = from->first_call; i < end && !failed; i++) {
        struct symbol_call call;
        failed = take_call(taking, &taking->cache->calls[i], &call);
        if (!failed && !vec_push(&answers->inlines, call))
            failed = -ENOMEM;
    }
    if (!failed && !vec_push(&answers->rows, row))
        failed = -ENOMEM;
    return failed;
}

/* For as many answers as there can be, so that the tables need not grow on the way. */
static bool make_room(const struct symbol_cache *cache, struct symbol_answers *answers, size_t count)
{
    const struct cache_header *header = cache->header;
    size_t rows = count < header->address_count ? count : header->address_count;
    return vec_reserve(&answers->rows, answers->rows.count + rows);
}

int symbol_cache_read(const struct symbol_cache *cache, const uint64_t *addresses, size_t count, struct symbol_answers *answers,
                      symbol_addresses *missing, struct error *error)
{
    struct taking taking = {.cache = cache, .answers = answers};
    size_t known = 0, known_count = cache->header->address_count;
    size_t unknown = 0, unknown_count = cache->header->unknown_count;
    int failed = 0;
    taking.texts = memory_zeroed(cache->header->text_count + (size_t)1, sizeof *taking.texts);
    if (!taking.texts || !make_room(cache, answers, count)) {
        memory_release(taking.texts);
        return error_out_of_memory(error);
    }
    for (size_t i = 0; i < count && !failed; i++) {
        if (i > 0 && addresses[i] <= addresses[i - 1])
            continue;
        known = seek(cache->addresses, known_count, known, addresses[i]);
        if (known < known_count && cache->addresses[known] == addresses[i]) {
            failed = take_row(&taking, known);
            continue;
        }
        unknown = seek(cache->unknown, unknown_count, unknown, addresses[i]);
        if (unknown == unknown_count || cache->unknown[unknown] != addresses[i])
            failed = vec_push(missing, addresses[i]) ? 0 : -ENOMEM;
    }
    memory_release(taking.texts);
    if (failed == -ENOMEM)
        return error_out_of_memory(error);
    return failed ? error_set(error, failed, "the cached symbols are damaged") : 0;
}
