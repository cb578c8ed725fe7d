#include "symbols/module.h"

#include "symbols/cache.h"
#include "symbols/debug_file.h"
#include "symbols/symbol_source.h"

#include <errno.h>

static symbol_source *const sources[] = {
    jit_symbols,
    kernel_symbols,
    file_symbols,
};

static int look_up(const struct symbol_search *search, const struct symbol_request *request, struct symbol_answers *answers,
                   struct symbol_outcome *outcome, struct error *error)
{
    *outcome = (struct symbol_outcome){.status = SYMBOLS_NO_FILE};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        int result = sources[i](search, request, answers, outcome, error);
        if (result < 0)
            return result;
        if (result == SYMBOLS_ANSWERED)
            break;
    }
    return 0;
}

/* ---- how much can be found ---- */

/* What the files that are there now promise. Answers from the cache are as good as new ones unless there is more now. */
enum reach {
    REACH_NOTHING,
    REACH_EXPORTS,
    REACH_NAMES,
    REACH_PARTS, /* debug information of which a part is missing */
    REACH_ALL,
};

static bool either_has(const struct module_files *files, const char *section)
{
    return (files->file && elf_file_has(files->file, section)) || (files->debug && elf_file_has(files->debug, section));
}

static enum reach reach_of(const struct module_files *files)
{
    struct elf_file *dwarf = module_files_dwarf(files);
    struct slice link, build_id;
    if (dwarf)
        return !files->alternate && elf_file_alternate_link(dwarf, &link, &build_id) ? REACH_PARTS : REACH_ALL;
    if (either_has(files, ".symtab") || either_has(files, ".gnu_debugdata"))
        return REACH_NAMES;
    return either_has(files, ".dynsym") ? REACH_EXPORTS : REACH_NOTHING;
}

/* *certain: the files say which build they are. What stands for a build id where there is none is not enough to trust answers
 * of another day. */
static int find_reach(const struct symbol_search *search, const struct symbol_request *request, enum reach *reach,
                      bool *certain, struct error *error)
{
    struct module_files files = {0};
    struct symbol_outcome ignored = {0};
    int result = module_files_find(search, request, &files, &ignored, error);
    *reach = reach_of(&files);
    *certain =
        (files.file && elf_file_build_id(files.file).length > 0) || (files.debug && elf_file_build_id(files.debug).length > 0);
    module_files_close(&files);
    return result;
}

/* ---- the cache ---- */

/* Opens what the cache has, if that is as good as what could be found now. Where all there ever was has been read before, no
 * other file is looked at. */
static int open_cache(const struct symbol_search *search, const struct symbol_request *request, struct symbol_cache *cache,
                      bool *known, struct error *error)
{
    enum reach reach;
    bool certain;
    int result = 0;
    *known = symbol_cache_open(search->cache_folder, request->build_id, cache);
    if (*known && cache->worth.reach < REACH_ALL) {
        result = find_reach(search, request, &reach, &certain, error);
        *known = result == 0 && reach <= cache->worth.reach;
    }
    if (*known && cache->worth.status <= SYMBOLS_EXPORTS_ONLY)
        return result;
    *known = false;
    symbol_cache_close(cache);
    return result;
}

/* Nothing is kept that was found while something was wrong. */
static int keep(const struct symbol_search *search, const struct symbol_request *request, const struct symbol_cache *cache,
                const struct symbol_answers *found, const struct symbol_outcome *outcome, struct error *error)
{
    enum reach reach;
    bool certain;
    if (outcome->status > SYMBOLS_EXPORTS_ONLY || outcome->detail[0])
        return 0;
    int result = find_reach(search, request, &reach, &certain, error);
    if (result < 0 || !certain || (cache && cache->worth.reach != reach))
        return result;
    struct symbol_cache_worth worth = {outcome->status, reach};
    if (cache && cache->worth.status < worth.status)
        worth.status = cache->worth.status;
    symbol_cache_keep(search->cache_folder, request->build_id, worth, cache, request->addresses, request->address_count, found);
    return 0;
}

/* The addresses that the cache does not know. */
static int look_up_rest(const struct symbol_search *search, const struct symbol_request *request,
                        const struct symbol_cache *cache, const symbol_addresses *missing, struct symbol_answers *answers,
                        struct symbol_outcome *outcome, struct error *error)
{
    struct symbol_answers found = {0};
    struct symbol_request rest = *request;
    rest.addresses = missing->items;
    rest.address_count = missing->count;
    int result = look_up(search, &rest, &found, outcome, error);
    if (result == 0)
        result = keep(search, &rest, cache, &found, outcome, error);
    if (result == 0 && !symbol_answers_add(answers, &found))
        result = error_out_of_memory(error);
    if (outcome->status > cache->worth.status)
        outcome->status = (enum symbol_status)cache->worth.status;
    symbol_answers_free(&found);
    return result;
}

/* SYMBOLS_NOT_MINE where the cache is of no use. */
static int look_into_cache(const struct symbol_search *search, const struct symbol_request *request,
                           struct symbol_answers *answers, struct symbol_outcome *outcome, struct error *error)
{
    struct symbol_cache cache;
    symbol_addresses missing = {0};
    struct error damaged = {0};
    bool known;
    int result = open_cache(search, request, &cache, &known, error);
    if (result < 0 || !known)
        return result < 0 ? result : SYMBOLS_NOT_MINE;
    result = symbol_cache_read(&cache, request->addresses, request->address_count, answers, &missing, &damaged);
    if (result == -EBADMSG) {
        symbol_answers_free(answers);
        result = SYMBOLS_NOT_MINE;
    } else if (result < 0) {
        result = error_out_of_memory(error);
    } else {
        *outcome = (struct symbol_outcome){.status = (enum symbol_status)cache.worth.status, .cached = missing.count == 0};
        if (missing.count > 0)
            result = look_up_rest(search, request, &cache, &missing, answers, outcome, error);
        if (result == 0)
            result = SYMBOLS_ANSWERED;
    }
    vec_free(&missing);
    if (result == SYMBOLS_NOT_MINE)
        symbol_cache_close(&cache);
    else
        symbol_cache_give(&cache, answers);
    return result;
}

int module_symbols(const struct symbol_search *search, const struct symbol_request *request, struct symbol_answers *answers,
                   struct symbol_outcome *outcome, struct error *error)
{
    /* Names in brackets stand for what is in no file, and takes no time. */
    bool cached = search->cache_folder && request->build_id.length > 0 && !slice_starts_with(request->name, SLICE("["));
    int result = cached ? look_into_cache(search, request, answers, outcome, error) : SYMBOLS_NOT_MINE;
    if (result != SYMBOLS_NOT_MINE)
        return result < 0 ? result : 0;
    result = look_up(search, request, answers, outcome, error);
    if (result == 0 && cached)
        result = keep(search, request, NULL, answers, outcome, error);
    return result;
}
