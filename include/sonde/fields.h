/* The fields of a marker type, and the macros that turn a list of them into a struct and a schema; included by sonde.h.
 *
 *     SONDE_FIELD_URL(name)   SONDE_FIELD_URL(name, "Label")   SONDE_FIELD_URL(name, "Label", SONDE_HIDDEN)
 *
 * Without a label the name is shown. A hidden field is kept but not shown. All times are in nanoseconds, as differences of
 * sonde_now() are; the format only says how they are shown. */
#ifndef SONDE_FIELDS_H
#define SONDE_FIELDS_H

#include <stddef.h>

/* Texts. Whoever makes a profile public can have the first three scrubbed. */
#define SONDE_FIELD_URL(...) SONDE_FIELD_(const char *, "url", SONDE_TEXT, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_FILE_PATH(...) SONDE_FIELD_(const char *, "file-path", SONDE_TEXT, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_SANITIZED(...) SONDE_FIELD_(const char *, "sanitized-string", SONDE_TEXT, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_STRING(...) SONDE_FIELD_(const char *, "string", SONDE_TEXT, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_UNIQUE_STRING(...) SONDE_FIELD_(const char *, "unique-string", SONDE_TEXT, __VA_ARGS__, 0, 0, 0)

/* Times. */
#define SONDE_FIELD_TIME(...) SONDE_FIELD_(uint64_t, "time", SONDE_TIME, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_DURATION(...) SONDE_FIELD_(uint64_t, "duration", SONDE_NS_AS_MS, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_SECONDS(...) SONDE_FIELD_(uint64_t, "seconds", SONDE_NS_AS_MS, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_MILLISECONDS(...) SONDE_FIELD_(uint64_t, "milliseconds", SONDE_NS_AS_MS, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_MICROSECONDS(...) SONDE_FIELD_(uint64_t, "microseconds", SONDE_NS_AS_US, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_NANOSECONDS(...) SONDE_FIELD_(uint64_t, "nanoseconds", SONDE_UNSIGNED, __VA_ARGS__, 0, 0, 0)

/* Numbers. A percentage is given as 0 … 1. */
#define SONDE_FIELD_BYTES(...) SONDE_FIELD_(uint64_t, "bytes", SONDE_UNSIGNED, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_PERCENTAGE(...) SONDE_FIELD_(double, "percentage", SONDE_DOUBLE, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_INTEGER(...) SONDE_FIELD_(int64_t, "integer", SONDE_SIGNED, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_DECIMAL(...) SONDE_FIELD_(double, "decimal", SONDE_DOUBLE, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_HEXADECIMAL(...) SONDE_FIELD_(uint64_t, "hexadecimal", SONDE_UNSIGNED, __VA_ARGS__, 0, 0, 0)

/* Flows: sonde_flow(). The last marker of a flow says so, after which its object may be freed. */
#define SONDE_FIELD_FLOW(...) SONDE_FIELD_(uint64_t, "flow-id", SONDE_FLOW, __VA_ARGS__, 0, 0, 0)
#define SONDE_FIELD_TERMINATING_FLOW(...) SONDE_FIELD_(uint64_t, "terminating-flow-id", SONDE_FLOW, __VA_ARGS__, 0, 0, 0)

#define SONDE_HIDDEN 1

/* --- what they are made of ------------------------------------------------------------------------------------------- */

/* A field is (type, format, input, name, label, hidden); the zeros after its own arguments stand for those left out. */
#define SONDE_FIELD_(type, format, input, name, label, hidden, ...) (type, format, input, name, label, hidden)

#define SONDE_UNPACK_(...) __VA_ARGS__
#define SONDE_CALL_(macro, ...) macro(__VA_ARGS__)

#define SONDE_MEMBER_(id, field) SONDE_CALL_(SONDE_MEMBER_OF_, SONDE_UNPACK_ field)
#define SONDE_MEMBER_OF_(type, format, input, name, label, hidden) type name SONDE_ZERO;

#define SONDE_ROW_(id, field) SONDE_CALL_(SONDE_ROW_OF_, id, SONDE_UNPACK_ field)
#define SONDE_ROW_OF_(id, type, format, input, name, label, hidden)                                                            \
    {#name, label, format, input, hidden, offsetof(struct sonde_marker_##id, name)},

/* SONDE_EACH_(macro, id, a, b, c) is macro(id, a) macro(id, b) macro(id, c), for up to 16. */
#define SONDE_EACH_(macro, id, ...)                                                                                            \
    SONDE_CALL_EACH_(SONDE_COUNT_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ), macro, id, __VA_ARGS__)
#define SONDE_CALL_EACH_(each, ...) each(__VA_ARGS__) /* another name: a macro is not expanded within itself */
#define SONDE_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) SONDE_EACH_##count##_
#define SONDE_EACH_1_(macro, id, a) macro(id, a)
#define SONDE_EACH_2_(macro, id, a, ...) macro(id, a) SONDE_EACH_1_(macro, id, __VA_ARGS__)
#define SONDE_EACH_3_(macro, id, a, ...) macro(id, a) SONDE_EACH_2_(macro, id, __VA_ARGS__)
#define SONDE_EACH_4_(macro, id, a, ...) macro(id, a) SONDE_EACH_3_(macro, id, __VA_ARGS__)
#define SONDE_EACH_5_(macro, id, a, ...) macro(id, a) SONDE_EACH_4_(macro, id, __VA_ARGS__)
#define SONDE_EACH_6_(macro, id, a, ...) macro(id, a) SONDE_EACH_5_(macro, id, __VA_ARGS__)
#define SONDE_EACH_7_(macro, id, a, ...) macro(id, a) SONDE_EACH_6_(macro, id, __VA_ARGS__)
#define SONDE_EACH_8_(macro, id, a, ...) macro(id, a) SONDE_EACH_7_(macro, id, __VA_ARGS__)
#define SONDE_EACH_9_(macro, id, a, ...) macro(id, a) SONDE_EACH_8_(macro, id, __VA_ARGS__)
#define SONDE_EACH_10_(macro, id, a, ...) macro(id, a) SONDE_EACH_9_(macro, id, __VA_ARGS__)
#define SONDE_EACH_11_(macro, id, a, ...) macro(id, a) SONDE_EACH_10_(macro, id, __VA_ARGS__)
#define SONDE_EACH_12_(macro, id, a, ...) macro(id, a) SONDE_EACH_11_(macro, id, __VA_ARGS__)
#define SONDE_EACH_13_(macro, id, a, ...) macro(id, a) SONDE_EACH_12_(macro, id, __VA_ARGS__)
#define SONDE_EACH_14_(macro, id, a, ...) macro(id, a) SONDE_EACH_13_(macro, id, __VA_ARGS__)
#define SONDE_EACH_15_(macro, id, a, ...) macro(id, a) SONDE_EACH_14_(macro, id, __VA_ARGS__)
#define SONDE_EACH_16_(macro, id, a, ...) macro(id, a) SONDE_EACH_15_(macro, id, __VA_ARGS__)

#endif
