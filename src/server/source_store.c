#include "server/source_store.h"

#include "common/clock.h"
#include "server/source_look.h"

#include <errno.h>
#include <pthread.h>

enum {
    STORE_MOST = 256,             /* entries … */
    STORE_MOST_BYTES = 256 << 20, /* … and bytes; a request has 32 asks of 4 MB */
    STORE_VAIN_MS = 5000,         /* what was in vain is tried again after that */
    ENTRY_PLACES = 8,
};

enum { UNKNOWN = 1 }; /* beside 0 and negative errnos */

enum entry_state { ENTRY_WANTED, ENTRY_LOOKED_FOR, ENTRY_DONE };

struct entry {
    enum entry_state state;
    uint64_t used, done_at; /* by the count of uses; ns */
    bool is_code, out_of_memory;
    struct source_wish source_wish; /* its texts are below */
    struct code_wish code_wish;
    struct code_place places[ENTRY_PLACES];
    struct text_buffer path;
    struct looked_source source;
    struct looked_code code;
};

struct source_store {
    const struct symbol_api *symbols;
    struct api_sources sources;
    pthread_mutex_t lock; /* of all that follows, and of entries that are not being looked for */
    pthread_cond_t done;
    VEC(struct entry *) entries;
    uint64_t uses;
};

static void entry_free(struct entry *entry)
{
    looked_source_free(&entry->source);
    looked_code_free(&entry->code);
    text_free(&entry->path);
    memory_release(entry);
}

/* ---- the side of the api ---- */

static bool is_in_vain(const struct entry *entry)
{
    return entry->out_of_memory || !(entry->is_code ? (void *)entry->code.found.arch : (void *)entry->source.found.origin);
}

static size_t entry_bytes(const struct entry *entry)
{
    return sizeof *entry + entry->source.file.size + entry->code.rows.capacity * sizeof *entry->code.rows.items +
           entry->code.listing.rows.capacity * sizeof *entry->code.listing.rows.items +
           string_table_bytes(&entry->code.listing.strings);
}

static void drop(struct source_store *store, size_t number)
{
    entry_free(store->entries.items[number]);
    store->entries.items[number] = store->entries.items[--store->entries.count];
}

/* Room for one more. */
static void trim(struct source_store *store)
{
    for (;;) {
        size_t bytes = 0, oldest = SIZE_MAX;
        for (size_t i = 0; i < store->entries.count; i++) {
            const struct entry *entry = store->entries.items[i];
            if (entry->state != ENTRY_DONE)
                continue;
            bytes += entry_bytes(entry);
            if (oldest == SIZE_MAX || entry->used < store->entries.items[oldest]->used)
                oldest = i;
        }
        if (oldest == SIZE_MAX || (store->entries.count < STORE_MOST && bytes <= STORE_MOST_BYTES))
            return;
        drop(store, oldest);
    }
}

/* Takes `entry` over. */
static int add(struct source_store *store, struct entry *entry)
{
    trim(store);
    entry->used = ++store->uses;
    if (!entry->path.failed && vec_push(&store->entries, entry))
        return -EAGAIN;
    entry_free(entry);
    return -ENOMEM;
}

/* 0 where the entry is of use, UNKNOWN where it was too old and is gone, or why it is of no use. */
static int use(struct source_store *store, size_t number)
{
    struct entry *entry = store->entries.items[number];
    bool out_of_memory = entry->out_of_memory;
    entry->used = ++store->uses;
    if (entry->state != ENTRY_DONE)
        return -EAGAIN;
    if (is_in_vain(entry) && clock_read(CLOCK_MONOTONIC) - entry->done_at > STORE_VAIN_MS * UINT64_C(1000000)) {
        drop(store, number);
        return UNKNOWN;
    }
    if (!out_of_memory)
        return 0;
    drop(store, number);
    return -ENOMEM;
}

static bool same_code(const struct code_wish *a, const struct code_wish *b)
{
    return a->lib.i == b->lib.i && a->start == b->start && a->size == b->size && a->until_end == b->until_end &&
           a->att == b->att;
}

/* An entry for one of the two wishes; the other one is NULL. */
static bool is_for(const struct entry *entry, const struct source_wish *source, const struct code_wish *code)
{
    if (code)
        return entry->is_code && same_code(&entry->code_wish, code);
    return !entry->is_code && slice_equal(entry->source_wish.path, source->path);
}

static struct entry *entry_make(const struct source_wish *source, const struct code_wish *code)
{
    struct entry *entry = memory_zeroed(1, sizeof *entry);
    if (!entry)
        return NULL;
    if (code) {
        entry->is_code = true;
        entry->code_wish = *code;
        return entry;
    }
    size_t count = source->place_count < ENTRY_PLACES ? source->place_count : ENTRY_PLACES;
    text_add(&entry->path, source->path);
    if (count > 0)
        memcpy(entry->places, source->places, count * sizeof *source->places);
    entry->source_wish = (struct source_wish){text_slice(&entry->path), entry->places, count};
    return entry;
}

static int find(struct source_store *store, const struct source_wish *source, const struct code_wish *code,
                struct entry **found)
{
    int result = UNKNOWN;
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; i < store->entries.count; i++)
        if (is_for(store->entries.items[i], source, code)) {
            *found = store->entries.items[i];
            result = use(store, i);
            break;
        }
    if (result == UNKNOWN) {
        struct entry *entry = entry_make(source, code);
        result = entry ? add(store, entry) : -ENOMEM;
    }
    pthread_mutex_unlock(&store->lock);
    return result;
}

static int find_source(void *context, const struct source_wish *wish, const struct found_source **found)
{
    struct entry *entry;
    int result = find(context, wish, NULL, &entry);
    if (result == 0)
        *found = &entry->source.found;
    return result;
}

static int find_code(void *context, const struct code_wish *wish, const struct found_code **found)
{
    struct entry *entry;
    int result = find(context, NULL, wish, &entry);
    if (result == 0)
        *found = &entry->code.found;
    return result;
}

/* ---- the side of the workers ---- */

/* With the lock held: an entry in this state, or NULL. */
static struct entry *in_state(const struct source_store *store, enum entry_state state)
{
    for (size_t i = 0; i < store->entries.count; i++)
        if (store->entries.items[i]->state == state)
            return store->entries.items[i];
    return NULL;
}

static void look(struct source_store *store, struct entry *entry)
{
    entry->state = ENTRY_LOOKED_FOR;
    pthread_mutex_unlock(&store->lock);
    int result = entry->is_code ? code_look(store->symbols, &entry->code_wish, &entry->code)
                                : source_look(store->symbols, &entry->source_wish, &entry->source);
    pthread_mutex_lock(&store->lock);
    entry->out_of_memory = result != 0;
    entry->state = ENTRY_DONE;
    entry->done_at = clock_read(CLOCK_MONOTONIC);
    pthread_cond_broadcast(&store->done);
}

void source_store_look(struct source_store *store)
{
    pthread_mutex_lock(&store->lock);
    for (struct entry *entry;;) {
        if ((entry = in_state(store, ENTRY_WANTED)))
            look(store, entry);
        else if (in_state(store, ENTRY_LOOKED_FOR))
            pthread_cond_wait(&store->done, &store->lock);
        else
            break;
    }
    pthread_mutex_unlock(&store->lock);
}

/* ---- its life ---- */

struct source_store *source_store_open(const struct symbol_api *symbols)
{
    struct source_store *store = memory_zeroed(1, sizeof *store);
    if (!store)
        return NULL;
    store->symbols = symbols;
    store->sources = (struct api_sources){store, find_source, find_code};
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->done, NULL);
    return store;
}

void source_store_close(struct source_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->entries.count; i++)
        entry_free(store->entries.items[i]);
    vec_free(&store->entries);
    pthread_cond_destroy(&store->done);
    pthread_mutex_destroy(&store->lock);
    memory_release(store);
}

const struct api_sources *source_store_sources(struct source_store *store)
{
    return &store->sources;
}
