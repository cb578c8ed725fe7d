/* Whether a text is an address that stands for itself, as the URL standard has it: what `new URL(text)` takes. */
#ifndef SONDE_TRACE_ABSOLUTE_URL_H
#define SONDE_TRACE_ABSOLUTE_URL_H

#include "common/slice.h"

/* Hosts are judged by their characters alone: numbers of networks and names in other scripts are believed. */
bool url_is_absolute(struct slice text);

#endif
