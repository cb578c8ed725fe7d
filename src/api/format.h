/* The two forms of a reply. */
#ifndef SONDE_API_FORMAT_H
#define SONDE_API_FORMAT_H

enum api_format {
    API_BINARY, /* a JSON head, and columns that can be used in place */
    API_JSON,   /* all of it as JSON */
};

enum { API_LANE_MOST = 32 }; /* bytes */

#endif
