#include "capture/runtime/v8_lines.h"

#include "common/map.h"
#include "common/sort.h"
#include "common/vec.h"
#include "session/entry.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ISOLATES_MAX = 64, LINES_BYTES = 16 << 10, POSITIONS_MAX = 4 << 20, SCOPE_BYTES = 128 };

struct place {
    uint32_t offset, position;
};

struct function {
    uint64_t hash; /* of its name and place */
    size_t start, count;
};

struct lines {
    _Atomic(const void *) isolate;
    _Atomic int thread; /* 0 = free */
    VEC(struct place) pending;
    uint64_t code;           /* that these are of; 0 = not said yet */
    VEC(uint32_t) positions; /* of all functions */
    VEC(struct function) functions;
    struct map function_of_hash;
    uint8_t bytes[LINES_BYTES];
};

static struct lines *_Atomic known[ISOLATES_MAX];

/* --- one for each isolate ------------------------------------------------------------------------------------------------- */

static struct lines *lines_of(const void *isolate)
{
    for (size_t i = 0; i < ISOLATES_MAX; i++) {
        struct lines *lines = atomic_load_explicit(&known[i], memory_order_acquire);
        if (!lines)
            break;
        if (atomic_load_explicit(&lines->isolate, memory_order_relaxed) == isolate)
            return lines;
    }
    return NULL;
}

static void clear(struct lines *lines)
{
    vec_free(&lines->pending);
    vec_free(&lines->positions);
    vec_free(&lines->functions);
    map_free(&lines->function_of_hash);
    lines->code = 0;
}

static bool has_ended(int thread)
{
    return thread == 0 || (syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH);
}

/* One whose thread is gone, with its isolate. */
static bool take_over(struct lines *lines, int thread)
{
    int before = atomic_load_explicit(&lines->thread, memory_order_relaxed);
    /* Acquire: what its thread did to it is done. */
    return (before == thread || has_ended(before)) &&
           atomic_compare_exchange_strong_explicit(&lines->thread, &before, thread, memory_order_acquire, memory_order_relaxed);
}

static struct lines *claim(int thread)
{
    for (size_t i = 0; i < ISOLATES_MAX; i++) {
        struct lines *lines = atomic_load_explicit(&known[i], memory_order_acquire), *none = NULL;
        if (!lines) {
            lines = memory_zeroed(1, sizeof *lines);
            if (!lines)
                return NULL;
            atomic_store_explicit(&lines->thread, thread, memory_order_relaxed);
            /* Release: it is zeros. */
            if (atomic_compare_exchange_strong_explicit(&known[i], &none, lines, memory_order_acq_rel, memory_order_acquire))
                return lines;
            memory_release(lines);
            lines = none;
        }
        if (take_over(lines, thread))
            return lines;
    }
    return NULL;
}

void v8_lines_forget(void *isolate)
{
    struct lines *lines = claim(gettid());
    if (!lines)
        return;
    clear(lines);
    atomic_store_explicit(&lines->isolate, isolate, memory_order_relaxed);
}

/* --- what comes before the code ------------------------------------------------------------------------------------------- */

void *v8_lines_begin(const void *isolate)
{
    struct lines *lines = lines_of(isolate);
    if (lines) {
        lines->pending.count = 0;
        lines->code = 0;
    }
    return lines;
}

void v8_lines_add(void *data, uint64_t offset, uint64_t position)
{
    struct lines *lines = data;
    if (lines && offset <= UINT32_MAX && position <= INT32_MAX)
        (void)vec_push(&lines->pending, ((struct place){(uint32_t)offset, (uint32_t)position}));
}

void v8_lines_end(void *data, uint64_t start)
{
    struct lines *lines = data;
    if (lines)
        lines->code = start;
}

/* --- positions of functions ----------------------------------------------------------------------------------------------- */

static uint64_t hash_of(struct slice place)
{
    uint64_t hash = place.length;
    for (size_t i = 0; i < place.length; i++)
        hash = (hash ^ (uint8_t)place.text[i]) * UINT64_C(0x100000001b3);
    return hash_u64(hash);
}

static const struct function *find_function(const struct lines *lines, struct slice place)
{
    uint64_t hash = hash_of(place);
    uint32_t row;
    for (struct map_probe probe = map_probe(&lines->function_of_hash, hash); map_probe_next(&probe, &row);)
        if (lines->functions.items[row].hash == hash)
            return &lines->functions.items[row];
    return NULL;
}

static bool is_lower(const void *a, const void *b)
{
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

static void keep_positions(struct lines *lines, struct slice place)
{
    struct function function = {hash_of(place), lines->positions.count, lines->pending.count};
    if (find_function(lines, place) || lines->positions.count + function.count > POSITIONS_MAX ||
        !vec_reserve(&lines->positions, lines->positions.count + function.count))
        return;
    for (size_t i = 0; i < function.count; i++)
        lines->positions.items[function.start + i] = lines->pending.items[i].position;
    sort_items(lines->positions.items + function.start, function.count, sizeof(uint32_t), is_lower);
    if (vec_push(&lines->functions, function) &&
        map_insert(&lines->function_of_hash, function.hash, (uint32_t)lines->functions.count - 1))
        lines->positions.count += function.count;
}

static bool has_position(const struct lines *lines, const struct function *function, uint32_t position)
{
    const uint32_t *positions = lines->positions.items + function->start;
    size_t low = 0, high = function->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (positions[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low < function->count && positions[low] == position;
}

/* --- lines ---------------------------------------------------------------------------------------------------------------- */

/* `own`: whose positions count; NULL = all do. */
static struct slice write_lines(struct lines *lines, const struct function *own, const void *script,
                                const struct v8_line_functions *functions)
{
    struct code_line previous = {0};
    size_t length = 0;
    for (size_t i = 0; i < lines->pending.count; i++) {
        const struct place *place = &lines->pending.items[i];
        int line = !own || has_position(lines, own, place->position) ? functions->line_of(script, (int)place->position) : -1;
        struct code_line now = {place->offset, line < 0 ? 0 : (uint32_t)line + 1};
        if (now.line == previous.line)
            continue;
        size_t written = code_line_write(lines->bytes + length, sizeof lines->bytes - length, now, &previous);
        if (written == 0)
            break;
        length += written;
    }
    return (struct slice){(const char *)lines->bytes, length};
}

struct slice v8_lines_take(void *isolate, uint64_t start, bool is_bytecode, const struct v8_code_name *name, const void *script,
                           const struct v8_line_functions *functions)
{
    struct lines *lines = lines_of(isolate);
    struct slice result = SLICE("");
    if (!lines || lines->code != start || start == 0)
        return result;
    if (is_bytecode)
        keep_positions(lines, name->place);
    const struct function *own = is_bytecode ? NULL : find_function(lines, name->place);
    if ((is_bytecode || own) && script && functions->line_of && functions->scope_begin && functions->scope_end) {
        _Alignas(16) char scope[SCOPE_BYTES]; /* a v8::HandleScope, three words */
        functions->scope_begin(scope, isolate);
        result = write_lines(lines, own, script, functions);
        functions->scope_end(scope);
    }
    lines->code = 0;
    return result;
}
