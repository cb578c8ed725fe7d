#include "server/page_files.h"

#include <stdio.h>

const struct page_file *page_file_find(const struct page_files *files, struct slice path)
{
    if (path.length == 0 || path.text[0] != '/')
        return NULL;
    struct slice name = path.length == 1 ? SLICE("index.html") : slice_from(path, 1);
    for (size_t i = 0; i < files->count; i++)
        if (slice_equal(name, slice_of(files->items[i].name)))
            return &files->items[i];
    return NULL;
}

void page_link(uint16_t port, const struct token *token, struct text_buffer *link)
{
    char text[80];
    snprintf(text, sizeof text, "http://127.0.0.1:%u/#token=%s", port, token->text);
    text_add(link, slice_of(text));
}

void page_policy(struct slice host, struct text_buffer *policy)
{
    text_add(policy, SLICE("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
                           "font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                           "connect-src 'self'"));
    /* To some browsers 'self' is no WebSocket. They have no way to write an IPv6 address here. */
    if (host.length > 0 && host.text[0] != '[') {
        text_add(policy, SLICE(" ws://"));
        text_add(policy, host);
    }
}
