/* Source files and listings of code that the query API asked for. The api never waits for one:
 *
 *     api_ask() in the thread of the profile    a wish is noted: -EAGAIN
 *     source_store_look() in one for symbols    all wishes are fulfilled, in vain or not
 *     api_ask() once more                       answers from here
 *
 * Those used longest ago go first. What was looked for in vain is looked for again after some seconds. */
#ifndef SONDE_SERVER_SOURCE_STORE_H
#define SONDE_SERVER_SOURCE_STORE_H

#include "api/sources.h"
#include "symbols/api_scope.h"

struct source_store;

/* `symbols` outlives it. NULL when the heap is empty. */
struct source_store *source_store_open(const struct symbol_api *symbols);
void source_store_close(struct source_store *store); /* NULL is fine; nobody else uses it any more */

/* For api_use_sources(), by one thread at a time. */
const struct api_sources *source_store_sources(struct source_store *store);

/* Returns when there is no wish any more that is not looked for. Any number of threads. */
void source_store_look(struct source_store *store);

#endif
