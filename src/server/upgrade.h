/* From a request to a WebSocket: the handshake. What it needs: its own page as `Origin`, and the subprotocols `sonde.v1` and
 * `token.TOKEN`. Browsers let a page name no other headers, and the path of a WebSocket is in their logs. */
#ifndef SONDE_SERVER_UPGRADE_H
#define SONDE_SERVER_UPGRADE_H

#include "server/request.h"

enum MHD_Result upgrade_to_socket(struct request *request);

#endif
