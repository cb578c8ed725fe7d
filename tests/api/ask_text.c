#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include <stdio.h>

char *ask_text(struct api *api, const char *request)
{
    struct text_buffer reply = {0};
    char *quoted = strdup(request);
    assert_non_null(quoted);
    for (char *at = quoted; *at; at++)
        if (*at == '\'')
            *at = '"';
    assert_int_equal(api_ask(api, slice_of(quoted), API_JSON, &reply), 0);
    free(quoted);
    char *text = strndup(reply.bytes.items, reply.bytes.count);
    assert_non_null(text);
    text_free(&reply);
    return text;
}

void assert_reply_has(struct api *api, const char *request, const char *piece)
{
    char *text = ask_text(api, request), *quoted = strdup(piece);
    assert_non_null(quoted);
    for (char *at = quoted; *at; at++)
        if (*at == '\'')
            *at = '"';
    if (!strstr(text, quoted))
        fail_msg("%s\nhas not %s\nbut is %s", request, quoted, text);
    free(quoted);
    free(text);
}

void assert_request_refused(struct api *api, const char *request, const char *code, const char *message)
{
    char *text = ask_text(api, request);
    struct json_document reply;
    json_document_parse(&reply, slice_of(text));
    const uint8_t *error = json_find(&reply, json_root(&reply), "error");
    if (!error)
        fail_msg("%s is answered by %s", request, text);
    struct slice said = json_text(&reply, json_get(&reply, error, "message"));
    if (!slice_equal(said, slice_of(message)) ||
        !slice_equal(json_text(&reply, json_get(&reply, error, "code")), slice_of(code)))
        fail_msg("%s is refused by %s", request, text);
    assert_null(json_find(&reply, json_root(&reply), "parts"));
    json_document_close(&reply);
    free(text);
}
