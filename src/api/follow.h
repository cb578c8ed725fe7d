/* What people see stays what they see when a transform is added: the selected node, the anchor and open rows, which a client
 * knows from before, are followed through it. */
#ifndef SONDE_API_FOLLOW_H
#define SONDE_API_FOLLOW_H

#include "api/ask.h"

/* Rewrites the paths and the walk of an ask with `since`. A path that is gone becomes the nearest of its ancestors that is not,
 * and is empty where all are; rows that are gone are not in the walk any more. */
int follow_ask(struct asking *asking, struct ask *ask);

#endif
