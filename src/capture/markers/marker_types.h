/* The types of markers that this process has used.
 *
 * The program's `struct sonde_marker_type` may go away with a library that is unloaded, so the schema is copied, as the very
 * bytes of its MARKER_TYPE entry. Numbers count from 1 and are kept over sessions; every session is told at its start of all
 * types used so far, and of new ones when they are first used. */
#ifndef SONDE_CAPTURE_MARKERS_MARKER_TYPES_H
#define SONDE_CAPTURE_MARKERS_MARKER_TYPES_H

#include "capture/core/core.h"

/* Those of sonde/api.h. */
extern struct sonde_marker_type marker_type_text, marker_type_text_stack, marker_type_tracing, marker_type_stack;

/* The number of a type that cannot be recorded: too many fields, or texts that no entry can hold. */
#define MARKER_TYPE_UNUSABLE UINT32_MAX

/* The type's number; 0 = NULL. Registers it when it is first used, under the core lock, so not from a thread that is writing a
 * marker. With the lock held (`locked` not NULL), or without. A thread that may not take it gets
 * MARKER_TYPE_UNUSABLE this time. */
uint32_t marker_type_number(const struct core_locked *locked, struct sonde_marker_type *type);

/* Writes what the fields say behind the head of a MARKER entry. Returns the length; sets *fits to false where `room` is too
 * small. */
size_t marker_values_write(const struct sonde_marker_type *type, const void *values, uint8_t *out, size_t room, bool *fits);

/* A session begins: writes anew, into CHUNK_KEPT, what its entries will refer to. Under the core lock. */
void marker_types_begin(const struct core_locked *locked);

#endif
