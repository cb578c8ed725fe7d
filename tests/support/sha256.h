/* SHA-256, for expected results that are too long to be kept. */
#ifndef SONDE_TESTS_SHA256_H
#define SONDE_TESTS_SHA256_H

#include "common/slice.h"

/* The digest of `text` as 64 hexadecimal digits and a NUL. */
void sha256_hex(struct slice text, char hex[65]);

#endif
