/* The labels of a sample: of which thread it is, where they say so. */
#ifndef SONDE_IMPORT_PPROF_LABELS_H
#define SONDE_IMPORT_PPROF_LABELS_H

#include "import/pprof_file.h"
#include "profile/profile.h"

/* STRING_NONE where no label says it. */
struct pprof_origin {
    struct string_index process, pid, thread, tid;
};

/* The keys of labels that say something else, each once. */
struct pprof_other_labels {
    VEC(uint32_t) keys; /* texts of the file */
};

/* False when the heap is empty. */
bool pprof_read_labels(const struct pprof_file *file, const struct pprof_sample *sample, struct string_table *strings,
                       struct pprof_origin *origin, struct pprof_other_labels *others);

#endif
