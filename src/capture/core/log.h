/* Messages to standard error, each a line that begins with "sonde: ". Errors always, the rest with SONDE_LOG=1..5. */
#ifndef SONDE_CAPTURE_CORE_LOG_H
#define SONDE_CAPTURE_CORE_LOG_H

enum log_level { LOG_ERROR, LOG_WARNING, LOG_STATE, LOG_DETAIL, LOG_LOOP, LOG_ALL };

/* Up to which level messages are printed: the value of SONDE_LOG. */
extern int log_level;

/* Not in a signal handler. */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
