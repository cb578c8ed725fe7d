#include "symbols/api.h"

#include "symbols/api_request.h"

#include <errno.h>

static const struct {
    struct slice path;
    api_method *answer;
} methods[] = {
    {{"/symbolicate/v5", sizeof "/symbolicate/v5" - 1}, api_symbolicate},
    {{"/source/v1", sizeof "/source/v1" - 1}, api_source},
    {{"/asm/v1", sizeof "/asm/v1" - 1}, api_asm},
};

static api_method *method_at(struct slice path)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (slice_equal(path, methods[i].path))
            return methods[i].answer;
    return NULL;
}

/* Writes into the response, and no more than may be: a small request can ask for the same large answer many times. */
struct response_sink {
    struct byte_sink base;
    struct text_buffer *response;
    size_t end;
};

static int response_write(struct byte_sink *base, struct slice bytes, struct error *error)
{
    struct response_sink *sink = (struct response_sink *)base;
    size_t written = sink->response->bytes.count;
    if (written > sink->end || bytes.length > sink->end - written)
        return error_set(error, -E2BIG, "the answer would be larger than %d bytes", API_MOST_ANSWER);
    text_add(sink->response, bytes);
    return sink->response->failed ? error_out_of_memory(error) : 0;
}

static int response_close(struct byte_sink *base, bool keep, struct error *error)
{
    (void)base, (void)keep, (void)error;
    return 0;
}

/* What is wrong, as an object of one text. */
static api_method answer_error;
static int answer_error(const struct symbol_api *api, struct json_reader *reader, struct json_writer *writer,
                        struct error *error)
{
    (void)api, (void)reader;
    json_write_begin_object(writer);
    json_write_key(writer, "error");
    json_write_text(writer, error->message);
    json_write_end_object(writer);
    return 0;
}

/* One object at the end of the response. On failure there may be a part of it. */
static int write_answer(const struct symbol_api *api, api_method *method, struct json_reader *reader,
                        struct text_buffer *response, struct error *error)
{
    struct response_sink sink = {
        .base = {response_write, response_close},
        .response = response,
        .end = response->bytes.count + API_MOST_ANSWER,
    };
    struct error write_error = {0};
    struct json_writer *writer = json_writer_open(&sink.base, 0, &write_error);
    if (!writer)
        return -ENOMEM;
    int result = method(api, reader, writer, error), written = json_writer_close(writer);
    return result != 0 || written == 0 ? result : error_set(error, written, "%s", write_error.message);
}

static int answer(const struct symbol_api *api, struct slice path, struct slice request, struct text_buffer *response,
                  struct error *error)
{
    api_method *method = method_at(path);
    if (!method)
        return error_set(error, -ENOENT, "there is no %.*s: only /symbolicate/v5, /source/v1 and /asm/v1",
                         (int)(path.length < 100 ? path.length : 100), path.text);
    if (request.length > API_MOST_BYTES)
        return error_set(error, -E2BIG, "the request is larger than %d bytes", API_MOST_BYTES);
    struct byte_source *source = byte_source_memory(request, 0, false, error);
    struct json_reader *reader = source ? json_reader_open(source, error) : NULL;
    int result = reader ? write_answer(api, method, reader, response, error) : -ENOMEM;
    json_reader_close(reader);
    byte_source_close(source);
    return result;
}

int symbol_api_answer(const struct symbol_api *api, struct slice path, struct slice request, struct text_buffer *response)
{
    size_t before = response->bytes.count;
    struct error error = {0};
    int result = answer(api, path, request, response, &error);
    if (result < 0) {
        text_cut(response, before);
        response->failed = false;
    }
    if (result < 0 && result != -ENOMEM)
        result = write_answer(api, answer_error, NULL, response, &error);
    if (result < 0) {
        text_cut(response, before);
        response->failed = false;
        return -ENOMEM;
    }
    return 0;
}
