/* How a program finds the library without being linked with it; included by sonde.h.
 *
 * Each program or shared library that includes sonde.h has one `sonde_link_`, shared by its source files and seen by nobody
 * else. A constructor in each file, early enough for other constructors to use what it finds, looks for the library's table
 * of functions once. Where there is none the link leads to a word that says "not recording", and that is all calls look at.
 *
 * Many linkers drop libraries of which nothing is named. So a program that is linked with Sonde defines SONDE_LINKED before it
 * includes sonde.h (pkg-config does), or SONDE_LINKED_BASE if it is linked with libsonde-base alone. */
#ifndef SONDE_LINK_H
#define SONDE_LINK_H

#include "sonde/api.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_link_ {
    const struct sonde_api *api; /* NULL until found */
    const uint64_t *state;       /* set after `api`, with release order: who sees the library's word sees its table */
    bool looked;
};

extern uint64_t sonde_off_;
extern struct sonde_link_ sonde_link_;
__attribute__((weak, visibility("hidden"))) uint64_t sonde_off_ = 0;
__attribute__((weak, visibility("hidden"))) struct sonde_link_ sonde_link_ = {NULL, &sonde_off_, false};

/* By other names, so that no <dlfcn.h> gets in the way; weak, so that a static program links without them and stays off. */
extern void *sonde_dlsym_(void *handle, const char *name) __asm__("dlsym") __attribute__((weak));
extern char *sonde_dlerror_(void) __asm__("dlerror") __attribute__((weak));

/* Something in libsonde to name. */
extern const int sonde_full_1;

/* Looks for the library again, for programs that load it themselves (dlopen with RTLD_GLOBAL). True when it is there. */
extern bool sonde_find(void);

__attribute__((weak, visibility("hidden"))) bool sonde_find(void)
{
#if defined SONDE_LINKED || defined SONDE_LINKED_BASE
    const struct sonde_api *api = &sonde_api_1;
#ifdef SONDE_LINKED
    (void)*(const volatile int *)&sonde_full_1;
#endif
#else
    const struct sonde_api *api = NULL;
    if (sonde_dlsym_)
        api = (const struct sonde_api *)sonde_dlsym_(NULL, "sonde_api_1");
    if (!api && sonde_dlerror_)
        sonde_dlerror_(); /* that it is not there is no error for the program to find */
#endif
    __atomic_store_n(&sonde_link_.looked, true, __ATOMIC_RELAXED);
    if (!api || api->size < sizeof *api) /* older than this header */
        return false;
    __atomic_store_n(&sonde_link_.api, api, __ATOMIC_RELAXED);
    __atomic_store_n(&sonde_link_.state, api->state, __ATOMIC_RELEASE);
    return true;
}

__attribute__((constructor(101), unused)) static void sonde_find_early_(void)
{
    if (!__atomic_load_n(&sonde_link_.looked, __ATOMIC_RELAXED))
        sonde_find();
}

/* NULL where the library is not loaded. */
static inline const struct sonde_api *sonde_api_(void)
{
    return __atomic_load_n(&sonde_link_.api, __ATOMIC_ACQUIRE);
}

static inline uint64_t sonde_state_(void)
{
    const uint64_t *state = __atomic_load_n(&sonde_link_.state, __ATOMIC_ACQUIRE);
    return __atomic_load_n(state, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif
