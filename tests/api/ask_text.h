/* Requests of tests as text, and their replies as text or as values. */
#ifndef SONDE_TESTS_API_ASK_TEXT_H
#define SONDE_TESTS_API_ASK_TEXT_H

#include "support/json_document.h"

#include "api/api.h"

/* The reply as JSON, to be given to free(). Single quotes of the request are double ones. */
char *ask_text(struct api *api, const char *request);

/* The reply has exactly these values, in order, somewhere in it: pieces of its text. */
void assert_reply_has(struct api *api, const char *request, const char *piece);

/* The request is refused: the code and the message. */
void assert_request_refused(struct api *api, const char *request, const char *code, const char *message);

#endif
