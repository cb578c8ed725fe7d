#include "symbols/api_request.h"

#include "profile/module_ids.h"
#include "symbols/api_file.h"
#include "symbols/module.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the question ---- */

struct asked_module {
    struct api_name name;
    uint32_t served; /* of the api's modules; INDEX_NONE = not one of them */
};

struct asked_frame {
    uint32_t module; /* of its job's modules; INDEX_NONE = none */
    uint64_t address;
};

struct asked_stack {
    size_t first, count; /* frames */
};

struct asked_job {
    size_t first_module, module_count, first_stack, stack_count;
};

/* What is known of one of the api's modules. */
struct looked_up {
    bool is_asked;
    VEC(uint64_t) addresses;
    struct symbol_answers answers;
    struct symbol_outcome outcome;
};

struct question {
    struct string_table strings;
    VEC(struct asked_job) jobs;
    VEC(struct asked_module) modules;
    VEC(struct asked_stack) stacks;
    VEC(struct asked_frame) frames;
    struct looked_up *served; /* one for each of the api's modules */
    size_t served_count;
    struct text_buffer text; /* being put together */
};

static void question_free(struct question *question)
{
    for (size_t i = 0; i < question->served_count; i++) {
        vec_free(&question->served[i].addresses);
        symbol_answers_free(&question->served[i].answers);
    }
    memory_release(question->served);
    string_table_free(&question->strings);
    vec_free(&question->jobs);
    vec_free(&question->modules);
    vec_free(&question->stacks);
    vec_free(&question->frames);
    text_free(&question->text);
}

/* Appends, unless there are too many. */
#define push_within(reader, vec, item, most)                                                                                   \
    do {                                                                                                                       \
        if ((vec)->count >= (most))                                                                                            \
            json_fail(reader, "more than %zu of them are too many", (size_t)(most));                                           \
        else if (!vec_push(vec, item))                                                                                         \
            json_fail_out_of_memory(reader);                                                                                   \
    } while (0)

/* Whether an array has another item, of those that it must have. */
static bool expect_item(struct json_reader *reader)
{
    if (json_next_item(reader))
        return true;
    if (json_ok(reader))
        json_fail(reader, "a pair is expected");
    return false;
}

static void expect_end(struct json_reader *reader)
{
    if (json_next_item(reader) && json_ok(reader))
        json_fail(reader, "a pair is expected");
}

/* [[debugName, breakpadId] …] */
static void read_modules(struct json_reader *reader, struct question *question)
{
    if (!json_begin_array(reader))
        return;
    while (json_next_item(reader)) {
        struct asked_module module = {.name = {STRING_NONE, STRING_NONE, STRING_NONE, STRING_NONE}, .served = INDEX_NONE};
        if (!json_begin_array(reader))
            return;
        if (expect_item(reader))
            module.name.debug_name = api_read_text(reader, &question->strings);
        if (expect_item(reader))
            module.name.debug_id = api_read_text(reader, &question->strings);
        expect_end(reader);
        if (json_ok(reader))
            push_within(reader, &question->modules, module, API_MOST_MODULES);
    }
}

/* [module, address] */
static void read_frame(struct json_reader *reader, struct question *question)
{
    int64_t module = -1, address = 0;
    if (!json_begin_array(reader))
        return;
    if (expect_item(reader))
        module = json_integer(reader);
    if (expect_item(reader))
        address = json_integer(reader);
    expect_end(reader);
    if (json_ok(reader) && (module < -1 || module >= API_MOST_MODULES))
        json_fail(reader, "there is no module %lld", (long long)module);
    if (json_ok(reader) && address < 0)
        json_fail(reader, "there is no address %lld", (long long)address);
    struct asked_frame frame = {module < 0 ? INDEX_NONE : (uint32_t)module, (uint64_t)address};
    if (json_ok(reader))
        push_within(reader, &question->frames, frame, API_MOST_FRAMES);
}

static void read_stacks(struct json_reader *reader, struct question *question)
{
    if (!json_begin_array(reader))
        return;
    while (json_next_item(reader)) {
        struct asked_stack stack = {.first = question->frames.count};
        if (json_begin_array(reader))
            while (json_next_item(reader))
                read_frame(reader, question);
        stack.count = question->frames.count - stack.first;
        if (json_ok(reader))
            push_within(reader, &question->stacks, stack, API_MOST_STACKS);
    }
}

/* Both lists are there, in whatever order they came, and each frame is in one of the modules or in none. */
static void check_job(struct json_reader *reader, const struct question *question, const struct asked_job *job)
{
    for (size_t i = 0; i < job->stack_count; i++) {
        const struct asked_stack *stack = &question->stacks.items[job->first_stack + i];
        for (size_t j = 0; j < stack->count; j++) {
            uint32_t module = question->frames.items[stack->first + j].module;
            if (module != INDEX_NONE && module >= job->module_count) {
                json_fail(reader, "a frame is in module %u of %zu", module, job->module_count);
                return;
            }
        }
    }
}

/* An object that is a job, or has a list of jobs. */
static void read_job(struct json_reader *reader, struct question *question, bool is_outermost)
{
    struct asked_job job = {.first_module = question->modules.count, .first_stack = question->stacks.count};
    bool has_modules = false, has_stacks = false, has_jobs = false;
    if (!json_begin_object(reader))
        return;
    for (struct slice key; json_next_key(reader, &key);) {
        if (slice_is(key, "memoryMap") && !has_jobs) {
            read_modules(reader, question);
            has_modules = true;
        } else if (slice_is(key, "stacks") && !has_jobs) {
            read_stacks(reader, question);
            has_stacks = true;
        } else if (slice_is(key, "jobs") && is_outermost && !has_modules && !has_stacks) {
            has_jobs = true;
            if (json_begin_array(reader))
                while (json_next_item(reader))
                    read_job(reader, question, false);
        } else {
            json_skip(reader);
        }
    }
    if (has_jobs || !json_ok(reader))
        return;
    if (!has_modules || !has_stacks) {
        json_fail(reader, "a job has a memoryMap and stacks");
        return;
    }
    job.module_count = question->modules.count - job.first_module;
    job.stack_count = question->stacks.count - job.first_stack;
    check_job(reader, question, &job);
    if (json_ok(reader))
        push_within(reader, &question->jobs, job, API_MOST_JOBS);
}

/* ---- looking up ---- */

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Each of the api's modules gets the addresses that are asked of it. */
static int gather(const struct symbol_api *api, struct question *question, struct error *error)
{
    question->served = memory_zeroed(api->module_count, sizeof *question->served);
    if (!question->served)
        return error_out_of_memory(error);
    question->served_count = api->module_count;
    for (size_t i = 0; i < question->modules.count; i++) {
        struct asked_module *asked = &question->modules.items[i];
        const struct api_module *module = api_find_module(api, &question->strings, &asked->name);
        asked->served = module ? (uint32_t)(module - api->modules) : INDEX_NONE;
        if (module)
            question->served[asked->served].is_asked = true;
    }
    for (size_t i = 0; i < question->jobs.count; i++) {
        const struct asked_job *job = &question->jobs.items[i];
        for (size_t j = 0; j < job->stack_count; j++) {
            const struct asked_stack *stack = &question->stacks.items[job->first_stack + j];
            for (size_t k = 0; k < stack->count; k++) {
                const struct asked_frame *frame = &question->frames.items[stack->first + k];
                uint32_t served = frame->module == INDEX_NONE
                                      ? INDEX_NONE
                                      : question->modules.items[job->first_module + frame->module].served;
                if (served != INDEX_NONE && !vec_push(&question->served[served].addresses, frame->address))
                    return error_out_of_memory(error);
            }
        }
    }
    return 0;
}

static int look_up(const struct symbol_api *api, struct question *question, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < question->served_count && result == 0; i++) {
        struct looked_up *served = &question->served[i];
        char build_id[MODULE_ID_BYTES];
        uint64_t *addresses = served->addresses.items;
        size_t kept = 0;
        if (!served->is_asked)
            continue;
        if (served->addresses.count > 1)
            qsort(addresses, served->addresses.count, sizeof *addresses, compare_addresses);
        for (size_t j = 0; j < served->addresses.count; j++)
            if (kept == 0 || addresses[j] != addresses[kept - 1])
                addresses[kept++] = addresses[j];
        struct symbol_request request = api_symbol_request(&api->modules[i], build_id);
        request.addresses = addresses;
        request.address_count = kept;
        result = module_symbols(api->search, &request, &served->answers, &served->outcome, error);
    }
    return result;
}

/* ---- the answer ---- */

static void put_text(struct json_writer *writer, const char *key, const struct symbol_answers *answers,
                     struct string_index text)
{
    if (!string_exists(text))
        return;
    json_write_key(writer, key);
    json_write_string(writer, symbol_text(answers, text));
}

static void put_place(struct json_writer *writer, struct question *question, const struct symbol_answers *answers,
                      const struct symbol_call *call)
{
    if (string_exists(call->file)) {
        json_write_key(writer, "file");
        json_write_string(writer, api_file_name(symbol_text(answers, call->file), &question->text));
    }
    if (call->line > 0) {
        json_write_key(writer, "line");
        json_write_integer(writer, call->line);
    }
}

static void put_symbol(struct json_writer *writer, struct question *question, const struct symbol_answers *answers,
                       const struct symbol_answer *row)
{
    struct string_index name = string_exists(row->symbol) ? row->symbol : row->outer.function;
    if (!string_exists(name))
        return;
    put_text(writer, "function", answers, name);
    api_write_hex(writer, "function_offset", row->address - row->symbol_start);
    if (row->symbol_size > 0)
        api_write_hex(writer, "function_size", row->symbol_size);
    put_place(writer, question, answers, &row->outer);
    if (row->inline_count == 0)
        return;
    json_write_key(writer, "inlines");
    json_write_begin_array(writer);
    for (uint32_t i = 0; i < row->inline_count; i++) {
        const struct symbol_call *call = &answers->inlines.items[row->first_inline + i];
        json_write_begin_object(writer);
        put_text(writer, "function", answers, call->function);
        put_place(writer, question, answers, call);
        json_write_end_object(writer);
    }
    json_write_end_array(writer);
}

static void put_frame(struct json_writer *writer, struct question *question, const struct asked_job *job,
                      const struct asked_frame *frame, size_t index)
{
    const struct asked_module *module =
        frame->module == INDEX_NONE ? NULL : &question->modules.items[job->first_module + frame->module];
    json_write_begin_object(writer);
    json_write_key(writer, "frame");
    json_write_integer(writer, (int64_t)index);
    json_write_key(writer, "module");
    json_write_string(writer, module ? string_table_get(&question->strings, module->name.debug_name) : SLICE("<unknown>"));
    api_write_hex(writer, "module_offset", frame->address);
    if (module && module->served != INDEX_NONE) {
        const struct symbol_answers *answers = &question->served[module->served].answers;
        const struct symbol_answer *row = symbol_answers_find(answers, frame->address);
        if (row)
            put_symbol(writer, question, answers, row);
    }
    json_write_end_object(writer);
}

static bool is_found(const struct question *question, const struct asked_module *module)
{
    return module->served != INDEX_NONE && question->served[module->served].outcome.status <= SYMBOLS_EXPORTS_ONLY;
}

/* "debugName/breakpadId": true, each once. */
static int put_found_modules(struct json_writer *writer, struct question *question, const struct asked_job *job,
                             struct error *error)
{
    struct string_table written = {0};
    json_write_begin_object(writer);
    for (size_t i = 0; i < job->module_count; i++) {
        const struct asked_module *module = &question->modules.items[job->first_module + i];
        text_cut(&question->text, 0);
        text_add(&question->text, string_table_get(&question->strings, module->name.debug_name));
        text_add_char(&question->text, '/');
        text_add(&question->text, string_table_get(&question->strings, module->name.debug_id));
        size_t before = string_table_count(&written);
        if (question->text.failed || !string_exists(string_table_add(&written, text_slice(&question->text)))) {
            string_table_free(&written);
            return error_out_of_memory(error);
        }
        if (string_table_count(&written) == before)
            continue;
        json_write_key_slice(writer, text_slice(&question->text));
        json_write_boolean(writer, is_found(question, module));
    }
    json_write_end_object(writer);
    string_table_free(&written);
    return 0;
}

static int put_job(struct json_writer *writer, struct question *question, const struct asked_job *job, struct error *error)
{
    json_write_begin_object(writer);
    json_write_key(writer, "stacks");
    json_write_begin_array(writer);
    for (size_t i = 0; i < job->stack_count && json_writer_ok(writer); i++) {
        const struct asked_stack *stack = &question->stacks.items[job->first_stack + i];
        json_write_begin_array(writer);
        for (size_t j = 0; j < stack->count && json_writer_ok(writer); j++)
            put_frame(writer, question, job, &question->frames.items[stack->first + j], j);
        json_write_end_array(writer);
    }
    json_write_end_array(writer);
    json_write_key(writer, "found_modules");
    int result = put_found_modules(writer, question, job, error);
    json_write_end_object(writer);
    return question->text.failed ? error_out_of_memory(error) : result;
}

int api_symbolicate(const struct symbol_api *api, struct json_reader *reader, struct json_writer *writer, struct error *error)
{
    struct question question = {0};
    read_job(reader, &question, true);
    int result = json_finish(reader);
    if (result == 0)
        result = gather(api, &question, error);
    if (result == 0)
        result = look_up(api, &question, error);
    if (result == 0) {
        json_write_begin_object(writer);
        json_write_key(writer, "results");
        json_write_begin_array(writer);
        for (size_t i = 0; i < question.jobs.count && result == 0; i++)
            result = put_job(writer, &question, &question.jobs.items[i], error);
        json_write_end_array(writer);
        json_write_end_object(writer);
    }
    question_free(&question);
    return result;
}
