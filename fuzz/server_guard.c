/* What a request says of itself, and the address of a site, in four lines: Host, Origin, path, URL. Whatever is allowed is one
 * of the few things that may be. */
#include "target.h"

#include "server/guard.h"

static struct slice next_line(struct slice *rest)
{
    const char *end = rest->length > 0 ? memchr(rest->text, '\n', rest->length) : NULL;
    struct slice line = slice_until(*rest, end ? (size_t)(end - rest->text) : rest->length);
    *rest = slice_from(*rest, end ? line.length + 1 : rest->length);
    return line;
}

static void check_site(struct slice url, const struct token *token)
{
    struct site site;
    struct error error = {0};
    struct text_buffer link = {0};
    if (site_parse(url, &site, &error) != 0) {
        fuzz_check(error.message[0] != '\0');
        return;
    }
    struct slice origin = slice_of(site.origin);
    fuzz_check(slice_starts_with(origin, SLICE("https://")) || slice_starts_with(origin, SLICE("http://")));
    for (size_t i = 8; i < origin.length; i++)
        fuzz_check(origin.text[i] > ' ' && !memchr("/?#@\\\"%", origin.text[i], 7) && (unsigned char)origin.text[i] < 127);
    struct site again;
    fuzz_check(site_parse(slice_of(site.url), &again, &error) == 0 && strcmp(site.origin, again.origin) == 0);
    site_link(&site, 8080, token, &link);
    fuzz_check(!link.failed && slice_starts_with(text_slice(&link), slice_of(site.url)));
    text_free(&link);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct guard guard = {80, {"0123456789abcdef0123456789abcdef"}, {"https://profiler.example", 24}};
    struct slice rest = {(const char *)data, size};
    struct slice host = next_line(&rest), origin = next_line(&rest), path = next_line(&rest);
    if (guard_allows_host(&guard, host)) {
        fuzz_check(host.length <= strlen("127.0.0.1:80"));
        if (guard_allows_origin(&guard, host, origin))
            fuzz_check(origin.length <= guard.site.length);
    }
    struct slice found = guard_path(&guard, path);
    fuzz_check(!found.text || (found.length > 0 && *found.text == '/' && found.text + found.length == path.text + path.length));
    check_site(rest, &guard.token);
    return 0;
}
