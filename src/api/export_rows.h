/* The exports of one source each; export.h chooses. All return 0 or a negative errno with `error` filled. */
#ifndef SONDE_API_EXPORT_ROWS_H
#define SONDE_API_EXPORT_ROWS_H

#include "api/ask.h"
#include "common/byte_sink.h"

int export_functions(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error);
int export_tree_rows(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error);
int export_markers(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error);

/* A line for each distinct stack, top-down whatever the state says: a;b;c 12 */
int export_folded_stacks(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error);

/* The tree as in the terminal, complete and as wide as it is. */
int export_text_tree(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error);

/* A flame graph that stands alone: no script, and every name is text that a browser finds. */
int export_svg(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error);

#endif
