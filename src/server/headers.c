#include "server/headers.h"

#include <strings.h>

/* ---- all of a header ---- */

static enum MHD_Result note_header(void *data, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct header *header = data;
    (void)kind;
    if (strcasecmp(name, header->name) != 0)
        return MHD_YES;
    if (header->count++ == 0)
        header->value = slice_of(value ? value : "");
    return MHD_YES;
}

struct header header_find(const struct request *request, const char *name)
{
    struct header header = {.name = name};
    mhd.get_connection_values(request->http, MHD_HEADER_KIND, note_header, &header);
    return header;
}

/* ---- lists ---- */

struct list_search {
    const char *name;
    bool (*visit)(const void *data, struct slice item);
    const void *data;
    bool found;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static struct slice trimmed(struct slice text)
{
    while (text.length > 0 && is_space(text.text[0]))
        text = slice_from(text, 1);
    while (text.length > 0 && is_space(text.text[text.length - 1]))
        text.length--;
    return text;
}

static enum MHD_Result search_header(void *data, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct list_search *search = data;
    (void)kind;
    if (strcasecmp(name, search->name) != 0 || !value)
        return MHD_YES;
    for (struct slice rest = slice_of(value); rest.length > 0 && !search->found;) {
        const char *comma = memchr(rest.text, ',', rest.length);
        size_t length = comma ? (size_t)(comma - rest.text) : rest.length;
        search->found = search->visit(search->data, trimmed(slice_until(rest, length)));
        rest = slice_from(rest, comma ? length + 1 : length);
    }
    return search->found ? MHD_NO : MHD_YES;
}

bool header_any(const struct request *request, const char *name, bool (*visit)(const void *data, struct slice item),
                const void *data)
{
    struct list_search search = {name, visit, data, false};
    mhd.get_connection_values(request->http, MHD_HEADER_KIND, search_header, &search);
    return search.found;
}

static bool is_word(const void *data, struct slice item)
{
    const char *word = data;
    return item.length == strlen(word) && strncasecmp(item.text, word, item.length) == 0;
}

bool header_has_word(const struct request *request, const char *name, const char *word)
{
    return header_any(request, name, is_word, word);
}

/* ---- packed replies ---- */

/* `q=0`, with any number of zeros: what has this weight is not wanted. */
static bool is_zero(struct slice weight)
{
    for (size_t i = 0; i < weight.length; i++)
        if (weight.text[i] >= '1' && weight.text[i] <= '9')
            return false;
    return weight.length > 0;
}

/* `gzip`, `gzip;q=0.5`, or `*`. */
static bool is_encoding(const void *data, struct slice item)
{
    const char *semicolon = memchr(item.text, ';', item.length);
    size_t length = semicolon ? (size_t)(semicolon - item.text) : item.length;
    struct slice name = trimmed(slice_until(item, length)), weight = slice_from(item, length);
    return !is_zero(weight) && (is_word(data, name) || is_word("*", name));
}

bool header_accepts_encoding(const struct request *request, const char *encoding)
{
    return header_any(request, MHD_HTTP_HEADER_ACCEPT_ENCODING, is_encoding, encoding);
}
