#include "server/export.h"

#include "api/api.h"
#include "server/profile_part.h"
#include "server/reply.h"
#include "server/state.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A sink that adds to the answer of a request. */
struct answer_sink {
    struct byte_sink base;
    struct text_buffer *answer;
};

static int answer_sink_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    struct text_buffer *answer = ((struct answer_sink *)sink)->answer;
    text_add(answer, bytes);
    return answer->failed ? error_out_of_memory(error) : 0;
}

int export_answer(struct request *request)
{
    struct error error = {0};
    struct answer_sink sink = {{answer_sink_write, NULL}, &request->answer};
    const char *type = NULL;
    const struct opened_profile *opened = profile_open_to_ask(request->profile, &error);
    struct slice body = text_slice(&request->body);
    if (!opened)
        return api_refuse(body, error.message, API_JSON, &request->answer);
    int status = api_export(opened->api, body, &sink.base, &type, &request->answer, &error);
    if (status == 0)
        request->answer_type = type;
    return status == -EINVAL ? 0 : status;
}

/* Appends all bytes of a file. False when the heap is empty, or they cannot be read. */
static bool add_file(struct text_buffer *answer, int fd)
{
    struct stat status = {0};
    size_t length = fstat(fd, &status) == 0 ? (size_t)status.st_size : 0;
    void *bytes = length > 0 ? mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (bytes == MAP_FAILED)
        return false;
    text_add(answer, (struct slice){bytes, length});
    munmap(bytes, length);
    return !answer->failed;
}

int part_answer(struct request *request)
{
    struct error error = {0};
    struct slice body = text_slice(&request->body);
    int whole = profile_packed(request->profile, &error);
    int part = whole >= 0 ? profile_part_make(whole, body, &error) : whole;
    if (part == -ENOMEM)
        return -ENOMEM;
    if (part < 0)
        return api_refuse(body, error.message, API_JSON, &request->answer);
    bool added = add_file(&request->answer, part);
    close(part);
    request->answer_type = REPLY_GZIP;
    return added ? 0 : -ENOMEM;
}
