/* Frames of language runtimes: what walkers share.
 *
 *     layout    where a runtime of a process keeps what: plain data, made once for each runtime that is found
 *     walker    layout + memory + native frames of a thread ──▶ frames of the runtime, each with its place on the stack
 *
 * A walker only reads, through `struct unwind_memory`: what is not in the thread's own stack is copied by the kernel, so that
 * an address that leads nowhere is an error and no crash. It never allocates, locks or calls the runtime. So the same walker
 * runs in a signal handler, for a thread of another process, and on random bytes.
 *
 * A process may have several runtimes, and a thread frames of several: all of them add to one stack, and stack/merge.h puts
 * each frame between the native ones by its place. A runtime frame at the very address of a native one takes its place. */
#ifndef SONDE_RUNTIME_RUNTIME_H
#define SONDE_RUNTIME_RUNTIME_H

#include "session/entry.h"
#include "stack/raw_stack.h"
#include "unwind/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUNTIME_NAME_ROOM = 48, RUNTIME_LAYOUT_MAX = 2048, RUNTIMES_MAX = 8 };

/* The head of every layout; what is behind it belongs to the kind. Without pointers: it is written into sessions
 * (ENTRY_RUNTIME) for who looks from outside. */
struct runtime_layout {
    uint32_t kind;                /* enum runtime_kind */
    uint32_t length;              /* of the whole layout, this head included */
    bool is_known;                /* it can be walked; false: it is there, but of a version or build that nobody has tried */
    char name[RUNTIME_NAME_ROOM]; /* as people know it: "CPython 3.11.2" */
    uint64_t module_start, module_end; /* of the module that the runtime is in */
};

struct runtime_thread {
    uint64_t handle;                   /* its pthread_t; 0 = not known */
    uint64_t stack_start, stack_end;   /* lowest address and one past the highest; 0, 0 = not known */
    const struct v8_interpreter *copy; /* of V8's interpreter, which the thread's isolate has for itself; NULL = not known */
};

struct runtime_walk {
    struct raw_stack *raw; /* its native frames are there, youngest first; frames of runtimes are added, youngest first */
    struct unwind_memory *memory;
    struct runtime_thread thread;
    pid_t process; /* tells processes apart whose stacks are taken into the same raw_stack; 0 = the caller's own */
};

/* --- for walkers ---------------------------------------------------------------------------------------------------------- */

/* Reads all `length` bytes, or says false. */
bool runtime_read(struct runtime_walk *walk, uint64_t address, void *out, size_t length);

/* The native frame whose part of the stack holds `address`: its index in raw->native, searched from `from` on; UINT32_MAX where
 * there is none. */
uint32_t runtime_native_at(const struct raw_stack *raw, uint64_t address, uint32_t from);

/* False: there is no room for more, which is noted. */
bool runtime_add_frame(struct raw_stack *raw, const struct raw_runtime_frame *frame);

#endif
