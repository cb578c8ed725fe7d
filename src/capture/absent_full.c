/* As absent.c, for libsonde. */
#include "capture/full.h"
#define WEAK __attribute__((weak))
WEAK void walk_stack(const struct registration *t, const void *c, struct raw_stack *r)
{
    (void)t;
    (void)c;
    (void)r;
}
WEAK enum blocked_result blocked_look(struct registration *t, struct raw_stack *o)
{
    (void)t;
    (void)o;
    return BLOCKED_NOT;
}
