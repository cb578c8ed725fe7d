#include "server/site.h"

#include <errno.h>
#include <stdio.h>

/* ---- reading ---- */

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Bytes from the start of `text` that are letters, digits or in `others`. */
static size_t span(struct slice text, const char *others)
{
    size_t length = 0;
    while (length < text.length && (is_alphanumeric(text.text[length]) || is_one_of(text.text[length], others)))
        length++;
    return length;
}

/* The length of a host name, or of an IPv6 address in brackets; 0 = neither. */
static size_t host_length(struct slice text)
{
    if (text.length == 0 || *text.text != '[')
        return span(text, ".-");
    size_t inside = span(slice_from(text, 1), ":.");
    return inside > 0 && 1 + inside < text.length && text.text[1 + inside] == ']' ? inside + 2 : 0;
}

/* The length of `:PORT`; 0 = there is none. False where it is no port. */
static bool port_length(struct slice text, size_t *length, unsigned *port)
{
    *length = 0;
    if (text.length == 0 || *text.text != ':')
        return true;
    *port = 0;
    for (size_t i = 1; i < text.length && text.text[i] >= '0' && text.text[i] <= '9' && *port <= UINT16_MAX; i++) {
        *port = *port * 10 + (unsigned)(text.text[i] - '0');
        *length = i + 1;
    }
    return *length > 0 && *port > 0 && *port <= UINT16_MAX;
}

int site_parse(struct slice url, struct site *site, struct error *error)
{
    static const struct slice schemes[] = {SLICE("https://"), SLICE("http://")};
    static const unsigned usual_ports[] = {443, 80};
    bool secure = slice_starts_with(url, schemes[0]);
    struct slice scheme = schemes[!secure];
    while (url.length > 0 && url.text[url.length - 1] == '/')
        url.length--;
    if (url.length >= SITE_MOST || !slice_starts_with(url, scheme))
        return error_set(error, -EINVAL, "an address that begins with https:// or http:// is wanted");
    struct slice rest = slice_from(url, scheme.length);
    size_t host = host_length(rest), port_text;
    unsigned port = usual_ports[!secure];
    if (host == 0)
        return error_set(error, -EINVAL, "there is no host in it");
    rest = slice_from(rest, host);
    if (!port_length(rest, &port_text, &port))
        return error_set(error, -EINVAL, "its port is none");
    rest = slice_from(rest, port_text);
    if (rest.length > 0 && (*rest.text != '/' || span(rest, "/._~-") != rest.length))
        return error_set(error, -EINVAL, "what follows the host is no path");
    snprintf(site->url, SITE_MOST, "%.*s", (int)url.length, url.text);
    /* Browsers leave out the port that is usual, and write hosts in lower case. */
    size_t kept = scheme.length + host + (port == usual_ports[!secure] ? 0 : port_text);
    snprintf(site->origin, SITE_MOST, "%.*s", (int)kept, url.text);
    for (char *c = site->origin; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c);
    return 0;
}

/* ---- the link ---- */

static void add_encoded(struct text_buffer *link, struct slice text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i], escape[4];
        if (is_alphanumeric(c) || is_one_of(c, "-._~")) {
            text_add_char(link, c);
        } else {
            snprintf(escape, sizeof escape, "%%%02X", (unsigned)(unsigned char)c);
            text_add(link, slice_of(escape));
        }
    }
}

void site_link(const struct site *site, uint16_t port, const struct token *token, struct text_buffer *link)
{
    char server[80];
    snprintf(server, sizeof server, "http://127.0.0.1:%u/%s", port, token->text);
    text_add(link, slice_of(site->url));
    text_add(link, SLICE("/from-url/"));
    add_encoded(link, slice_of(server));
    add_encoded(link, SLICE("/profile.json.gz"));
    text_add(link, SLICE("/?symbolServer="));
    add_encoded(link, slice_of(server));
}
