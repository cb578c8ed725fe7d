#include "server/export.h"

#include "api/api.h"
#include "server/state.h"

#include <errno.h>

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
