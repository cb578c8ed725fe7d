/* A request on its way through the server, from its first line to the last byte of its answer. */
#ifndef SONDE_SERVER_REQUEST_H
#define SONDE_SERVER_REQUEST_H

#include "common/text_buffer.h"
#include "server/mhd.h"
#include "server/work.h"

struct server;
struct route;
struct connection;
struct page_file;
struct served_profile;

struct request {
    struct work_item work; /* first: the queue knows the request by it */
    struct server *server;
    struct MHD_Connection *http;
    struct connection *connection;
    const struct route *route;         /* NULL = refused before it was known */
    const struct page_file *page_file; /* that is asked for */
    struct slice host;                 /* under which the server is reached; lives as long as the request */
    struct slice origin;               /* of the page that asks, if it may; lives as long as the request. `text` NULL = none */
    struct served_profile *profile;    /* that it is about */
    int file;                          /* of `reply`, as `work` left it; -1 = there is none */
    size_t length;                     /* of the body, as announced; counted in the server's body_bytes */
    struct text_buffer body;
    bool wants_json;           /* of what there is in several forms */
    struct text_buffer answer; /* what a worker has found … */
    const char *answer_type;   /* … and its type: JSON, if nothing else is said */
    unsigned put_off;          /* so many times something had to be looked for first */
    bool worked;               /* the worker is done … */
    bool cancelled;            /* … or it never began: the server ends */
};

#endif
