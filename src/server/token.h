/* The secret in the address of a server: whoever does not know it gets nothing but refusals. */
#ifndef SONDE_SERVER_TOKEN_H
#define SONDE_SERVER_TOKEN_H

#include "common/error.h"
#include "common/slice.h"

enum { TOKEN_LENGTH = 32 };

/* 128 random bits in hexadecimal digits. */
struct token {
    char text[TOKEN_LENGTH + 1];
};

/* A new one, from the kernel. */
int token_make(struct token *token, struct error *error);

/* Whether `text` is the token. How long that takes does not depend on how much of it is right. */
bool token_is(const struct token *token, struct slice text);

#endif
