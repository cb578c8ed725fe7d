/* Samples per line, as columns of a part. */
#ifndef SONDE_API_PUT_LINES_H
#define SONDE_API_PUT_LINES_H

#include "api/ask.h"
#include "tree/line_timings.h"

/* `weight_type`, `root_total` and the columns `line`, `total`, `self`. 0 or -ENOMEM. */
int put_lines(struct asking *asking, const struct line_timings *lines);

#endif
