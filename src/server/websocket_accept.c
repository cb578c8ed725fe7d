#include "server/websocket_accept.h"

#include <stdint.h>

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* ---- SHA-1, of texts that are short ---- */

enum { BLOCK = 64, BLOCKS = 2, DIGEST = 20 };

static uint32_t rotate(uint32_t word, unsigned bits)
{
    return word << bits | word >> (32 - bits);
}

static void add_block(uint32_t sum[5], const unsigned char *block)
{
    static const uint32_t constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t w[80], a = sum[0], b = sum[1], c = sum[2], d = sum[3], e = sum[4];
    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (size_t i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (size_t i = 0; i < 80; i++) {
        uint32_t f = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
        uint32_t next = rotate(a, 5) + f + e + constants[i / 20] + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    sum[0] += a;
    sum[1] += b;
    sum[2] += c;
    sum[3] += d;
    sum[4] += e;
}

/* Of up to 119 bytes. */
static void sha1(struct slice text, unsigned char digest[DIGEST])
{
    uint32_t sum[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    unsigned char blocks[BLOCKS * BLOCK] = {0};
    size_t end = text.length + 9 <= BLOCK ? BLOCK : BLOCKS * BLOCK;
    memcpy(blocks, text.text, text.length);
    blocks[text.length] = 0x80;
    blocks[end - 2] = (unsigned char)(text.length * 8 >> 8);
    blocks[end - 1] = (unsigned char)(text.length * 8);
    for (size_t at = 0; at < end; at += BLOCK)
        add_block(sum, blocks + at);
    for (size_t i = 0; i < DIGEST; i++)
        digest[i] = (unsigned char)(sum[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- */

bool websocket_is_key(struct slice key)
{
    if (key.length != WEBSOCKET_KEY_LENGTH || !slice_ends_with(key, SLICE("==")))
        return false;
    for (size_t i = 0; i < WEBSOCKET_KEY_LENGTH - 2; i++)
        if (!key.text[i] || !strchr(base64_digits, key.text[i]))
            return false;
    return true;
}

void websocket_accept(struct slice key, char accept[WEBSOCKET_ACCEPT_LENGTH + 1])
{
    static const char known[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char text[WEBSOCKET_KEY_LENGTH + sizeof known - 1];
    unsigned char digest[DIGEST + 1] = {0}; /* three bytes are four digits */
    memcpy(text, key.text, WEBSOCKET_KEY_LENGTH);
    memcpy(text + WEBSOCKET_KEY_LENGTH, known, sizeof known - 1);
    sha1((struct slice){text, sizeof text}, digest);
    for (size_t i = 0; i < WEBSOCKET_ACCEPT_LENGTH; i++) {
        const unsigned char *three = digest + i / 4 * 3;
        uint32_t bits = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];
        accept[i] = base64_digits[bits >> (18 - 6 * (i % 4)) & 63];
    }
    accept[WEBSOCKET_ACCEPT_LENGTH - 1] = '=';
    accept[WEBSOCKET_ACCEPT_LENGTH] = '\0';
}
