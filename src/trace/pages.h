/* Which processes of a trace are worth looking at: those that show a page.
 *
 * Chrome records all of its processes. The engine keeps a process if some frame of a page was in it, by the address of that
 * frame; of a trace that is not of a browser it keeps all. */
#ifndef SONDE_TRACE_PAGES_H
#define SONDE_TRACE_PAGES_H

#include "trace/event_read.h"
#include "trace/thread_list.h"

/* A frame was in a process, with an address. */
struct page_visit {
    int64_t pid;
    struct string_index url;
    uint32_t next; /* of the same frame */
};

struct page_frame {
    struct string_index id;
    uint32_t first, last; /* of visits */
};

/* A process that runs bids for advertisements has no page, but the published engine keeps it. It is known by an event and the
 * names of two threads. */
struct page_worklet {
    int64_t pid;
    struct string_index host;
    bool is_told, has_utility, has_helper;
};

struct pages {
    VEC(struct page_frame) frames; /* in the order in which they first occur */
    VEC(struct page_visit) visits;
    VEC(struct page_worklet) worklets;
    struct map frame_of_id;    /* to rows of frames */
    struct map worklet_of_pid; /* to rows of worklets */
    bool is_browser;           /* some event is there that only browsers write */
};

/* A zeroed struct knows nothing. All of these say false when the heap is empty. */

bool pages_add_frame(struct pages *pages, struct string_index frame, struct string_index url, int64_t pid);
bool pages_add_worklet(struct pages *pages, int64_t pid, struct string_index host);
bool pages_add_thread_name(struct pages *pages, int64_t pid, struct slice name);

/* Says of every process whether it is kept, and where its page is. */
bool pages_judge(struct pages *pages, struct trace *trace, struct thread_list *threads, enum trace_rules rules);

void pages_free(struct pages *pages);

#endif
