#include "markers/thread_names.h"

#include "common/number_text.h"
#include "common/text_buffer.h"

static bool is_main(const struct profile *profile, const struct thread *thread)
{
    return slice_is(profile_text(profile, thread->name), "GeckoMain");
}

/* The site that a main thread works for, or STRING_NONE. */
static struct string_index thread_site(const struct profile *profile, const struct thread *thread)
{
    if (thread->other.bytes.count == 0)
        return STRING_NONE;
    const uint8_t *at = value_find(thread->other.bytes.items, string_table_find(&profile->strings, SLICE("eTLD+1")));
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    return value.kind == VALUE_STRING ? value.string : STRING_NONE;
}

static struct slice process_type_name(struct slice type)
{
    static const char *const names[][2] = {
        {"default", "Parent Process"}, {"gpu", "GPU Process"},       {"rdd", "Remote Data Decoder"},
        {"tab", "Content Process"},    {"plugin", "Plugin Process"}, {"socket", "Socket Process"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_equal(type, slice_of(names[i][0])))
            return slice_of(names[i][1]);
    return SLICE("");
}

static bool is_named(const struct profile *profile, struct string_index index)
{
    return profile_text(profile, index).length > 0;
}

/* Main threads are called by what they work for. */
static struct slice main_thread_name(const struct profile *profile, const struct thread *thread)
{
    struct string_index site = thread_site(profile, thread);
    if (is_named(profile, site))
        return profile_text(profile, site);
    if (is_named(profile, thread->process_name))
        return profile_text(profile, thread->process_name);
    return process_type_name(profile_text(profile, thread->process_type));
}

/* Main threads that agree in one of these may need numbers to be told apart. */
enum aspect { ASPECT_SITE, ASPECT_PROCESS_NAME, ASPECT_PROCESS_TYPE, ASPECTS };

struct alike {
    enum aspect aspect;
    struct string_index text;
    size_t count; /* main threads with this text */
    size_t named; /* of them, how many came so far */
};

struct alikes {
    VEC(struct alike) rows;
    struct map by_key;
};

static struct string_index aspect_of(const struct profile *profile, const struct thread *thread, enum aspect aspect)
{
    return aspect == ASPECT_SITE           ? thread_site(profile, thread)
           : aspect == ASPECT_PROCESS_NAME ? thread->process_name
                                           : thread->process_type;
}

/* The aspect that gives a main thread its name; ASPECTS where the name needs no number. */
static enum aspect naming_aspect(const struct profile *profile, const struct thread *thread)
{
    if (is_named(profile, thread_site(profile, thread)))
        return ASPECT_SITE;
    if (is_named(profile, thread->process_name))
        return ASPECT_PROCESS_NAME;
    return slice_is(profile_text(profile, thread->process_type), "tab") ? ASPECT_PROCESS_TYPE : ASPECTS;
}

/* The row of those who have `text`, made if it is new; NULL when the heap is empty. It moves when the next one is made. */
static struct alike *alikes_at(struct alikes *alikes, enum aspect aspect, struct string_index text)
{
    uint64_t hash = hash_combine((uint64_t)aspect, text.i);
    uint32_t row;
    for (struct map_probe probe = map_probe(&alikes->by_key, hash); map_probe_next(&probe, &row);)
        if (alikes->rows.items[row].aspect == aspect && string_same(alikes->rows.items[row].text, text))
            return &alikes->rows.items[row];
    struct alike fresh = {.aspect = aspect, .text = text};
    if (!vec_push(&alikes->rows, fresh) || !map_insert(&alikes->by_key, hash, (uint32_t)alikes->rows.count - 1))
        return NULL;
    return &alikes->rows.items[alikes->rows.count - 1];
}

static bool alikes_count(struct alikes *alikes, const struct profile *profile)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        for (enum aspect aspect = 0; aspect < ASPECTS && is_main(profile, &profile->threads.items[i]); aspect++) {
            struct alike *alike = alikes_at(alikes, aspect, aspect_of(profile, &profile->threads.items[i], aspect));
            if (!alike)
                return false;
            alike->count++;
        }
    return true;
}

static void add_number(struct text_buffer *text, size_t number)
{
    char digits[NUMBER_TEXT_SIZE];
    text_add(text, (struct slice){digits, integer_text((int64_t)number, digits)});
}

/* " (2/3)", where there are others; threads come in order. False when the heap is empty. */
static bool add_thread_number(struct text_buffer *text, struct alikes *alikes, const struct profile *profile,
                              const struct thread *thread)
{
    enum aspect naming = naming_aspect(profile, thread);
    for (enum aspect aspect = 0; aspect < ASPECTS; aspect++) {
        struct alike *alike = alikes_at(alikes, aspect, aspect_of(profile, thread, aspect));
        if (!alike)
            return false;
        alike->named++;
        if (aspect != naming || alike->count < 2)
            continue;
        text_add(text, SLICE(" ("));
        add_number(text, alike->named);
        text_add_char(text, '/');
        add_number(text, alike->count);
        text_add_char(text, ')');
    }
    return true;
}

/* "example.org (2/3)" */
static bool add_thread_name(struct text_buffer *text, struct alikes *alikes, const struct profile *profile,
                            const struct thread *thread)
{
    bool main = is_main(profile, thread);
    struct slice name = main ? main_thread_name(profile, thread) : SLICE("");
    text_add(text, name.length > 0 ? name : profile_text(profile, thread->name));
    return !main || add_thread_number(text, alikes, profile, thread);
}

bool thread_names_make(struct marker_texts *texts, struct string_index *names)
{
    const struct profile *profile = texts->profile;
    struct alikes alikes = {0};
    struct text_buffer text = {0};
    bool ok = alikes_count(&alikes, profile);
    for (size_t i = 0; ok && i < profile->threads.count; i++) {
        const struct thread *thread = &profile->threads.items[i];
        text_cut(&text, 0);
        ok = add_thread_name(&text, &alikes, profile, thread);
        text_add(&text, SLICE(" (Thread ID: "));
        text_add(&text, profile_text(profile, thread->tid));
        text_add_char(&text, ')');
        names[i] = marker_texts_add(texts, text_slice(&text));
        ok = ok && !text.failed && string_exists(names[i]);
    }
    text_free(&text);
    vec_free(&alikes.rows);
    map_free(&alikes.by_key);
    return ok;
}
