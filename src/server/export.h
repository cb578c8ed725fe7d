/* Exports of the query API as answers of the server. */
#ifndef SONDE_SERVER_EXPORT_H
#define SONDE_SERVER_EXPORT_H

#include "server/request.h"

/* The `work` of the route: what is exported, or the reply that says what is wrong. 0, or -ENOMEM. */
int export_answer(struct request *request);

/* In a work thread of another queue than the profile's: the profile with the threads and the range of the state alone, as
 * browsers fetch it, or what is wrong with the request. 0 or -ENOMEM. */
int part_answer(struct request *request);

#endif
