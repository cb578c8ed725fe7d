/* Sonde: tell a profiler what your program does.
 *
 *     #include <sonde/sonde.h>
 *
 *     static SONDE_COUNTER(queue_length, "Queue length", "Queue", "Requests that wait");
 *
 *     SONDE_MARKER_TYPE(http_request, "HTTP request",
 *                       SONDE_FIELD_URL(url), SONDE_FIELD_INTEGER(status), SONDE_FIELD_BYTES(size))
 *
 *     int main(void)
 *     {
 *         SONDE_LABEL("start-up", OTHER);                // a frame in every stack until the end of the block
 *         SONDE_MARKER_SCOPE("load", "config.toml");     // an interval with a text until the end of the block
 *         sonde_marker_instant("cache miss", OTHER);
 *         sonde_counter_add(&queue_length, +1);
 *         SONDE_MARKER(http_request, "GET", NETWORK, .url = "https://…", .status = 200, .size = 1234);
 *     }
 *
 * Nothing needs to be linked. Where the library is not loaded every call does nothing; `sonde record ./program` loads it, and
 * so does linking with -lsonde. While it is loaded but not recording, a call costs one load and one branch.
 *
 * Unless a function says otherwise it may be called from any thread, registered or not, at any time, also before main(), but
 * not from a signal handler (a marker that a handler adds while its thread is adding one is dropped and counted).
 * Names and texts are copied by the call, except those of labels, which must live as long as their block. */
#ifndef SONDE_SONDE_H
#define SONDE_SONDE_H

#include "sonde/api.h"

#endif
