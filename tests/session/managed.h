/* A chunk manager in a folder of its own, which each test has anew. */
#ifndef SONDE_TESTS_MANAGED_H
#define SONDE_TESTS_MANAGED_H

#include "session/chunk_manager.h"
#include "support/session_draw.h"

#include <sys/types.h>

enum { LIMIT = 20, READY = 2 }; /* chunks; so many are ready when more than a few have been used */

struct managed {
    char folder[64];
    struct chunk_manager *manager;
    struct error error;
};

int managed_setup(void **state);
int managed_teardown(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, managed_setup, managed_teardown)

/* Another one in the same folder. */
struct chunk_manager *managed_create(struct managed *managed, uint64_t limit_chunks);

uint64_t sequence_of(const struct chunk *chunk);
uint32_t chunk_count(struct chunk_manager *manager);
/* Disk space, in whole chunks. */
uint64_t held_chunks(struct chunk_manager *manager);
uint64_t recycled(struct chunk_manager *manager);

/* A chunk with all its disk space, which the first ones do not have at once. */
struct chunk *take_whole(struct chunk_manager *manager, enum chunk_kind kind, uint64_t now);

/* Takes such a chunk and gives it back, at this time. */
struct chunk *use_one(struct chunk_manager *manager, enum chunk_kind kind, uint64_t now);

#endif
