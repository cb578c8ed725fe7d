/* What the macros of sonde.h stand for; included by it. */
#ifndef SONDE_MACROS_H
#define SONDE_MACROS_H

#ifdef __cplusplus
extern "C" {
#endif

#define SONDE_JOIN_(a, b) SONDE_JOINED_(a, b)
#define SONDE_JOINED_(a, b) a##b

/* --- labels ------------------------------------------------------------------------------------------------------------ */

/* Lies in the frame of the function that the label is in: its address places the label among the native frames. */
struct sonde_label_scope_ {
    uint32_t pushed;
};

static inline struct sonde_label_scope_ sonde_label_begin_(bool wanted, const char *label, const char *dynamic,
                                                           void *stack_address, sonde_category category, unsigned flags)
{
    struct sonde_label_scope_ scope = {SONDE_LABEL_NONE};
    if (wanted)
        scope.pushed = sonde_label_push(label, dynamic, stack_address, category, flags);
    return scope;
}

static inline void sonde_label_end_(struct sonde_label_scope_ *scope)
{
    sonde_label_pop(scope->pushed);
}

#define SONDE_LABEL_(wanted, label, dynamic, category, flags)                                                                  \
    SONDE_LABEL_NAMED_(SONDE_JOIN_(sonde_label_, __COUNTER__), wanted, label, dynamic, category, flags)
#define SONDE_LABEL_NAMED_(scope, wanted, label, dynamic, category, flags)                                                     \
    __attribute__((cleanup(sonde_label_end_), unused)) struct sonde_label_scope_ scope =                                       \
        sonde_label_begin_(wanted, label, dynamic, &scope, category, flags)

/* --- markers ----------------------------------------------------------------------------------------------------------- */

static inline void sonde_marker_add_(const char *name, sonde_category category, enum sonde_phase phase, uint64_t start)
{
    if (sonde_is_recording()) {
        struct sonde_marker_options options = {phase, start, 0, SONDE_NO_STACK, NULL, 0};
        sonde_api_()->marker_add(NULL, name, strlen(name), category, &options, NULL);
    }
}

static inline void sonde_marker_tracing_(const char *name, sonde_category category, const char *family, enum sonde_phase phase)
{
    if (sonde_is_recording()) {
        const struct sonde_api *api = sonde_api_();
        struct sonde_marker_options options = {phase, 0, 0, SONDE_NO_STACK, NULL, 0};
        api->marker_add(api->tracing, name, strlen(name), category, &options, &family);
    }
}

enum { SONDE_TEXT_ROOM_ = 512 };

__attribute__((format(printf, 5, 6), noinline, cold, unused)) static void sonde_marker_text_(
    const char *name, sonde_category category, enum sonde_phase phase, uint64_t start, const char *format, ...)
{
    const struct sonde_api *api = sonde_api_();
    char text[SONDE_TEXT_ROOM_];
    va_list arguments;
    va_start(arguments, format);
    if (__builtin_vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = 0;
    va_end(arguments);
    const char *value = text;
    struct sonde_marker_options options = {phase, start, 0, SONDE_NO_STACK, NULL, 0};
    api->marker_add(api->text, name, strlen(name), category, &options, &value);
}

#define SONDE_MARKER_TEXT_(name, category, phase, start, ...)                                                                  \
    do {                                                                                                                       \
        if (sonde_is_recording())                                                                                              \
            sonde_marker_text_(name, category, phase, start, __VA_ARGS__);                                                     \
    } while (0)

struct sonde_marker_scope_ {
    const char *name, *text;
    sonde_category category;
    uint64_t start; /* 0 = nothing was recorded then */
};

static inline struct sonde_marker_scope_ sonde_marker_begin_(const char *name, const char *text, sonde_category category)
{
    struct sonde_marker_scope_ scope = {name, text, category, 0};
    if (sonde_is_recording())
        scope.start = sonde_api_()->now();
    return scope;
}

static inline void sonde_marker_end_(struct sonde_marker_scope_ *scope)
{
    if (__builtin_expect(scope->start != 0, 0) && sonde_is_recording()) {
        const struct sonde_api *api = sonde_api_();
        struct sonde_marker_options options = {SONDE_INTERVAL, scope->start, 0, SONDE_NO_STACK, NULL, 0};
        api->marker_add(scope->text ? api->text_stack : api->stack_marker, scope->name, strlen(scope->name), scope->category,
                        &options, &scope->text);
    }
}

#define SONDE_MARKER_SCOPE_(name, text, category)                                                                              \
    __attribute__((cleanup(sonde_marker_end_), unused)) struct sonde_marker_scope_ SONDE_JOIN_(sonde_marker_, __COUNTER__) =   \
        sonde_marker_begin_(name, text, category)

/* --- types ------------------------------------------------------------------------------------------------------------- */

/* __extension__: initialisers that name their members are C, but C++ only since 2020. */
#define SONDE_MARKER_TYPE_(id, name, look, ...)                                                                                \
    struct sonde_marker_##id {                                                                                                 \
        SONDE_EACH_(SONDE_MEMBER_, id, __VA_ARGS__)                                                                            \
    };                                                                                                                         \
    static const struct sonde_field sonde_fields_##id[] = {SONDE_EACH_(SONDE_ROW_, id, __VA_ARGS__)};                          \
    __extension__ __attribute__((unused)) static struct sonde_marker_type sonde_type_##id = {                                  \
        name, {SONDE_UNPACK_ look}, sonde_fields_##id, sizeof sonde_fields_##id / sizeof sonde_fields_##id[0], 0}

#define SONDE_MARKER_(id, name, category, options, ...)                                                                        \
    do {                                                                                                                       \
        if (sonde_is_recording()) {                                                                                            \
            __extension__ const struct sonde_marker_##id sonde_values_ = {__VA_ARGS__};                                        \
            __extension__ const struct sonde_marker_options sonde_options_ = {SONDE_UNPACK_ options};                          \
            const char *const sonde_name_ = name;                                                                              \
            sonde_api_()->marker_add(&sonde_type_##id, sonde_name_, strlen(sonde_name_), category, &sonde_options_,            \
                                     &sonde_values_);                                                                          \
        }                                                                                                                      \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
