/* Writing an entry of any kind: the counterpart of entry_read(). */
#ifndef SONDE_TESTS_ANY_ENTRY_H
#define SONDE_TESTS_ANY_ENTRY_H

#include "session/entry.h"

/* As the functions of entry.h: how many bytes, or 0. */
size_t any_entry_write(uint8_t *out, size_t room, const struct any_entry *entry);

#endif
