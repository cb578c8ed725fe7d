/* Unpacks sections of files that nobody trusts: what comes out is never more than a section may be, and memory is asked for
 * only as far as the packed bytes can account for it. */
#ifndef SONDE_SYMBOLS_UNPACK_H
#define SONDE_SYMBOLS_UNPACK_H

#include "common/error.h"
#include "common/slice.h"

#include <stdint.h>

/* `size` bytes into memory that the caller releases. -ENOMEM; -EBADMSG where the bytes are damaged, are not that many, or
 * cannot be. */
int unpack_zlib(struct slice packed, uint64_t size, char **out, struct error *error);
int unpack_zstd(struct slice packed, uint64_t size, char **out, struct error *error);

/* A whole .xz stream, which does not say how much it holds. */
int unpack_xz(struct slice packed, char **out, size_t *size, struct error *error);

#endif
