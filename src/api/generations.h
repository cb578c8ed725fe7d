/* How the functions of a profile were numbered before, for requests of those who have not heard yet.
 *
 *     generation   1 ──changes──▶ 2 ──changes──▶ 3 = now        a request of generation 1 is carried through both */
#ifndef SONDE_API_GENERATIONS_H
#define SONDE_API_GENERATIONS_H

#include "profile/func_changes.h"
#include "tree/func_list.h"

/* Who is further behind has not looked for minutes, and begins anew. */
enum { GENERATIONS_MOST = 256 };

struct generations {
    uint32_t now;
    size_t first_strings;             /* so many the profile had at first: they keep their places */
    VEC(struct func_changes) changes; /* the last one led to `now` */
};

void generations_free(struct generations *generations);

/* One more, whose changes go over to it. Where the heap is empty nothing before it is known any more. */
void generations_add(struct generations *generations, struct func_changes *changes);

bool generations_know(const struct generations *generations, uint32_t generation);

/* From an earlier generation to the present one. */
struct carrying {
    const struct func_changes *changes;
    size_t count;             /* of changes; 0 = there is nothing to be carried */
    size_t first_strings;     /* as above */
    struct func_list *before; /* as many functions as there were, without names: transforms are read by it */
};

/* `generation` is a known one, `present` the functions of now. False when the heap is empty; to be freed in any case. */
bool carrying_begin(struct carrying *carrying, const struct generations *generations, uint32_t generation,
                    const struct func_list *present);
void carrying_end(struct carrying *carrying);

#endif
