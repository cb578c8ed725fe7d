#include "api/api.h"

#include "api/ask.h"
#include "api/first_view.h"
#include "api/follow.h"
#include "api/request_read.h"
#include "profile/time_span.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

struct api {
    const struct profile *profile;
    uint32_t generation;
    struct view whole;
    double start;
    struct time_span root;
    struct first_view first;
    struct answers answers;
};

struct api *api_open(const struct profile *profile, uint32_t generation, struct error *error)
{
    struct api *api = memory_zeroed(1, sizeof *api);
    if (!api) {
        error_out_of_memory(error);
        return NULL;
    }
    api->profile = profile;
    api->generation = generation;
    answers_init(&api->answers);
    api->start = profile_time_span(profile).start;
    api->root = profile_root_span(profile);
    /* A profile without any time starts at 0. */
    if (!isfinite(api->start))
        api->start = 0;
    if (view_open(profile, &api->whole, error) != 0 || first_view_make(profile, &api->first, error) != 0) {
        api_close(api);
        return NULL;
    }
    return api;
}

void api_close(struct api *api)
{
    if (!api)
        return;
    answers_free(&api->answers);
    first_view_free(&api->first);
    view_free(&api->whole);
    memory_release(api);
}

/* ---- replies ---- */

static void put_head(uint32_t generation, const struct request *request, struct reply *reply)
{
    json_write_begin_object(reply->json);
    reply_put_count(reply, "v", 1);
    reply_put_count(reply, "generation", generation);
    if (request->has_seq)
        reply_put_number(reply, "seq", request->seq);
    if (request->lane.text)
        reply_put_slice(reply, "lane", request->lane);
}

static void put_fault(struct reply *reply, const struct fault *fault)
{
    json_write_key(reply->json, "error");
    json_write_begin_object(reply->json);
    reply_put_text(reply, "code", fault->code);
    reply_put_text(reply, "field", fault->field[0] ? fault->field : NULL);
    reply_put_text(reply, "message", fault->what.message);
    json_write_end_object(reply->json);
}

static int refuse(uint32_t generation, const struct request *request, const struct fault *fault, enum api_format format,
                  struct text_buffer *out)
{
    struct reply reply;
    int status = reply_begin(&reply, format, NULL, NULL, 0);
    if (status == 0) {
        put_head(generation, request, &reply);
        put_fault(&reply, fault);
        json_write_end_object(reply.json);
        status = reply_end(&reply, out);
    }
    reply_free(&reply);
    return status;
}

/* ---- asks ---- */

static int (*const answer_ask[ASK_KINDS])(struct asking *asking, const struct ask *ask) = {
    [ASK_OPEN] = ask_open,
    [ASK_ROWS] = ask_rows,
    [ASK_TOGGLE] = ask_open_rows,
    [ASK_OPEN_ALL] = ask_open_rows,
    [ASK_OPEN_HEAVY] = ask_open_rows,
    [ASK_FIND] = ask_find,
    [ASK_NODE] = ask_node,
    [ASK_TRACKS] = ask_tracks,
    [ASK_SAMPLE_AT] = ask_sample_at,
    [ASK_FLAME] = ask_flame,
    [ASK_LINES] = ask_lines,
};

static int put_parts(struct asking *asking, struct request *request)
{
    struct json_writer *w = asking->reply->json;
    json_write_key(w, "parts");
    json_write_begin_array(w);
    int status = 0;
    for (size_t i = 0; i < request->asks.count && status == 0; i++) {
        struct ask *ask = &request->asks.items[i];
        asking->number = i;
        json_write_begin_object(w);
        reply_put_text(asking->reply, "ask", ask_names[ask->kind]);
        if (ask->has_since)
            status = follow_ask(asking, ask);
        if (status == 0)
            status = answer_ask[ask->kind](asking, ask);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    return status;
}

static int answer(struct api *api, struct request *request, enum api_format format, struct fault *fault,
                  struct text_buffer *out)
{
    struct arena arena = {0};
    struct reply reply;
    struct asking asking = {
        .profile = api->profile,
        .whole = &api->whole,
        .answers = &api->answers,
        .initial = api->first.selected.items,
        .initial_count = api->first.selected.count,
        .start = api->start,
        .root_start = api->root.start,
        .root_end = api->root.end,
        .reply = &reply,
        .fault = fault,
        .arena = &arena,
    };
    int status = reply_begin(&reply, format, api->profile, request->have.items, request->have.count);
    if (status == 0)
        status =
            state_read(&request->state, &api->whole, asking.initial, asking.initial_count, api->start, &asking.state, fault);
    if (status == 0) {
        put_head(api->generation, request, &reply);
        status = put_parts(&asking, request);
    }
    if (status == 0) {
        reply_put_strings(&reply);
        json_write_end_object(reply.json);
        status = reply_end(&reply, out);
    }
    state_free(&asking.state);
    reply_free(&reply);
    arena_free(&arena);
    answers_trim(&api->answers);
    return status;
}

int api_ask(struct api *api, struct slice text, enum api_format format, struct text_buffer *reply)
{
    struct request request;
    struct fault fault = {0};
    int status = request_read(text, &request, &fault);
    if (status == 0 && request.has_generation && request.generation != api->generation)
        status = fault_set(&fault, "stale", "state.generation", "state.generation: this is generation %u", api->generation);
    if (status == 0)
        status = answer(api, &request, format, &fault, reply);
    if (status != 0 && status != -ENOMEM)
        status = refuse(api->generation, &request, &fault, format, reply);
    request_free(&request);
    return status;
}

int api_refuse(struct slice text, const char *message, enum api_format format, struct text_buffer *reply)
{
    struct request request;
    struct fault fault = {0}, unavailable = {0};
    int status = request_read(text, &request, &fault);
    fault_set(&unavailable, "unavailable", "", "%s", message);
    if (status != -ENOMEM)
        status = refuse(0, &request, &unavailable, format, reply);
    request_free(&request);
    return status;
}

void api_lane(struct slice text, char lane[API_LANE_MOST + 1])
{
    struct request request;
    struct fault fault = {0};
    request_read(text, &request, &fault);
    snprintf(lane, API_LANE_MOST + 1, "%.*s", (int)request.lane.length, request.lane.text ? request.lane.text : "");
    request_free(&request);
}
