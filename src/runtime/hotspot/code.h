/* The code cache of the VM, and what is in it.
 *
 *     heap     memory with blocks of segments of 128 bytes; for each segment a byte says how far its block begins before it
 *     blob     what a block holds: one compiled method, the interpreter, adapters, stubs */
#ifndef SONDE_RUNTIME_HOTSPOT_CODE_H
#define SONDE_RUNTIME_HOTSPOT_CODE_H

#include "runtime/hotspot/memory.h"

enum hotspot_blob_kind {
    BLOB_OTHER, /* stubs */
    BLOB_COMPILED,
    BLOB_NATIVE_WRAPPER,
    BLOB_INTERPRETER,
    BLOB_VTABLE, /* jumps on to a method, without a frame */
    BLOB_ADAPTER,
    BLOB_CONTINUATION,
    BLOB_EXCEPTION, /* what a method of the optimising compiler hands an exception on by */
    BLOB_SAFEPOINT, /* where compiled code goes to stop */
    HOTSPOT_BLOB_KIND_COUNT
};

struct hotspot_blob {
    uint64_t start, code; /* the blob, and its first instruction */
    uint64_t name;        /* address of its name, which stays; 0 = it will not be told (hotspot_names_next) */
    enum hotspot_blob_kind kind;
    uint32_t frame_words;   /* of frames of its code, with the return address; 0 = not known */
    int32_t frame_complete; /* from `code` on: there the frame is made; negative = not known */
};

/* Reads the variables, if they have not been read yet. False: the VM has no code yet. */
bool hotspot_code_ready(struct hotspot_reader *reader);

/* For one reader: the next name of code that is no method's, of those that blobs were met by; 0 = none. `seen` has a bit for
 * each place and starts as 0. */
uint64_t hotspot_names_next(const struct hotspot_code *code, uint64_t seen[HOTSPOT_NAMES_MAX / 64]);

/* The blob that the pc is in. */
bool hotspot_blob_at(struct hotspot_reader *reader, uint64_t pc, struct hotspot_blob *blob);

#endif
