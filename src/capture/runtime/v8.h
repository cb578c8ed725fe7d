/* V8 in the process: it is asked to tell of its code, by the public functions that it exports.
 *
 *     a module with V8 comes                      v8_found()
 *     a thread that has an isolate is at a place
 *     where it may call functions: v8_ask()       RequestInterrupt(): no more than a note for the isolate
 *     the isolate, between two of its functions   SetJitCodeEventHandler(): it tells of all code that there is …
 *     … and from then on of all code that is made or moved        ─▶ CODE and CODE_MOVED entries
 *
 * Only the thread of an isolate ever asks it for anything, so that it cannot be gone. Nothing of V8 is called in a signal
 * handler. An isolate has one handler of code events: a program that sets one of its own has it to itself. */
#ifndef SONDE_CAPTURE_RUNTIME_V8_H
#define SONDE_CAPTURE_RUNTIME_V8_H

#include "runtime/v8/layout.h"

/* A module has come, at `start` … `end`. False: there is no V8 in it. Under the core lock. */
bool v8_found(const struct module_names *names, uint64_t start, uint64_t end);
/* … and is about to go. Under the core lock. */
void v8_gone(uint64_t start, uint64_t end);

/* Called by threads of the program, where they may lock and allocate. */
void v8_ask(void);

/* The interpreter of the isolate of this thread, where it has one for itself; NULL otherwise. In a handler, too. */
const struct v8_interpreter *v8_copy_of_thread(void);

/* Where the code of the interpreter is has been told, for the first time: the layout is whole. In providers.c. */
void providers_note_v8(const struct v8_layout *layout);

#endif
