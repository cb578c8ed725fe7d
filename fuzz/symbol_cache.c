/* Any bytes as a file of cached symbols whose header and checksum are right: what it says of some of its addresses, and of all.
 */
#include "target.h"

#include "symbols/cache.h"
#include "symbols/cache_format.h"

static const struct slice build_id = {"0123456789abcdef", 16};

/* False where the file makes no sense. */
static bool read_some(const struct symbol_cache *cache, const uint64_t *addresses, size_t count, size_t *rows)
{
    struct symbol_answers answers = {0};
    symbol_addresses missing = {0};
    struct error error = {0};
    int result = symbol_cache_read(cache, addresses, count, &answers, &missing, &error);
    if (result == 0) {
        fuzz_check(answers.rows.count + missing.count <= count);
        for (size_t i = 0; i < answers.rows.count; i++) {
            const struct symbol_answer *row = &answers.rows.items[i];
            fuzz_check(i == 0 || answers.rows.items[i - 1].address < row->address);
            fuzz_check(row->first_inline <= answers.inlines.count &&
                       row->inline_count <= answers.inlines.count - row->first_inline);
            fuzz_check(!string_exists(row->symbol) || row->symbol.i < string_table_count(&answers.strings));
        }
        for (size_t i = 0; i < string_table_count(&answers.strings); i++) {
            struct slice text = string_table_get(&answers.strings, string_at(i));
            fuzz_check(text.text[text.length] == '\0');
        }
    } else {
        fuzz_check(error.code == result && error.message[0]);
    }
    *rows = answers.rows.count;
    vec_free(&missing);
    symbol_answers_free(&answers);
    return result == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { NUMBERS = 6 * sizeof(uint32_t), START = sizeof(struct cache_header) - NUMBERS };
    static const uint64_t few[] = {0, 1, 0x1000, 0x1001, UINT64_MAX};
    struct cache_header header = {.magic = CACHE_MAGIC};
    struct symbol_cache cache;
    size_t rows;
    if (size < NUMBERS)
        return 0;
    size_t whole = START + size;
    char *file = malloc(whole);
    fuzz_check(file);
    memcpy(file + START, data, size);
    cache_version(header.version);
    memcpy(header.build_id, build_id.text, sizeof header.build_id);
    header.checksum = cache_checksum((struct slice){file, whole});
    memcpy(file, &header, START);
    if (symbol_cache_of_bytes((struct slice){file, whole}, build_id, &cache)) {
        read_some(&cache, few, sizeof few / sizeof *few, &rows);
        if (read_some(&cache, cache.addresses, cache.header->address_count, &rows))
            fuzz_check(rows <= cache.header->address_count);
    }
    free(file);
    return 0;
}
