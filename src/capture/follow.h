/* Sessions that begin when there is something to record, and not before.
 *
 * Children that are forked go on in their parent's session, each with a file of its own and the parent's settings. Nearly all
 * of them become another program at once, which then begins by itself. And where CPUs are scarce many programs have ended
 * before anybody has looked at them: these are brief (brief.h). So at first there is only a thread, which sleeps, or not even
 * that (alone.h):
 *
 *     fork ────▶ due ──┬── a millisecond is over ──▶ brief, or that thread begins the session, and is its sampler
 *                      └── exec ───────────────────▶ nothing was there
 *     program ─▶ brief ┬── it has used some ms of CPU time, or is there for a quarter of a second ──▶ the same
 *                      └── exec, the end ──────────▶ it was there
 *     both       ──────── a marker, a call, a thread ▶ whoever comes begins it, and hands the sampler to the thread
 *     alone ───▶ as alone.h says
 *
 * The moment of CPU time is another one for each process, as that of all looks is (thrift.h). The thread has a table of file
 * descriptors to itself as soon as it opens something. What it opens never is, not for a moment, a number that the
 * program counts on: children close and open the lowest ones all the time.
 *
 * Only where libsonde-preload is there, which knows when a fork is complete: while handlers of pthread_atfork() run, others may
 * hold locks that making a thread needs. */
#ifndef SONDE_CAPTURE_FOLLOW_H
#define SONDE_CAPTURE_FOLLOW_H

#include "capture/alone.h"
#include "capture/core.h"
#include "capture/settings.h"

/* One that has not worked for so long is looked at all the same. */
enum { FOLLOW_PATIENCE_NS = 256000000 };

/* libsonde-preload is there; children are wanted, in the session in this folder; the name stays. */
void follow_preloaded(void);
void follow_children(const char *folder);

/* Whether they are: then processes come and go, and what can wait does. */
bool follow_wants_children(void);

/* A session begins with these settings. */
void follow_note(const struct core_locked *locked, const struct settings *settings);

/* In the child, while the parent's session is still known there: true if it is to be followed. */
bool follow_prepare(const struct core_locked *locked, const struct active_state *parents);

/* In the child, when fork is complete: makes the thread. */
void follow_forked(void);

/* Before the program begins, and where nothing is recorded: true if its session is put off. */
bool follow_program(const struct settings *settings);

extern _Atomic int follow_due; /* 0 = nothing is due, neither a session nor a sampler for it */

/* Whether a session is. */
bool follow_is_due(void);

/* Begins what is due, on this thread; or makes the thread that is. */
void follow_begin(void);

/* The common case is one load. */
static inline void follow_now(void)
{
    /* Acquire: who finds that nothing is due any more finds the session that was begun. */
    if (__builtin_expect(atomic_load_explicit(&follow_due, memory_order_acquire) != 0, 0))
        follow_begin();
}

/* The calling thread is about to do what it should not do alone: a thread is made for it, if that can be done here. The common
 * case is one load. */
void follow_end_alone(void);
static inline void follow_not_alone(void)
{
    if (__builtin_expect(alone_is(), 0))
        follow_end_alone();
}

/* In the handler of a process that is alone: makes the thread, which begins the session. It can be made here. `is_idle`: the
 * process has not worked for long. */
void follow_make_thread(bool is_idle);

/* What one that is alone has seen so far is to stand in the session, which begins with it. The second: in its handler. */
void follow_publish_locked(const struct core_locked *locked);
void follow_publish(void);

/* There is a session, whose sampler will never have a thread. */
void follow_without_sampler(const struct core_locked *locked);

/* In that handler, too: nothing is to be recorded any more. */
void follow_give_up(void);

/* The process is about to lose the right to open our files, or the way to them: one that is brief begins. */
void follow_leave(void);

/* The process ends. True: nothing was recorded but that it was there, and nothing will be. */
bool follow_end(void);

/* The program is about to be replaced, or that has failed: meanwhile the thread begins nothing. */
void follow_hold(const struct core_locked *locked, bool hold);

/* The files of the sampler cannot be used by other threads, nor theirs by the sampler. */
bool follow_has_own_files(void);

#endif
