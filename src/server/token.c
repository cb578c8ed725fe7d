#include "server/token.h"

#include <errno.h>
#include <sys/random.h>

int token_make(struct token *token, struct error *error)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_set(error, -errno, "no random numbers: %s", error_text(errno));
    for (size_t i = 0; i < sizeof bytes; i++) {
        token->text[2 * i] = digits[bytes[i] >> 4];
        token->text[2 * i + 1] = digits[bytes[i] & 15];
    }
    token->text[TOKEN_LENGTH] = '\0';
    return 0;
}

bool token_is(const struct token *token, struct slice text)
{
    /* What is collected passes through memory, so that no compiler ends the loop early. */
    volatile unsigned char differs = text.length != TOKEN_LENGTH;
    for (size_t i = 0; i < TOKEN_LENGTH && i < text.length; i++)
        differs = (unsigned char)(differs | (token->text[i] ^ text.text[i]));
    return differs == 0;
}
