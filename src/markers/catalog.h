/* What the markers of all threads of a profile share: their texts, schemas by type, and which IPC markers belong together. */
#ifndef SONDE_MARKERS_CATALOG_H
#define SONDE_MARKERS_CATALOG_H

#include "common/error.h"
#include "markers/ipc.h"
#include "markers/texts.h"

struct marker_catalog {
    struct marker_texts texts;
    struct marker_schema_list built_in;        /* found through `schemas` only */
    VEC(const struct marker_schema *) schemas; /* each type once */
    struct map schema_by_type;
    struct ipc_messages ipc;
    struct value_bytes jank; /* the payload of all Jank markers */
};

/* The profile must be complete and outlive the catalog. 0 or -ENOMEM; the catalog is to be freed in any case. */
int marker_catalog_init(struct marker_catalog *catalog, const struct profile *profile, struct error *error);
void marker_catalog_free(struct marker_catalog *catalog);

/* The schema for a type of payload, or NULL. What Sonde makes itself of network and IPC markers is described by schemas of
 * its own, which stand before those of the file. */
const struct marker_schema *marker_catalog_schema(const struct marker_catalog *catalog, struct string_index type);

/* Its row in `schemas`, or INDEX_NONE. */
uint32_t marker_catalog_schema_row(const struct marker_catalog *catalog, struct string_index type);

#endif
