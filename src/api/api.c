#include "api/api.h"

#include "api/ask.h"
#include "api/carry_ask.h"
#include "api/export.h"
#include "api/first_view.h"
#include "api/follow.h"
#include "api/request_read.h"
#include "profile/time_span.h"
#include "tree/transform_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

struct api {
    const struct profile *profile;
    struct generations generations;
    bool symbols_arrive;
    bool has_view;
    struct view whole; /* made when it is first needed after a change */
    double start;
    struct time_span root;
    struct first_view first;
    struct answers answers;
    struct marker_store markers;
    struct marker_sets marker_sets;
    struct base_profile *base; /* NULL = none */
    struct kept_comparison comparison;
    const struct api_sources *sources; /* NULL = nobody has files */
};

struct api *api_open(const struct profile *profile, uint32_t generation, struct error *error)
{
    struct api *api = memory_zeroed(1, sizeof *api);
    if (!api) {
        error_out_of_memory(error);
        return NULL;
    }
    api->profile = profile;
    api->generations.now = generation;
    api->generations.first_strings = string_table_count(&profile->strings);
    answers_init(&api->answers);
    marker_store_init(&api->markers, profile);
    api->start = profile_time_span(profile).start;
    api->root = profile_root_span(profile);
    /* A profile without any time starts at 0. */
    if (!isfinite(api->start))
        api->start = 0;
    api->has_view = view_open(profile, &api->whole, error) == 0;
    if (!api->has_view || first_view_make(profile, &api->first, error) != 0) {
        api_close(api);
        return NULL;
    }
    return api;
}

void api_close(struct api *api)
{
    if (!api)
        return;
    kept_comparison_free(&api->comparison);
    base_profile_close(api->base);
    answers_free(&api->answers);
    marker_sets_free(&api->marker_sets);
    marker_store_free(&api->markers);
    first_view_free(&api->first);
    if (api->has_view)
        view_free(&api->whole);
    generations_free(&api->generations);
    memory_release(api);
}

void api_use_sources(struct api *api, const struct api_sources *sources)
{
    api->sources = sources;
}

void api_expect_symbols(struct api *api)
{
    api->symbols_arrive = true;
}

int api_compare_with(struct api *api, const struct profile *base, const char *name, struct error *error)
{
    kept_comparison_free(&api->comparison);
    base_profile_close(api->base);
    api->base = base_profile_open(base, name, error);
    return api->base ? 0 : error->code;
}

uint32_t api_update(struct api *api, struct func_changes *changes, bool symbols_arrive)
{
    kept_comparison_free(&api->comparison);
    if (api->base)
        base_profile_forget_funcs(api->base);
    answers_free(&api->answers);
    /* The texts that markers add are numbered after those of the profile, of which there are more now. */
    marker_sets_free(&api->marker_sets);
    marker_store_free(&api->markers);
    if (api->has_view)
        view_free(&api->whole);
    api->has_view = false;
    api->symbols_arrive = symbols_arrive;
    generations_add(&api->generations, changes);
    return api->generations.now;
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

/* What the state of an earlier generation is from now on. */
static int put_carried_state(struct api *api, const struct state *state, struct reply *reply)
{
    struct json_writer *w = reply->json;
    struct text_buffer text = {0};
    json_write_key(w, "state");
    json_write_begin_object(w);
    reply_put_count(reply, "generation", api->generations.now);
    json_write_key(w, "transforms");
    json_write_begin_array(w);
    for (size_t i = 0; i < state->query.transform_count && !text.failed; i++) {
        text_cut(&text, 0);
        transform_print(&state->query.transforms[i], api->whole.funcs, state->query.implementation, &text);
        json_write_string(w, text_slice(&text));
    }
    json_write_end_array(w);
    json_write_end_object(w);
    bool failed = text.failed;
    text_free(&text);
    return failed ? -ENOMEM : 0;
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
    [ASK_BUTTERFLY] = ask_butterfly,
    [ASK_STACK_CHART] = ask_stack_chart,
    [ASK_RANGE] = ask_range,
    [ASK_LINES] = ask_lines,
    [ASK_CALL_SITES] = ask_call_sites,
    [ASK_GROUPS] = ask_groups,
    [ASK_KEYS] = ask_keys,
    [ASK_FUNCS] = ask_funcs,
    [ASK_MARKER_ROWS] = ask_marker_rows,
    [ASK_MARKER_CHART] = ask_marker_chart,
    [ASK_MARKER_TABLE] = ask_marker_table,
    [ASK_MARKER] = ask_marker,
    [ASK_MARKER_STATS] = ask_marker_stats,
    [ASK_MARKER_LANES] = ask_marker_lanes,
    [ASK_SOURCE] = ask_source,
    [ASK_INSTRUCTIONS] = ask_instructions,
    [ASK_MODULES] = ask_modules,
    [ASK_COMPARE] = ask_compare,
    [ASK_EXPORT] = ask_export,
};

/* All asks are looked at before the request is put off, so that their wishes are fulfilled together. */
static int put_parts(struct asking *asking, const struct carrying *carrying, struct request *request)
{
    struct json_writer *w = asking->reply->json;
    json_write_key(w, "parts");
    json_write_begin_array(w);
    int status = 0;
    bool put_off = false;
    for (size_t i = 0; i < request->asks.count && status == 0; i++) {
        struct ask *ask = &request->asks.items[i];
        asking->number = i;
        json_write_begin_object(w);
        reply_put_text(asking->reply, "ask", ask_names[ask->kind]);
        status = carry_ask(asking, carrying, ask);
        if (status == 0 && ask->has_since)
            status = follow_ask(asking, ask);
        if (status == 0)
            status = answer_ask[ask->kind](asking, ask);
        json_write_end_object(w);
        if (status == -EAGAIN) {
            put_off = true;
            status = 0;
        }
    }
    json_write_end_array(w);
    return status == 0 && put_off ? -EAGAIN : status;
}

static struct asking asking_of(struct api *api, struct fault *fault, struct arena *arena)
{
    return (struct asking){
        .profile = api->profile,
        .whole = &api->whole,
        .answers = &api->answers,
        .markers = &api->markers,
        .marker_sets = &api->marker_sets,
        .base = api->base,
        .comparison = &api->comparison,
        .first = &api->first,
        .initial = api->first.selected.items,
        .initial_count = api->first.selected.count,
        .start = api->start,
        .root_start = api->root.start,
        .root_end = api->root.end,
        .fault = fault,
        .arena = arena,
        .sources = api->sources,
        .symbols_arrive = api->symbols_arrive,
    };
}

static int answer(struct api *api, struct request *request, const struct carrying *carrying, enum api_format format,
                  struct fault *fault, struct text_buffer *out)
{
    struct arena arena = {0};
    struct reply reply;
    struct asking asking = asking_of(api, fault, &arena);
    asking.reply = &reply;
    /* Some texts had other ids in an earlier generation. */
    size_t have_count = carrying->count > 0 ? 0 : request->have.count;
    int status = reply_begin(&reply, format, api->profile, request->have.items, have_count);
    if (status == 0)
        status = state_read(&request->state, &api->whole, asking.initial, asking.initial_count, api->start, carrying,
                            &asking.state, fault);
    if (status == 0) {
        put_head(api->generations.now, request, &reply);
        if (carrying->count > 0)
            status = put_carried_state(api, &asking.state, &reply);
        if (status == 0)
            status = put_parts(&asking, carrying, request);
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

/* What is wrong with a request before it is looked at closely. */
static int read_request(struct api *api, struct slice text, struct request *request, struct fault *fault)
{
    uint32_t now = api->generations.now;
    int status = request_read(text, request, fault);
    if (status == 0 && !request->has_generation)
        request->generation = now;
    if (status == 0 && !generations_know(&api->generations, request->generation))
        status = fault_set(fault, "stale", "state.generation", "state.generation: this is generation %u", now);
    return status;
}

/* From the generation that the request is of. 0 or -ENOMEM; to be ended in any case. */
static int begin_carrying(struct api *api, const struct request *request, struct carrying *carrying)
{
    struct error error = {0};
    if (!api->has_view)
        api->has_view = view_open(api->profile, &api->whole, &error) == 0;
    if (!api->has_view)
        return -ENOMEM;
    return carrying_begin(carrying, &api->generations, request->generation, api->whole.funcs) ? 0 : -ENOMEM;
}

int api_ask(struct api *api, struct slice text, enum api_format format, struct text_buffer *reply)
{
    struct request request;
    struct fault fault = {0};
    struct carrying carrying = {0};
    int status = read_request(api, text, &request, &fault);
    if (status == 0)
        status = begin_carrying(api, &request, &carrying);
    if (status == 0)
        status = answer(api, &request, &carrying, format, &fault, reply);
    if (status == -EINVAL)
        status = refuse(api->generations.now, &request, &fault, format, reply);
    carrying_end(&carrying);
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

/* ---- exports ---- */

static int write_export(struct api *api, struct request *request, const struct carrying *carrying, struct byte_sink *sink,
                        struct fault *fault, struct error *error)
{
    struct arena arena = {0};
    struct asking asking = asking_of(api, fault, &arena);
    int status = state_read(&request->state, &api->whole, asking.initial, asking.initial_count, api->start, carrying,
                            &asking.state, fault);
    if (status == 0)
        status = export_write(&asking, &request->asks.items[0], sink, error);
    state_free(&asking.state);
    arena_free(&arena);
    answers_trim(&api->answers);
    return status;
}

int api_export(struct api *api, struct slice text, struct byte_sink *sink, const char **type, struct text_buffer *refusal,
               struct error *error)
{
    struct request request;
    struct fault fault = {0};
    struct carrying carrying = {0};
    int status = read_request(api, text, &request, &fault);
    if (status == 0 && (request.asks.count != 1 || request.asks.items[0].kind != ASK_EXPORT))
        status = fault_set(&fault, "invalid", "asks", "asks: one \"export\" is wanted here, and nothing else");
    if (status == 0)
        status = begin_carrying(api, &request, &carrying);
    if (status == 0) {
        *type = export_type(request.asks.items[0].format);
        status = write_export(api, &request, &carrying, sink, &fault, error);
    }
    if (fault.code)
        status = refuse(api->generations.now, &request, &fault, API_JSON, refusal) == 0 ? -EINVAL : -ENOMEM;
    if (status == -ENOMEM)
        error_out_of_memory(error);
    carrying_end(&carrying);
    request_free(&request);
    return status;
}
