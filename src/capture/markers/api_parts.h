/* The functions behind the table of sonde/api.h that are not those of the life cycle. Where and when each may be called:
 * sonde/sonde.h. */
#ifndef SONDE_CAPTURE_MARKERS_API_PARTS_H
#define SONDE_CAPTURE_MARKERS_API_PARTS_H

#include "sonde/api.h"

/* labels.c */
uint32_t label_push(const char *label, const char *dynamic, const void *stack_address, sonde_category category, unsigned flags);
void label_pop(uint32_t depth);

/* categories.c */
sonde_category category_register(const char *name, const char *colour);
sonde_category subcategory_register(sonde_category category, const char *name);

/* thread_hooks.c */
void thread_sleep(void);
void thread_wake(void);
void thread_set_runtime(sonde_runtime_walk *walk, void *runtime);
void thread_set_event_delay(uint64_t (*delay_ns)(void *loop), void *loop);

/* marker_write.c, marker_types.c */
void marker_add(struct sonde_marker_type *type, const char *name, size_t name_length, sonde_category category,
                const struct sonde_marker_options *options, const void *values);
uint64_t flow_of(uintptr_t object);
extern struct sonde_marker_type marker_type_text, marker_type_text_stack, marker_type_tracing, marker_type_stack;

/* backtraces.c */
sonde_backtrace *backtrace_capture(enum sonde_capture capture);
void backtrace_free(sonde_backtrace *backtrace);

/* counters.c */
void counter_register(struct sonde_counter *counter);
void bandwidth_add(uint64_t bytes);

#endif
