/* The engine as WebAssembly: a module that opens profiles and answers the query API (docs/api.md), in a page without a
 * server. Its memory is the page's to read and write; these functions are all that it exports:
 *
 *     the page                                      the engine
 *     sonde_open() ───────────────────────────────▶ asks for the bytes of the profile, as many at a time as it likes
 *       page.read(buffer, capacity) ◀───────────────
 *     sonde_compare(opened, base, name, length)     another one that was opened is what `compare` holds it against
 *     sonde_alloc(length), the request into it
 *     sonde_ask(opened, request, length, form) ───▶ a reply, good until the next call
 *     sonde_export(opened, request, length) ──────▶ a file (docs/api.md), good until the next call
 *     sonde_free(request)
 *
 * Pointers are offsets in the memory; 0 is none. */
#include "api/api.h"
#include "common/memory.h"
#include "import/importer.h"

#include <errno.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* What a call gives back: two numbers of 32 bits in the memory. */
struct bytes {
    const char *text;
    size_t length;
};
_Static_assert(sizeof(struct bytes) == 8, "as src/transport/wasm.ts of the page reads it");

struct opened {
    struct profile profile;
    struct api *api;
};

static struct text_buffer reply, refusal;
static struct error error;
static struct bytes given;

void *EXPORT(sonde_alloc)(size_t size);
void EXPORT(sonde_free)(void *block);
struct opened *EXPORT(sonde_open)(void);
void EXPORT(sonde_close)(struct opened *opened);
bool EXPORT(sonde_compare)(struct opened *opened, const struct opened *base, const char *name, size_t length);
const struct bytes *EXPORT(sonde_message)(void);
const struct bytes *EXPORT(sonde_ask)(struct opened *opened, const char *request, size_t length, enum api_format format);
const struct bytes *EXPORT(sonde_export)(struct opened *opened, const char *request, size_t length);

static const struct bytes *give(struct slice text)
{
    given = (struct bytes){text.text, text.length};
    return &given;
}

/* ---- memory of the page's ---- */

void *sonde_alloc(size_t size)
{
    return memory_array(size, 1);
}

void sonde_free(void *block)
{
    memory_release(block);
}

/* ---- the profile's bytes ---- */

/* The next bytes of the profile, unpacked: how many; 0 at the end. */
__attribute__((import_module("page"), import_name("read"))) size_t page_read(char *buffer, size_t capacity);

static ssize_t page_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *failed)
{
    (void)source;
    size_t count = page_read(buffer, capacity);
    return count <= capacity ? (ssize_t)count : error_set(failed, -EIO, "the page gave more bytes than were asked for");
}

static void page_source_close(struct byte_source *source)
{
    (void)source;
}

/* ---- profiles ---- */

/* 0 where it is none: sonde_message() says why. */
struct opened *sonde_open(void)
{
    struct byte_source source = {page_source_read, page_source_close};
    struct opened *opened = memory_zeroed(1, sizeof *opened);
    error = (struct error){0};
    if (!opened) {
        error_out_of_memory(&error);
        return NULL;
    }
    profile_init(&opened->profile);
    if (import_profile(&source, &opened->profile, &error) == 0)
        opened->api = api_open(&opened->profile, 1, &error);
    if (opened->api)
        return opened;
    sonde_close(opened);
    return NULL;
}

void sonde_close(struct opened *opened)
{
    if (!opened)
        return;
    api_close(opened->api);
    profile_free(&opened->profile);
    memory_release(opened);
}

/* `base` stays open as long as the other. False where the memory is used up. */
bool sonde_compare(struct opened *opened, const struct opened *base, const char *name, size_t length)
{
    error = (struct error){0};
    text_cut(&reply, 0);
    text_add(&reply, (struct slice){name, length});
    text_add_char(&reply, '\0');
    return !reply.failed && api_compare_with(opened->api, &base->profile, reply.bytes.items, &error) == 0;
}

/* Of what failed last. */
const struct bytes *sonde_message(void)
{
    return give(slice_of(error.message));
}

/* 0 when the memory is used up. */
const struct bytes *sonde_ask(struct opened *opened, const char *request, size_t length, enum api_format format)
{
    text_cut(&reply, 0);
    if (api_ask(opened->api, (struct slice){request, length}, format, &reply) != 0)
        return NULL;
    return give(text_slice(&reply));
}

/* ---- files ---- */

static int reply_sink_write(struct byte_sink *sink, struct slice bytes, struct error *failed)
{
    (void)sink;
    text_add(&reply, bytes);
    return reply.failed ? error_out_of_memory(failed) : 0;
}

/* 0 where the request is refused, or the memory used up: sonde_message() says why. */
const struct bytes *sonde_export(struct opened *opened, const char *request, size_t length)
{
    struct byte_sink sink = {reply_sink_write, NULL};
    const char *type;
    text_free(&reply);
    reply = (struct text_buffer){0};
    text_cut(&refusal, 0);
    error = (struct error){0};
    int status = api_export(opened->api, (struct slice){request, length}, &sink, &type, &refusal, &error);
    if (status == 0)
        return give(text_slice(&reply));
    if (status == -EINVAL)
        error_set(&error, status, "the export was refused: %.*s", (int)refusal.bytes.count, refusal.bytes.items);
    return NULL;
}
