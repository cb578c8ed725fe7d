/* Compiled code says for each call, and for places between, which methods were inlined there and where in each it stands:
 *
 *     pc descriptors {offset of pc, offset of scope, …}, by offset ──▶ scope {its caller's scope, method, bytecode} ──▶ …
 *
 * Going through them takes a microsecond or three, where they are not in the code cache (from 23 on) with system calls: what
 * was found is kept for the next time. An entry is about a pc of one compilation: each has its number. */
#ifndef SONDE_RUNTIME_HOTSPOT_SCOPES_H
#define SONDE_RUNTIME_HOTSPOT_SCOPES_H

#include "runtime/hotspot/code.h"

enum { HOTSPOT_SCOPES_MAX = 48, HOTSPOT_SCOPES_KEPT = 12, HOTSPOT_SCOPE_ENTRIES = 2048, HOTSPOT_NO_BCI = -1 };

struct hotspot_scope {
    uint64_t method; /* address of its Method */
    int32_t bci;     /* bytecode index; HOTSPOT_NO_BCI = not known */
};

struct hotspot_scope_entry {
    _Atomic uint32_t version; /* odd: somebody is writing */
    _Atomic uint32_t count;
    _Atomic uint64_t key, compilation;
    _Atomic uint64_t method[HOTSPOT_SCOPES_KEPT];
    _Atomic int32_t bci[HOTSPOT_SCOPES_KEPT];
};

/* All 0 at the start. Any thread reads and writes, in signal handlers. */
struct hotspot_scope_cache {
    struct hotspot_scope_entry entries[HOTSPOT_SCOPE_ENTRIES];
};

/* What stands at the pc in this compiled code, innermost first: at least the method itself, or 0 where not even that can be
 * read. `exact`: the pc is where it stands, not behind a call. `cache` may be NULL. `*fresh`: they were read just now. */
size_t hotspot_scopes_at(struct hotspot_reader *reader, struct hotspot_scope_cache *cache, const struct hotspot_blob *blob,
                         uint64_t pc, bool exact, struct hotspot_scope scopes[HOTSPOT_SCOPES_MAX], bool *fresh);

#endif
