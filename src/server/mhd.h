/* libmicrohttpd, which speaks HTTP. It is not linked but loaded when a server starts: what it brings along for TLS would make
 * every start of the command take 2.8 ms instead of 1.6. */
#ifndef SONDE_SERVER_MHD_H
#define SONDE_SERVER_MHD_H

#include "common/error.h"

#include <microhttpd.h>

#define MHD_FUNCTIONS(each)                                                                                                    \
    each(add_response_header) each(create_response_from_buffer) each(create_response_from_buffer_with_free_callback)           \
        each(create_response_for_upgrade) each(create_response_from_fd64) each(destroy_response) each(get_connection_info)     \
            each(get_connection_values) each(lookup_connection_value) each(queue_response) each(resume_connection)             \
                each(start_daemon) each(stop_daemon) each(suspend_connection) each(upgrade_action)

/* MHD_start_daemon() is mhd.start_daemon() here. */
#define MHD_MEMBER(name) __typeof__(MHD_##name) *name;
extern struct mhd_library {
    MHD_FUNCTIONS(MHD_MEMBER)
} mhd;
#undef MHD_MEMBER

/* Once per process is enough, more do no harm; not by two threads at once. -ENOENT where the library is not there. */
int mhd_load(struct error *error);

#endif
