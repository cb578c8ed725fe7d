/* Reads the asks of a request: which fields each kind may have, and must. */
#ifndef SONDE_API_REQUEST_ASK_H
#define SONDE_API_REQUEST_ASK_H

#include "api/request.h"

/* The array under `asks`, appended to the request's. */
void request_read_asks(struct fields *fields, struct request *request);

#endif
