/* source: the text of a source file, with the samples of each of its lines. */
#include "api/ask.h"

#include "api/put_lines.h"
#include "api/sources.h"
#include "tree/source_find.h"

#include <errno.h>
#include <math.h>

enum {
    SOURCE_MOST_TEXT = 4 << 20, /* bytes that are sent */
    SOURCE_MOST_PLACES = 8,
    SOURCE_MOST_PLACES_OF_LIB = 2,
};

/* ---- which file ---- */

static int find_file(struct asking *asking, const struct ask *ask, uint32_t *source)
{
    struct error error = {0};
    if (ask->has_func) {
        if (ask->func >= asking->whole->funcs->count)
            return asking_refuse(asking, "func", "there is no function %u", ask->func);
        *source = asking->whole->funcs->source[ask->func];
    } else if (source_find(asking->profile, ask->file, source, &error) != 0) {
        return asking_refuse(asking, "file", "%s", error.message);
    }
    return 0;
}

/* Some code that comes from the file, of several modules where there are some. */
static size_t find_places(const struct asking *asking, uint32_t source, struct code_place *places)
{
    const struct frame_table *frames = &asking->profile->frames;
    const struct func_list *funcs = asking->whole->funcs;
    size_t count = 0;
    for (size_t i = 0; i < frame_count(frames) && count < SOURCE_MOST_PLACES; i++) {
        if (funcs->source[frame_func(frames, frame_at(i)).i] != source)
            continue;
        int64_t address = column_get(&frames->address, i);
        uint32_t lib = column_get_index(&frames->lib, i);
        size_t of_lib = 0;
        for (size_t k = 0; k < count; k++)
            of_lib += places[k].lib.i == lib;
        if (address >= 0 && lib < asking->profile->libs.rows.count && of_lib < SOURCE_MOST_PLACES_OF_LIB)
            places[count++] = (struct code_place){lib_at(lib), (uint64_t)address};
    }
    return count;
}

/* ---- its text ---- */

static int look_for(struct asking *asking, uint32_t source, struct slice path, const struct found_source **found)
{
    static const struct tried_place nobody = {{"files", 5}, {"they cannot be read from here", 29}};
    static const struct found_source nowhere = {.modified = NAN, .tried = &nobody, .tried_count = 1};
    struct code_place places[SOURCE_MOST_PLACES];
    *found = &nowhere;
    if (!asking->sources || !asking->sources->source)
        return 0;
    struct source_wish wish = {
        .path = slice_starts_with(path, SLICE("file://")) ? slice_from(path, 7) : path,
        .places = places,
        .place_count = find_places(asking, source, places),
    };
    return asking->sources->source(asking->sources->context, &wish, found);
}

static void put_tried(struct reply *reply, const struct found_source *found)
{
    json_write_key(reply->json, "tried");
    json_write_begin_array(reply->json);
    for (size_t i = 0; i < found->tried_count; i++) {
        json_write_begin_object(reply->json);
        reply_put_slice(reply, "where", found->tried[i].where);
        reply_put_slice(reply, "why", found->tried[i].why);
        json_write_end_object(reply->json);
    }
    json_write_end_array(reply->json);
}

static void put_text(struct asking *asking, const struct found_source *found, uint32_t first_line)
{
    static const char *const checksums[] = {"unknown", "matches", "differs"};
    struct reply *reply = asking->reply;
    double recorded = asking->profile->meta.start_time;
    bool cut = found->text.length > SOURCE_MOST_TEXT;
    json_write_key(reply->json, "text");
    if (found->origin)
        json_write_string(reply->json, cut ? slice_until(found->text, SOURCE_MOST_TEXT) : found->text);
    else
        json_write_null(reply->json);
    reply_put_count(reply, "first_line", first_line);
    reply_put_boolean(reply, "cut", cut || found->cut);
    reply_put_text(reply, "origin", found->origin);
    json_write_key(reply->json, "found");
    if (found->found.length > 0)
        json_write_string(reply->json, found->found);
    else
        json_write_null(reply->json);
    reply_put_boolean(reply, "newer", recorded > 0 && found->modified > recorded);
    reply_put_text(reply, "checksum", checksums[found->checksum]);
    put_tried(reply, found);
}

static int put_file(struct asking *asking, uint32_t source)
{
    static const struct tried_place unnamed = {{"the profile", 11}, {"it names no file for this function", 34}};
    const struct source_table *sources = &asking->profile->sources;
    const struct found_source no_name = {.modified = NAN, .tried = &unnamed, .tried_count = 1}, *found = &no_name;
    struct found_source of_profile = {.origin = "profile", .modified = NAN};
    const struct source *row = source < sources->rows.count ? &sources->rows.items[source] : NULL;
    uint32_t first_line = 1;
    if (row && string_exists(row->content)) {
        of_profile.text = profile_text(asking->profile, row->content);
        first_line = row->start_line;
        found = &of_profile;
    } else if (row) {
        int status = look_for(asking, source, profile_text(asking->profile, row->filename), &found);
        if (status != 0)
            return status;
    }
    reply_put_string(asking->reply, "file", row ? row->filename : STRING_NONE);
    put_text(asking, found, first_line);
    return 0;
}

/* ---- its lines ---- */

/* The line to be seen first: of what was opened. */
static int find_hottest(struct asking *asking, const struct ask *ask, const struct line_timings *all, uint32_t *hottest)
{
    const struct answer *answer = &asking->kept->answer;
    struct line_timings lines = {0};
    struct error error = {0};
    int status = 0;
    if (ask->has_path)
        status = line_timings_of_path(&answer->view, &answer->nodes, &answer->weights, &ask->path, asking->state.inverted,
                                      &lines, &error);
    else if (ask->has_func)
        status = line_timings_of_func(&answer->view, &answer->weights, ask->func, &lines, &error);
    *hottest = line_timings_hottest(lines.rows.count > 0 ? &lines : all);
    line_timings_free(&lines);
    return status == 0 ? 0 : asking_failed(asking, &error);
}

int ask_source(struct asking *asking, const struct ask *ask)
{
    int status = asking_answer(asking);
    uint32_t source = INDEX_NONE, hottest;
    if (status == 0)
        status = find_file(asking, ask, &source);
    if (status == 0)
        status = put_file(asking, source);
    if (status != 0)
        return status;
    const struct answer *answer = &asking->kept->answer;
    struct line_timings lines = {0};
    struct error error = {0};
    if (source != INDEX_NONE && line_timings_of_source(&answer->view, &answer->weights, source, &lines, &error) != 0)
        return asking_failed(asking, &error);
    status = find_hottest(asking, ask, &lines, &hottest);
    if (status == 0) {
        reply_put_id(asking->reply, "hottest", hottest);
        status = put_lines(asking, &lines);
    }
    line_timings_free(&lines);
    return status;
}
