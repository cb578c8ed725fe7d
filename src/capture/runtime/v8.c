#include "capture/runtime/v8.h"

#include "capture/core/clock.h"
#include "capture/core/full.h"
#include "capture/core/sandbox.h"
#include "capture/runtime/v8_lines.h"
#include "capture/runtime/v8_places.h"
#include "common/proc_file.h"
#include "runtime/v8/code_name.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* --- what V8 exports ------------------------------------------------------------------------------------------------------ */

/* v8::JitCodeEvent: part of V8's public interface (v8-callbacks.h), the same from V8 6 to 13. */
enum { EVENT_ADDED, EVENT_MOVED, EVENT_REMOVED, EVENT_LINE, EVENT_LINES_BEGIN, EVENT_LINES_END };
enum { CODE_BYTECODE, CODE_COMPILED, CODE_WASM };

struct code_event {
    int type, code_type;
    uint64_t start;
    size_t size;
    const void *script; /* a handle of it; NULL = none. Of EVENT_ADDED */
    void *user;         /* what was put there at EVENT_LINES_BEGIN */
    const void *wasm;
    union {
        struct {
            const char *text;
            size_t length;
        } name; /* EVENT_ADDED */
        struct {
            size_t offset, position;
            int kind;
        } line;             /* EVENT_LINE */
        uint64_t new_start; /* EVENT_MOVED */
    };
    void *isolate;
};

enum { EXISTING_TOO = 1 }; /* v8::kJitCodeEventEnumExisting */
/* Before V8 11 the isolate of a thread is kept under a key of pthreads that is 0 until V8 has made it: what somebody else has
 * under key 0 would be taken for an isolate. Whether V8 has made it, it exports. */
enum { OLDEST_VERSION = 10, FIRST_WITHOUT_KEY = 11 };

static struct {
    const char *(*version)(void);
    void *(*isolate_of_thread)(void);
    void (*request_interrupt)(void *isolate, void (*callback)(void *isolate, void *data), void *data);
    void (*set_handler)(void *isolate, int options, void (*handler)(struct code_event *event));
    void (*embedded_code)(void *isolate, const void **start, size_t *size);
    _Atomic bool *is_key_made; /* NULL: not said */
    struct v8_line_functions lines;
} v8;

static struct v8_layout layout; /* the words are known from the beginning, the places from the first isolate on */
static bool has_words;
static _Atomic bool is_there;

#define FIND(function, name) (*(void **)&(function) = (void *)(uintptr_t)module_names_find(names, (name), NULL))

bool v8_found(const struct module_names *names, uint64_t start, uint64_t end)
{
    if (atomic_load_explicit(&is_there, memory_order_relaxed) ||
        !FIND(v8.isolate_of_thread, "_ZN2v87Isolate13TryGetCurrentEv") ||
        !FIND(v8.request_interrupt, "_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_") ||
        !FIND(v8.set_handler, "_ZN2v87Isolate22SetJitCodeEventHandlerENS_19JitCodeEventOptionsEPFvPKNS_12JitCodeEventEE") ||
        !FIND(v8.embedded_code, "_ZN2v87Isolate20GetEmbeddedCodeRangeEPPKvPm") || !FIND(v8.version, "_ZN2v82V810GetVersionEv"))
        return false;
    FIND(v8.is_key_made, "_ZN2v88internal7Isolate20isolate_key_created_E");
    FIND(v8.lines.line_of, "_ZN2v813UnboundScript13GetLineNumberEi");
    FIND(v8.lines.scope_begin, "_ZN2v811HandleScopeC1EPNS_7IsolateE");
    FIND(v8.lines.scope_end, "_ZN2v811HandleScopeD1Ev");
    memset(&layout, 0, sizeof layout);
    layout.head.kind = RUNTIME_V8;
    layout.head.length = sizeof layout;
    layout.head.module_start = start;
    layout.head.module_end = end;
    has_words = v8_words_find(&layout.words, names);
    /* Release: with the flag comes what was found. */
    atomic_store_explicit(&is_there, true, memory_order_release);
    return true;
}

void v8_gone(uint64_t start, uint64_t end)
{
    if (layout.head.module_start == start && layout.head.module_end == end)
        atomic_store_explicit(&is_there, false, memory_order_relaxed);
}

/* --- entries -------------------------------------------------------------------------------------------------------------- */

ENTRY_WRITER(code)
ENTRY_WRITER(code_moved)

static void put_code(const struct code_entry *entry)
{
    full_base->put_alone(ENTRY_NUMBERS_MAX + entry->name.length + entry->file.length + entry->lines.length, write_code, entry);
}

/* --- what an isolate tells ------------------------------------------------------------------------------------------------ */

/* What the isolate of this thread is telling of. */
static __thread enum telling {
    TELLING_NEWS,
    TELLING_OLD,   /* what there is already */
    TELLING_FIRST, /* … the first one of all that tells of it, until the layout is published */
} telling __attribute__((tls_model("initial-exec")));

/* The interpreter that the isolate of this thread has for itself. Read by the handler of this thread, and by who looks at it
 * from outside while it waits: `has_copy` is set when it is whole. */
static __thread struct v8_interpreter copy __attribute__((tls_model("initial-exec")));
static __thread volatile sig_atomic_t has_copy __attribute__((tls_model("initial-exec")));

const struct v8_interpreter *v8_copy_of_thread(void)
{
    return has_copy ? &copy : NULL;
}

/* Of code that V8 was built with: how far the other mapping of it is from the one that events tell of. The first
 * isolate tells of it, for all. */
static struct {
    uint64_t start, size, distance; /* distance 0: there is no other */
} embedded;

static void widen(struct v8_range *range, uint64_t start, uint64_t end)
{
    if (range->start == range->end)
        *range = (struct v8_range){start, end};
    range->start = start < range->start ? start : range->start;
    range->end = end > range->end ? end : range->end;
}

static void note_resume(struct v8_interpreter *place, uint64_t at)
{
    unsigned i = 0;
    while (i < V8_RESUMES && place->resumes[i] != 0)
        i++;
    if (i < V8_RESUMES)
        place->resumes[i] = at;
}

static void note_part(struct v8_interpreter *place, const struct v8_code_name *name, uint64_t start, uint64_t size)
{
    if (name->is_resume)
        note_resume(place, start);
    else if (name->is_entry || name->is_handler)
        widen(name->is_entry ? &place->entry : &place->handlers, start, start + size);
}

static void note_interpreter(const struct v8_code_name *name, uint64_t start, uint64_t size)
{
    note_part(&layout.places[0], name, start, size);
    if (embedded.distance != 0)
        note_part(&layout.places[1], name, start + embedded.distance, size);
}

static void add_code(struct code_event *event)
{
    enum { ADDRESS_ROOM = 4096 };
    char address[ADDRESS_ROOM];
    struct slice text = {event->name.text, event->name.length};
    struct v8_code_name name;
    bool said = v8_code_name_read(text, event->code_type == CODE_WASM, &name);
    struct slice lines =
        v8_lines_take(event->isolate, event->start, event->code_type == CODE_BYTECODE, &name, event->script, &v8.lines);
    if (!said || event->size == 0)
        return;
    /* What V8 was built with is the same for all isolates, but for its place. */
    if (name.tier == TIER_BUILTIN && telling != TELLING_FIRST) {
        if (telling == TELLING_OLD)
            note_part(&copy, &name, event->start, event->size);
        return;
    }
    struct code_entry entry = {
        .time = clock_now(),
        .runtime = RUNTIME_V8,
        .tier = (uint8_t)name.tier,
        .was_there = telling != TELLING_NEWS,
        .start = event->start,
        .size = event->size,
        .name = name.name,
        .file = {address, v8_script_address(name.file, address, sizeof address)},
        .line = name.line,
        .column = name.column,
        .lines = lines,
    };
    put_code(&entry);
    if (name.tier != TIER_BUILTIN)
        return;
    note_interpreter(&name, event->start, event->size);
    if (embedded.distance != 0 && event->start - embedded.start < embedded.size) {
        entry.start += embedded.distance;
        put_code(&entry);
    }
}

/* On a thread of the isolate, or one that collects its garbage meanwhile; of one isolate, one event after the other. */
static void take_event(struct code_event *event)
{
    if (sandbox_is_closed())
        return;
    switch (event->type) {
    case EVENT_ADDED:
        add_code(event);
        break;
    case EVENT_MOVED: {
        struct code_moved_entry entry = {clock_now(), event->start, event->new_start};
        full_base->put_alone(ENTRY_NUMBERS_MAX, write_code_moved, &entry);
        break;
    }
    case EVENT_LINES_BEGIN:
        event->user = v8_lines_begin(event->isolate);
        break;
    case EVENT_LINE:
        v8_lines_add(event->user, event->line.offset, event->line.position);
        break;
    case EVENT_LINES_END:
        v8_lines_end(event->user, event->start);
        break;
    default:
        break;
    }
}

/* --- asking --------------------------------------------------------------------------------------------------------------- */

/* The isolate of this thread that has been asked and has answered. */
static __thread const void *answered __attribute__((tls_model("initial-exec")));
static _Atomic bool is_begun;

static void find_embedded(void *isolate)
{
    const void *start = NULL;
    size_t size = 0;
    uint64_t other;
    v8.embedded_code(isolate, &start, &size);
    embedded.start = (uintptr_t)start;
    embedded.size = size;
    embedded.distance = start && v8_other_place(embedded.start, size, &other) ? other - embedded.start : 0;
}

static bool is_whole(const struct v8_interpreter *place)
{
    return place->entry.start < place->entry.end && place->handlers.start < place->handlers.end;
}

static void publish(void)
{
    layout.head.is_known = has_words && is_whole(&layout.places[0]);
    snprintf(layout.head.name, RUNTIME_NAME_ROOM, "V8 %s", v8.version());
    providers_note_v8(&layout);
}

/* Called by the isolate, on its thread, between two functions of the program. */
static void install(void *isolate, void *unused)
{
    (void)unused;
    if (answered == isolate || sandbox_is_closed())
        return;
    answered = isolate;
    v8_lines_forget(isolate);
    telling = atomic_exchange_explicit(&is_begun, true, memory_order_relaxed) ? TELLING_OLD : TELLING_FIRST;
    if (telling == TELLING_FIRST)
        find_embedded(isolate);
    has_copy = 0;
    full_base->show_interpreter(NULL);
    copy = (struct v8_interpreter){0};
    /* V8 goes through all of its heap for what it tells. */
    uint32_t own = full_base->label_push_own(__builtin_frame_address(0));
    v8.set_handler(isolate, EXISTING_TOO, take_event);
    full_base->label_pop(own);
    if (telling == TELLING_FIRST)
        publish();
    atomic_signal_fence(memory_order_release);
    has_copy = is_whole(&copy);
    if (has_copy)
        full_base->show_interpreter(&copy);
    telling = TELLING_NEWS;
}

static bool may_be_asked(void)
{
    uint64_t major;
    number_parse(v8.version(), 10, &major);
    if (major >= FIRST_WITHOUT_KEY)
        return true;
    /* Acquire: with the flag comes the key. */
    return major >= OLDEST_VERSION && v8.is_key_made && atomic_load_explicit(v8.is_key_made, memory_order_acquire);
}

void v8_ask(void)
{
    /* Acquire: see v8_found. */
    if (!atomic_load_explicit(&is_there, memory_order_acquire) || !may_be_asked())
        return;
    void *isolate = v8.isolate_of_thread();
    if (isolate && isolate != answered)
        v8.request_interrupt(isolate, install, NULL);
}
