#include "import/session_state.h"

#include <inttypes.h>
#include <stdio.h>

struct string_index session_text(struct session_import *import, struct slice text)
{
    return string_table_add(&import->profile->strings, text);
}

struct string_index session_id(struct session_import *import, int32_t id)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRId32, id);
    if (import->process.image > 0)
        length += snprintf(text + length, sizeof text - (size_t)length, ".%" PRIu32, import->process.image);
    return session_text(import, (struct slice){text, (size_t)length});
}

bool session_put_key(struct session_import *import, struct value_bytes *out, const char *key)
{
    struct string_index name = session_text(import, slice_of(key));
    return string_exists(name) && value_put_key(out, name);
}

bool session_put_text(struct session_import *import, struct value_bytes *out, const char *key, struct slice text)
{
    struct string_index string = session_text(import, text);
    return string_exists(string) && session_put_key(import, out, key) && value_put_string(out, string);
}
