/* What the handler (handler.c), the choice of its number (handler_number.c) and the settling of threads (handler_settle.c) have
 * of each other.
 *
 *     in                 happens                     asks for                           of
 *     handler.c          a thread is asked           the number that it lets through    handler_number.c
 *                        a signal is not ours        what is to become of it            handler_number.c
 *     handler_number.c   a number was given up       threads to settle                  handler_settle.c
 *     handler_settle.c   a thread has to settle      a question, with its old number    handler.c */
#ifndef SONDE_CAPTURE_HANDLER_PRIVATE_H
#define SONDE_CAPTURE_HANDLER_PRIVATE_H

#include "capture/core.h"
#include "capture/registration.h"

#include <signal.h>

/* --- handler.c */

/* The handler itself. */
void handler_on_signal(int number, siginfo_t *info, void *context);

/* Whether we have sent it, or a thread's timer of ours. */
bool handler_is_question(const siginfo_t *info);

/* From now on the threads of the calling process are those that are asked. */
void handler_ask_this_process(void);

/* Asks a thread that has answered so far, only as long as it listens to what it did when the number was chosen. False when it
 * does not, or is gone. */
bool handler_ask_with(struct registration *thread, int number, int listens_to);

/* --- handler_number.c */

/* The number to ask a thread with: that which it lets through, as long as it has not settled for the one in use, and nobody
 * else gets it. 0 = it is not to be asked at this moment. */
int handler_number_for(int listens_to);

/* A signal that is no question has come to the handler; `thread` is the calling one, or NULL. */
void handler_other_signal(struct registration *thread, int number, siginfo_t *info, void *context);

/* Keeps our numbers out of signalfds, if the sampler has left that to the threads that it asks. */
void handler_update_files(void);

/* --- handler_settle.c */

/* Has threads settle that let `number` through although it was given up. True when no thread has still to settle, or to answer
 * a question with it. */
bool handler_settle_threads(const struct core_locked *locked, int number);

/* Has one thread do handler_update_files(), of those that have answered so far; if it does not, another one next time. */
void handler_have_files_updated(const struct core_locked *locked);

#endif
