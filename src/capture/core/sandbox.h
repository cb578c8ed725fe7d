/* Whether the program has shut itself in (seccomp), and may be ended for a system call that it does not make itself.
 *
 * The handler makes none anyhow. From then on our code outside of it makes none, either: threads that begin are not registered,
 * ends are only noted in the file, and stacks other than the threads' own are not read. Who tells: libsonde-preload, before the
 * program does it through the C library; and the recorder, soon after, where it does it by itself (live_note_filter). */
#ifndef SONDE_CAPTURE_CORE_SANDBOX_H
#define SONDE_CAPTURE_CORE_SANDBOX_H

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic bool sandbox_closed;
/* The child of a vfork() has, in the memory of its parent, whose thread waits until the child is another program or ends. */
extern __thread bool sandbox_closed_in_child __attribute__((tls_model("initial-exec")));

static inline bool sandbox_is_closed(void)
{
    /* Relaxed: whoever closes it does so before it calls the kernel. */
    return atomic_load_explicit(&sandbox_closed, memory_order_relaxed) || sandbox_closed_in_child;
}

/* The program is about to (libsonde-preload). `strict`: in the kernel's own strict mode, which forbids to read the CPU's time.
 */
void sandbox_close(bool strict);
/* … and has failed to. */
void sandbox_open(void);

#endif
