/* The marker types of a session, and their schemas in the form of the Gecko format. */
#ifndef SONDE_EXPORT_GECKO_TYPES_H
#define SONDE_EXPORT_GECKO_TYPES_H

#include "common/arena.h"
#include "common/json_writer.h"
#include "common/map.h"
#include "common/vec.h"
#include "session/entry.h"

/* How a value of a marker is written. */
enum gecko_value_form {
    FORM_PLAIN,        /* as it is */
    FORM_STRING_INDEX, /* a text (of a flow: its number in hexadecimal), by its index in the strings of the thread */
    FORM_MILLISECONDS, /* from nanoseconds */
    FORM_MICROSECONDS,
};

struct gecko_field {
    struct slice key, label, format;
    enum marker_input input;
    enum gecko_value_form form;
    bool hidden;
    bool left_out; /* its key is taken already, or none at all */
};

struct gecko_type {
    uint32_t number; /* in the session */
    struct slice name;
    struct slice description, chart_label, tooltip_label, table_label, colour_field, display;
    bool stack_based;
    bool used; /* by a marker: others are not written */
    size_t field_count;
    struct gecko_field *fields;
};

struct gecko_types {
    VEC(struct gecko_type) rows;
    struct map by_number;
    bool no_payload_used; /* markers that have a stack but no type: see GECKO_NO_PAYLOAD */
};

/* The type of markers that have nothing but a stack, which only a payload can hold. */
#define GECKO_NO_PAYLOAD SLICE("NoPayloadUserData")

/* Texts are kept in `arena`. A number that is taken already stays what it is. False when the heap is empty. */
bool gecko_types_add(struct gecko_types *types, const struct marker_type_entry *entry, struct arena *arena);

/* The row of the type; UINT32_MAX = there is none. */
uint32_t gecko_types_find(const struct gecko_types *types, uint32_t number);

/* The value of `markerSchema`: the types that were used. */
void gecko_types_write(const struct gecko_types *types, struct json_writer *w);

void gecko_types_free(struct gecko_types *types);

#endif
