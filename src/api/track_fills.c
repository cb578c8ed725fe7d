#include "api/track_fills.h"

#include <math.h>

static uint8_t height_of(float share)
{
    return (uint8_t)fminf(255, fmaxf(0, share * 255 + 0.5f));
}

bool track_fills_add(struct track_fills *fills, size_t track, uint32_t width, const struct activity *activity, float whole)
{
    bool fits = true;
    for (size_t i = 0; i < activity->fill_count && fits; i++) {
        const struct activity_fill *fill = &activity->fills[i];
        fits = vec_push(&fills->track, (uint16_t)track) && vec_push(&fills->category, (uint16_t)fill->category) &&
               vec_push(&fills->resource, fill->resource) && vec_push(&fills->state, (uint8_t)fill->state);
        for (uint32_t x = 0; x < width && fits; x++)
            fits = vec_push(&fills->heights, height_of(fill->columns[x] / whole));
    }
    for (uint32_t x = 0; x < width && fits; x++)
        fits = vec_push(&fills->totals, height_of(activity->total[x] / whole));
    return fits;
}

size_t track_fills_columns(const struct track_fills *fills)
{
    return fills->heights.count + fills->totals.count;
}

/* Resources become texts in place: they are put once. */
static void put_libraries(struct reply *reply, const char *name, struct track_fills *fills)
{
    for (size_t i = 0; i < fills->resource.count; i++) {
        uint32_t *resource = &fills->resource.items[i];
        struct string_index library =
            *resource == INDEX_NONE ? STRING_NONE : reply->profile->resources.rows.items[*resource].name;
        *resource = library.i;
        reply_use_string(reply, library);
    }
    reply_column(reply, name, REPLY_ID, fills->resource.items, fills->resource.count);
}

void track_fills_put(struct reply *reply, const char *const names[6], struct track_fills *fills)
{
    reply_column(reply, names[0], REPLY_U16, fills->track.items, fills->track.count);
    reply_column(reply, names[1], REPLY_U16, fills->category.items, fills->category.count);
    reply_column(reply, names[2], REPLY_U8, fills->state.items, fills->state.count);
    reply_column(reply, names[3], REPLY_U8, fills->heights.items, fills->heights.count);
    reply_column(reply, names[4], REPLY_U8, fills->totals.items, fills->totals.count);
    if (names[5])
        put_libraries(reply, names[5], fills);
}

void track_fills_free(struct track_fills *fills)
{
    vec_free(&fills->track);
    vec_free(&fills->category);
    vec_free(&fills->resource);
    vec_free(&fills->state);
    vec_free(&fills->heights);
    vec_free(&fills->totals);
}
