/* common/memory.h over pages.h: what the libraries inside recorded programs link. */
#ifndef SONDE_CAPTURE_CORE_MEMORY_PAGES_H
#define SONDE_CAPTURE_CORE_MEMORY_PAGES_H

/* Around fork, in this order, so that the child finds the lists whole. */
void memory_fork_prepare(void);
void memory_fork_done(void);

#endif
