/* Reads a request from its text. */
#ifndef SONDE_API_REQUEST_READ_H
#define SONDE_API_REQUEST_READ_H

#include "api/request.h"

/* 0, -EINVAL with `fault` filled, or -ENOMEM. `request` needs no initialisation and is to be freed in any case; seq and lane
 * are there as far as they were read. */
int request_read(struct slice text, struct request *request, struct fault *fault);

#endif
