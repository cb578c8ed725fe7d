/* What a marker is: a moment, a span of time, or one end of such a span. The numbers are those of the Gecko format, of profiles
 * and of sessions alike. */
#ifndef SONDE_COMMON_MARKER_PHASE_H
#define SONDE_COMMON_MARKER_PHASE_H

enum marker_phase { MARKER_INSTANT = 0, MARKER_INTERVAL = 1, MARKER_START = 2, MARKER_END = 3 };

#endif
