/* The native methods of sonde.Library. They are called by threads of the program, in native code: what they need of Java they
 * copy, and nothing of it stays in use when they return. */
#include "preload/java.h"

#include "common/memory.h"
#include "sonde/api.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 32, SMALL = 1024, LONGEST = 1 << 20 };

/* Bytes of an array, with a NUL behind them; small ones need no memory. */
struct text {
    char *bytes; /* NULL: the array was null */
    uint32_t length;
    char small[SMALL] __attribute__((aligned(8)));
};

static void text_take(struct text *text, jni_env *env, jni_ref array)
{
    text->bytes = NULL;
    text->length = 0;
    if (!array)
        return;
    int32_t length = (*env)->GetArrayLength(env, array);
    if (length < 0 || length > LONGEST)
        length = length < 0 ? 0 : LONGEST;
    text->bytes = length < SMALL ? text->small : memory_array((size_t)length + 1, 1);
    if (!text->bytes)
        return;
    (*env)->GetByteArrayRegion(env, array, 0, length, (int8_t *)text->bytes);
    text->bytes[length] = '\0';
    text->length = (uint32_t)length;
}

static void text_release(struct text *text)
{
    if (text->bytes && text->bytes != text->small)
        memory_release(text->bytes);
}

/* Never given back: types and counters live as long as the process. */
static const char *keep(jni_env *env, jni_ref array)
{
    struct text text;
    text_take(&text, env, array);
    char *kept = text.bytes ? memory_array((size_t)text.length + 1, 1) : NULL;
    if (kept)
        memcpy(kept, text.bytes, (size_t)text.length + 1);
    text_release(&text);
    return kept;
}

/* --- the state, and times ------------------------------------------------------------------------------------------------ */

static jni_ref get_state(jni_env *env, jni_ref class)
{
    (void)class;
    return (*env)->NewDirectByteBuffer(env, (void *)(uintptr_t)sonde_api_1.state, sizeof *sonde_api_1.state);
}

static int64_t now(jni_env *env, jni_ref class)
{
    (void)env, (void)class;
    return (int64_t)sonde_api_1.now();
}

/* --- markers ------------------------------------------------------------------------------------------------------------- */

struct own_type {
    struct sonde_marker_type type;
    struct sonde_field fields[FIELDS_MAX];
};

/* As sonde.Library numbers those of the library. */
static struct sonde_marker_type *type_of(int64_t number)
{
    switch (number) {
    case 0:
        return sonde_api_1.text;
    case 1:
        return sonde_api_1.text_stack;
    case 2:
        return sonde_api_1.stack_marker;
    default:
        return &((struct own_type *)(uintptr_t)number)->type;
    }
}

/* Of fields that are texts `values` says where in it they begin: made into what the library reads. False: it is too short. */
static bool find_texts(const struct sonde_marker_type *type, struct text *values)
{
    if (values->length < 8 * type->field_count)
        return false;
    for (size_t i = 0; i < type->field_count; i++) {
        uint64_t at;
        if (type->fields[i].input != SONDE_TEXT)
            continue;
        memcpy(&at, values->bytes + 8 * i, sizeof at);
        const char *text = at > 0 && at < values->length ? values->bytes + at : NULL;
        memcpy(values->bytes + 8 * i, &text, sizeof text);
    }
    return true;
}

static void add_marker(jni_env *env, jni_ref class, int64_t number, jni_ref name_bytes, int32_t category, int32_t phase,
                       int64_t start, int64_t end, uint8_t stack, jni_ref value_bytes)
{
    struct text name, values;
    struct sonde_marker_type *type = type_of(number);
    struct sonde_marker_options options = {.phase = phase == SONDE_INTERVAL ? SONDE_INTERVAL : SONDE_INSTANT,
                                           .start = (uint64_t)start,
                                           .end = (uint64_t)end,
                                           .capture = stack ? SONDE_FULL_STACK : SONDE_NO_STACK};
    (void)class;
    text_take(&name, env, name_bytes);
    text_take(&values, env, value_bytes);
    const char *text = values.bytes;
    if (number == 0 && !text)
        type = NULL; /* a name alone */
    if (number >= 0 && number <= 2)
        sonde_api_1.marker_add(type, name.bytes ? name.bytes : "", name.length, (sonde_category)category, &options, &text);
    else if (find_texts(type, &values))
        sonde_api_1.marker_add(type, name.bytes ? name.bytes : "", name.length, (sonde_category)category, &options,
                               values.bytes);
    text_release(&name);
    text_release(&values);
}

static int64_t make_type(jni_env *env, jni_ref class, jni_ref name, jni_ref table_label, jni_ref chart_label, jni_ref fields,
                         jni_ref inputs)
{
    int32_t count = (*env)->GetArrayLength(env, inputs), kinds[FIELDS_MAX];
    struct own_type *own = memory_zeroed(1, sizeof *own);
    (void)class;
    if (!own || count > FIELDS_MAX || (*env)->GetArrayLength(env, fields) != 2 * count) {
        memory_release(own);
        return 0;
    }
    (*env)->GetIntArrayRegion(env, inputs, 0, count, kinds);
    own->type = (struct sonde_marker_type){
        .name = keep(env, name),
        .look = {.table_label = keep(env, table_label), .chart_label = keep(env, chart_label)},
        .fields = own->fields,
        .field_count = (size_t)count,
    };
    for (int32_t i = 0; i < count; i++) {
        own->fields[i].key = keep(env, (*env)->GetObjectArrayElement(env, fields, 2 * i));
        own->fields[i].format = keep(env, (*env)->GetObjectArrayElement(env, fields, 2 * i + 1));
        own->fields[i].input = (enum sonde_input)kinds[i];
        own->fields[i].offset = 8 * (size_t)i;
    }
    return (int64_t)(uintptr_t)own;
}

/* --- categories, counters, names ----------------------------------------------------------------------------------------- */

static int32_t category(jni_env *env, jni_ref class, jni_ref name_bytes, jni_ref colour_bytes)
{
    struct text name, colour;
    (void)class;
    text_take(&name, env, name_bytes);
    text_take(&colour, env, colour_bytes);
    sonde_category number = sonde_api_1.category_register(name.bytes ? name.bytes : "", colour.bytes ? colour.bytes : "grey");
    text_release(&name);
    text_release(&colour);
    return (int32_t)number;
}

static int32_t subcategory(jni_env *env, jni_ref class, int32_t of, jni_ref name_bytes)
{
    struct text name;
    (void)class;
    text_take(&name, env, name_bytes);
    sonde_category number = sonde_api_1.subcategory_register((sonde_category)of, name.bytes ? name.bytes : "");
    text_release(&name);
    return (int32_t)number;
}

static jni_ref make_counter(jni_env *env, jni_ref class, jni_ref name, jni_ref of, jni_ref description)
{
    struct sonde_counter *counter = memory_zeroed(1, sizeof *counter);
    (void)class;
    if (!counter)
        return NULL;
    counter->name = keep(env, name);
    counter->category = keep(env, of);
    counter->description = keep(env, description);
    sonde_api_1.counter_register(counter);
    return counter->cell ? (*env)->NewDirectByteBuffer(env, counter->cell, sizeof *counter->cell) : NULL;
}

static void add_bandwidth(jni_env *env, jni_ref class, int64_t bytes)
{
    (void)env, (void)class;
    sonde_api_1.bandwidth_add((uint64_t)bytes);
}

static void set_name(jni_env *env, jni_ref bytes, void (*set)(const char *name))
{
    struct text name;
    text_take(&name, env, bytes);
    if (name.bytes)
        set(name.bytes);
    text_release(&name);
}

static void set_thread_name(jni_env *env, jni_ref class, jni_ref bytes)
{
    (void)class;
    set_name(env, bytes, sonde_api_1.thread_rename);
}

static void set_process_name(jni_env *env, jni_ref class, jni_ref bytes)
{
    (void)class;
    set_name(env, bytes, sonde_api_1.set_process_name);
}

const struct jni_native java_natives[] = {
    {"state", "()Ljava/nio/ByteBuffer;", get_state},
    {"now", "()J", now},
    {"marker", "(J[BIIJJZ[B)V", add_marker},
    {"category", "([B[B)I", category},
    {"subcategory", "(I[B)I", subcategory},
    {"type", "([B[B[B[Ljava/lang/Object;[I)J", make_type},
    {"counter", "([B[B[B)Ljava/nio/ByteBuffer;", make_counter},
    {"bandwidth", "(J)V", add_bandwidth},
    {"threadName", "([B)V", set_thread_name},
    {"processName", "([B)V", set_process_name},
};
const int32_t java_native_count = sizeof java_natives / sizeof *java_natives;
