/* What threads are called in the texts of messages: main threads by what they work for, with a number where several work for
 * the same.
 *
 *     example.org (2/3) (Thread ID: 12)
 *     Renderer (Thread ID: 13) */
#ifndef SONDE_MARKERS_THREAD_NAMES_H
#define SONDE_MARKERS_THREAD_NAMES_H

#include "markers/texts.h"

/* The names of all threads, as strings of `texts`; `names` has capacity for them. False when the heap is empty. */
bool thread_names_make(struct marker_texts *texts, struct string_index *names);

#endif
