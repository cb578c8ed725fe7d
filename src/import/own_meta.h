/* The part of `meta` that is Sonde's own, in profiles of others: where `sonde info` looks for what is to be said of a file. */
#ifndef SONDE_IMPORT_OWN_META_H
#define SONDE_IMPORT_OWN_META_H

#include "profile/profile.h"

/* Begins `meta`, with what each has, and in it `sonde`, of which `members` keys with their values must follow. All are false
 * when the heap is empty. */
bool own_meta_begin(struct profile *profile, uint32_t members);

bool own_meta_put_key(struct profile *profile, const char *key);

/* One of the members: sentences for people. */
bool own_meta_put_notes(struct profile *profile, const char *const *notes, uint32_t count);

#endif
