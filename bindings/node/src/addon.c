/* What index.js calls: the table of the library (sonde/api.h), for JavaScript. It is built without Sonde's headers at hand, so
 * what it needs of them is repeated here.
 *
 * Times are milliseconds in JavaScript and nanoseconds in the library. Nothing here throws: a program must not fail for being
 * recorded. What does not fit is empty or 0. */
#define NAPI_VERSION 8
#include <node_api.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- the library's interface -------------------------------------------------------------------------------------------- */

#define STATE_ACTIVE (UINT64_C(1) << 63)
#define STATE_PAUSED (UINT64_C(1) << 62)

enum phase { PHASE_INSTANT, PHASE_INTERVAL };
enum input {
    INPUT_TEXT,
    INPUT_SIGNED,
    INPUT_UNSIGNED,
    INPUT_DOUBLE,
    INPUT_BOOLEAN,
    INPUT_TIME,
    INPUT_FLOW,
    INPUT_MS,
    INPUT_US
};
enum { FIELDS_MAX = 32 };

struct options {
    int phase;
    uint64_t start, end;
    int capture;
    const void *backtrace;
    int thread;
};

struct field {
    const char *key, *label, *format;
    int input;
    bool hidden;
    size_t offset;
};

struct schema {
    const char *name;
    const char *description, *chart_label, *tooltip_label, *table_label, *colour_field, *display;
    bool stack_based;
    const struct field *fields;
    size_t field_count;
    uint32_t id;
};

struct cell {
    int64_t count;
    uint64_t number;
};

struct counter {
    const char *name, *category, *description;
    struct cell *cell;
};

struct api {
    size_t size;
    const uint64_t *state;
    void (*recording[17])(void); /* start … buffer_info */
    void (*set_process_name)(const char *name);
    uint32_t (*category_register)(const char *name, const char *colour);
    uint32_t (*subcategory_register)(uint32_t category, const char *name);
    void (*thread_register)(const char *name);
    void (*thread_unregister)(void);
    void (*thread_rename)(const char *name);
    void (*thread[4])(void); /* sleep, wake, set_runtime, set_event_delay */
    uint32_t (*label_push)(const char *label, const char *dynamic, const void *stack_address, uint32_t category,
                           unsigned flags);
    void (*label_pop)(uint32_t depth);
    uint64_t (*now)(void);
    void (*marker_add)(struct schema *type, const char *name, size_t length, uint32_t category, const struct options *options,
                       const void *values);
    void (*backtrace[2])(void); /* capture, free */
    uint64_t (*flow)(uintptr_t object);
    struct schema *text, *text_stack, *tracing, *stack_marker;
    void (*counter_register)(struct counter *counter);
    void (*bandwidth_add)(uint64_t bytes);
};

/* Set by the first thread that loads the addon, before any of its functions can be called. */
static const struct api *api;

static bool is_recording(void)
{
    return (__atomic_load_n(api->state, __ATOMIC_RELAXED) & (STATE_ACTIVE | STATE_PAUSED)) == STATE_ACTIVE;
}

/* --- arguments ------------------------------------------------------------------------------------------------------------ */

enum { ARGUMENTS_MAX = 7 };

struct call {
    napi_env env;
    size_t count;
    napi_value given[ARGUMENTS_MAX]; /* those left out are undefined */
};

static struct call call_begin(napi_env env, napi_callback_info info)
{
    struct call call = {.env = env, .count = ARGUMENTS_MAX};
    napi_get_cb_info(env, info, &call.count, call.given, NULL, NULL);
    return call;
}

static double number_of(napi_env env, napi_value value)
{
    double number = 0;
    return napi_get_value_double(env, value, &number) == napi_ok ? number : 0;
}

/* Large, negative and other numbers, without overflow. */
static uint64_t unsigned_of(double number)
{
    return number >= 18446744073709551616.0 ? UINT64_MAX : number > 0 ? (uint64_t)number : 0;
}

static int64_t signed_of(double number)
{
    return number >= 9223372036854775808.0    ? INT64_MAX
           : number <= -9223372036854775808.0 ? INT64_MIN
                                              : (int64_t)(number == number ? number : 0);
}

static uint64_t nanoseconds_of(double milliseconds)
{
    return unsigned_of(milliseconds * 1e6);
}

/* A copy that the caller frees, with its length; NULL for what is no text, or without memory. */
static char *text_of(napi_env env, napi_value value, size_t *length)
{
    size_t needed = 0;
    if (napi_get_value_string_utf8(env, value, NULL, 0, &needed) != napi_ok)
        return NULL;
    char *text = malloc(needed + 1);
    if (text)
        napi_get_value_string_utf8(env, value, text, needed + 1, length ? length : &needed);
    return text;
}

static napi_value number_value(napi_env env, double number)
{
    napi_value value = NULL;
    napi_create_double(env, number, &value);
    return value;
}

/* --- markers ----------------------------------------------------------------------------------------------------------------
 */

union slot {
    char *text;
    int64_t number;
    uint64_t count;
    double decimal;
};

/* Texts in it are the caller's. */
static union slot slot_of(napi_env env, enum input input, napi_value value)
{
    union slot slot = {.count = 0};
    switch (input) {
    case INPUT_TEXT:
        slot.text = text_of(env, value, NULL);
        break;
    case INPUT_SIGNED:
        slot.number = signed_of(number_of(env, value));
        break;
    case INPUT_DOUBLE:
        slot.decimal = number_of(env, value);
        break;
    case INPUT_TIME:
    case INPUT_MS:
    case INPUT_US:
        slot.count = nanoseconds_of(number_of(env, value));
        break;
    default:
        slot.count = unsigned_of(number_of(env, value));
    }
    return slot;
}

static void add(struct call *call, struct schema *schema, union slot *values)
{
    napi_env env = call->env;
    size_t length = 0;
    char *name = text_of(env, call->given[0], &length);
    double start = number_of(env, call->given[2]), end = number_of(env, call->given[3]);
    struct options options = {
        .phase = start > 0 && start != end ? PHASE_INTERVAL : PHASE_INSTANT,
        .start = nanoseconds_of(start),
        .end = nanoseconds_of(end),
    };
    if (name)
        api->marker_add(schema, name, length, (uint32_t)unsigned_of(number_of(env, call->given[1])), &options, values);
    free(name);
}

/* addText(name, category, start, end, text): a marker with a text, or none. */
static napi_value add_text(napi_env env, napi_callback_info info)
{
    struct call call = call_begin(env, info);
    if (is_recording()) {
        union slot value = slot_of(env, INPUT_TEXT, call.given[4]);
        add(&call, value.text ? api->text : NULL, &value);
        free(value.text);
    }
    return NULL;
}

/* addTyped(name, category, start, end, schema, values): with an array of values, in the order of the fields. */
static napi_value add_typed(napi_env env, napi_callback_info info)
{
    struct call call = call_begin(env, info);
    void *external = NULL;
    if (!is_recording() || napi_get_value_external(env, call.given[4], &external) != napi_ok)
        return NULL;
    struct schema *schema = external;
    union slot values[FIELDS_MAX];
    for (uint32_t i = 0; i < schema->field_count; i++) {
        napi_value value = NULL;
        values[i].count = 0;
        if (napi_get_element(env, call.given[5], i, &value) == napi_ok)
            values[i] = slot_of(env, (enum input)schema->fields[i].input, value);
    }
    add(&call, schema, values);
    for (uint32_t i = 0; i < schema->field_count; i++)
        if (schema->fields[i].input == INPUT_TEXT)
            free(values[i].text);
    return NULL;
}

/* makeType(name, tableLabel, chartLabel, keys, formats, inputs): the library refers to it from now on, so it is never freed. */
static napi_value make_type(napi_env env, napi_callback_info info)
{
    struct call call = call_begin(env, info);
    uint32_t count = 0;
    napi_get_array_length(env, call.given[3], &count);
    struct schema *schema = calloc(1, sizeof *schema);
    struct field *fields = calloc(FIELDS_MAX, sizeof *fields);
    napi_value external = NULL;
    if (!schema || !fields || count > FIELDS_MAX) {
        free(schema);
        free(fields);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        napi_value key, format, input;
        if (napi_get_element(env, call.given[3], i, &key) == napi_ok &&
            napi_get_element(env, call.given[4], i, &format) == napi_ok &&
            napi_get_element(env, call.given[5], i, &input) == napi_ok)
            fields[i] = (struct field){
                .key = text_of(env, key, NULL),
                .format = text_of(env, format, NULL),
                .input = (int)number_of(env, input),
                .offset = i * sizeof(union slot),
            };
    }
    *schema = (struct schema){
        .name = text_of(env, call.given[0], NULL),
        .table_label = text_of(env, call.given[1], NULL),
        .chart_label = text_of(env, call.given[2], NULL),
        .fields = fields,
        .field_count = count,
    };
    napi_create_external(env, schema, NULL, NULL, &external);
    return external;
}

/* --- the rest ---------------------------------------------------------------------------------------------------------------
 */

static napi_value recording(napi_env env, napi_callback_info info)
{
    (void)info;
    napi_value value = NULL;
    napi_get_boolean(env, is_recording(), &value);
    return value;
}

static napi_value now(napi_env env, napi_callback_info info)
{
    (void)info;
    return number_value(env, (double)api->now() / 1e6);
}

/* category(name, colour), or subcategory(category, name): a number. */
static napi_value category(napi_env env, napi_callback_info info)
{
    struct call call = call_begin(env, info);
    char *name = text_of(env, call.given[0], NULL), *colour = text_of(env, call.given[1], NULL);
    uint32_t number = name ? api->category_register(name, colour ? colour : "grey") : 1;
    free(name);
    free(colour);
    return number_value(env, number);
}

static napi_value subcategory(napi_env env, napi_callback_info info)
{
    struct call call = call_begin(env, info);
    uint32_t number = (uint32_t)unsigned_of(number_of(env, call.given[0]));
    char *name = text_of(env, call.given[1], NULL);
    if (name)
        number = api->subcategory_register(number, name);
    free(name);
    return number_value(env, number);
}

/* makeCounter(name, category, description): lives as long as the process, like what it has counted. */
static napi_value make_counter(napi_env env, napi_callback_info info)
{
    struct call call = call_begin(env, info);
    struct counter *counter = calloc(1, sizeof *counter);
    napi_value external = NULL;
    if (!counter)
        return NULL;
    *counter = (struct counter){
        .name = text_of(env, call.given[0], NULL),
        .category = text_of(env, call.given[1], NULL),
        .description = text_of(env, call.given[2], NULL),
    };
    if (counter->name && counter->category && counter->description)
        api->counter_register(counter);
    napi_create_external(env, counter, NULL, NULL, &external);
    return external;
}

static struct cell *cell_of(struct call *call)
{
    void *external = NULL;
    if (napi_get_value_external(call->env, call->given[0], &external) != napi_ok)
        return NULL;
    return ((struct counter *)external)->cell; /* NULL where there was no room for one more */
}

static napi_value counter_add(napi_env env, napi_callback_info info)
{
    struct call call = call_begin(env, info);
    struct cell *cell = cell_of(&call);
    if (cell) {
        __atomic_fetch_add(&cell->count, signed_of(number_of(env, call.given[1])), __ATOMIC_RELAXED);
        __atomic_fetch_add(&cell->number, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static napi_value counter_set(napi_env env, napi_callback_info info)
{
    struct call call = call_begin(env, info);
    struct cell *cell = cell_of(&call);
    if (cell) {
        __atomic_store_n(&cell->count, signed_of(number_of(env, call.given[1])), __ATOMIC_RELAXED);
        __atomic_fetch_add(&cell->number, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static napi_value add_bandwidth(napi_env env, napi_callback_info info)
{
    struct call call = call_begin(env, info);
    if (is_recording())
        api->bandwidth_add(unsigned_of(number_of(env, call.given[0])));
    return NULL;
}

static napi_value call_with_name(napi_env env, napi_callback_info info, void (*rename)(const char *name))
{
    struct call call = call_begin(env, info);
    char *name = text_of(env, call.given[0], NULL);
    if (name)
        rename(name);
    free(name);
    return NULL;
}

static napi_value rename_thread(napi_env env, napi_callback_info info)
{
    return call_with_name(env, info, api->thread_rename);
}

static napi_value set_process_name(napi_env env, napi_callback_info info)
{
    return call_with_name(env, info, api->set_process_name);
}

/* --- what is exported: nothing where the library is not loaded --------------------------------------------------------------
 */

static const struct function {
    const char *name;
    napi_callback call;
} functions[] = {
    {"isRecording", recording},
    {"now", now},
    {"addText", add_text},
    {"addTyped", add_typed},
    {"makeType", make_type},
    {"category", category},
    {"subcategory", subcategory},
    {"makeCounter", make_counter},
    {"counterAdd", counter_add},
    {"counterSet", counter_set},
    {"addBandwidth", add_bandwidth},
    {"renameThread", rename_thread},
    {"setProcessName", set_process_name},
};

NAPI_MODULE_INIT()
{
    const struct api *found = dlsym(RTLD_DEFAULT, "sonde_api_1");
    if (!found || found->size < sizeof *found)
        return exports;
    __atomic_store_n(&api, found, __ATOMIC_RELEASE);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        napi_value function = NULL;
        if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].call, NULL, &function) == napi_ok)
            napi_set_named_property(env, exports, functions[i].name, function);
    }
    return exports;
}
