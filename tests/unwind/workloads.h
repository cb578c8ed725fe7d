/* Code to be interrupted anywhere: what real programs spend their time in, and what unwinders stumble over. */
#ifndef SONDE_TESTS_UNWIND_WORKLOADS_H
#define SONDE_TESTS_UNWIND_WORKLOADS_H

#ifdef __cplusplus
extern "C" {
#endif

/* libc, called back and calling back */
void workload_sort(void);
void workload_text(void);
void workload_heap(void);
/* control flow of its own kind */
void workload_jumps(void);
void workload_signals(void);
void workload_coroutines(void);
/* frames that are laid out unusually */
void workload_realigned(void);
void workload_vdso(void);
/* the first call of a function that is bound when it is called: _prepare loads the library anew, which has bound nothing yet */
void workload_lazy_binding_prepare(void);
void workload_lazy_binding(void);
/* C++ */
void workload_containers(void);
void workload_streams(void);
void workload_exceptions(void);

/* What workload_signals runs in its handler, too. */
extern void (*workload_in_handler)(void);

#ifdef __cplusplus
}
#endif

#endif
