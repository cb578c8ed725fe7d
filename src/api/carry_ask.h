/* Functions that an ask names by the numbers of an earlier generation, by those of now. */
#ifndef SONDE_API_CARRY_ASK_H
#define SONDE_API_CARRY_ASK_H

#include "api/ask.h"
#include "api/generations.h"

/* Rewrites them, and says in `carried` of the part what they are from now on. Nothing where there is nothing to be carried. */
int carry_ask(struct asking *asking, const struct carrying *carrying, struct ask *ask);

#endif
