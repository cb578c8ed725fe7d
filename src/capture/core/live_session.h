/* A session as threads see it that write into it without a lock: live.h. */
#ifndef SONDE_CAPTURE_CORE_LIVE_SESSION_H
#define SONDE_CAPTURE_CORE_LIVE_SESSION_H

#include "session/chunk_manager.h"

struct live_session {
    uint64_t generation;
    struct chunk_manager *chunks;
    struct session_file_header *header; /* statistics */
    struct live_session *next;          /* among those that wait to be unmapped */
};

/* Any thread inside enter and leave, or with the core lock. */
static inline void live_statistic_add(const struct live_session *session, enum session_statistic statistic, uint64_t amount)
{
    atomic_fetch_add_explicit(&session->header->statistics[statistic], amount, memory_order_relaxed);
}

#endif
