/* Symbols that arrive while somebody looks: the state of an earlier generation is carried over, and answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include "support/text_profile.h"
#include "symbols/apply_support.h"

#include <stdio.h>

/* ---- one change ---- */

static struct profile profile;
static struct api *api;

static void open_api(const char *samples)
{
    struct error error = {0};
    text_profile(&profile, samples);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
}

static void close_api(void)
{
    api_close(api);
    profile_free(&profile);
}

/* Of A, B, C, D: B is D now, and C is B with C inlined into it. (The profile itself is as it was.) */
static void change(void)
{
    static const uint32_t start[] = {0, 0, 1, 3, 3}, funcs[] = {3, 1, 2};
    struct func_changes changes = {.count_after = 4};
    for (size_t i = 0; i < 5; i++)
        assert_true(vec_push(&changes.start, start[i]));
    for (size_t i = 0; i < 3; i++)
        assert_true(vec_push(&changes.funcs, funcs[i]));
    api_update(api, &changes, false);
}

static void a_reply_has_the_generation_it_is_of(void **state)
{
    (void)state;
    open_api("A  A\nB  C\nC  D\n");
    assert_reply_has(api, "{'v':1,'asks':[]}", "'generation':1,");
    change();
    assert_reply_has(api, "{'v':1,'asks':[]}", "'generation':2,'parts':[]");
    assert_reply_has(api, "{'v':1,'state':{'generation':2},'asks':[]}", "'generation':2,'parts':[]");
    close_api();
}

static void what_is_named_by_old_numbers_is_said_in_new_ones(void **state)
{
    (void)state;
    open_api("A  A\nB  C\nC  D\n");
    change();
    assert_reply_has(api,
                     "{'v':1,'state':{'generation':1,'transforms':['focus-function:f-1','merge-call-node:f-0;f-2']},'asks':[]}",
                     "'state':{'generation':2,'transforms':['focus-function:f-3','merge-call-node:f-0;f-1;f-2']}");
    assert_reply_has(api, "{'v':1,'state':{'generation':1},'asks':[{'ask':'rows','open':[0,2,-1,1],'anchor':[0,2,3]}]}",
                     "'carried':{'anchor':[0,1,2,3],'open':[0,1,2,-2,3]}");
    assert_reply_has(api, "{'v':1,'state':{'generation':1,'inverted':true},'asks':[{'ask':'node','path':[3,2]}]}",
                     "'carried':{'path':[3,2,1]}");
    assert_reply_has(
        api,
        "{'v':1,'state':{'generation':1},'asks':[{'ask':'lines','func':2},{'ask':'flame','width':9,'until':3,'zoom':[0,2]}]}",
        "'carried':{'func':1}");
    assert_reply_has(api, "{'v':1,'state':{'generation':1},'asks':[{'ask':'flame','width':9,'until':3,'zoom':[0,2]}]}",
                     "'carried':{'zoom':[0,1,2]}");
    assert_reply_has(
        api,
        "{'v':1,'state':{'generation':1},'asks':[{'ask':'butterfly','func':1,'width':9,'callers_until':1,'callees_until':1}]}",
        "'carried':{'func':3}");
    close_api();
}

static void each_of_some_functions_is_still_one(void **state)
{
    (void)state;
    open_api("A  A\nB  C\nC  D\n");
    char *keys = ask_text(api, "{'v':1,'asks':[{'ask':'keys','funcs':[0,3,1]}]}");
    change();
    assert_reply_has(api, "{'v':1,'state':{'generation':1},'asks':[{'ask':'keys','funcs':[0,1,2]}]}",
                     "'carried':{'funcs':[0,3,1]}");
    char *carried = ask_text(api, "{'v':1,'state':{'generation':1},'asks':[{'ask':'keys','funcs':[0,1,2]}]}");
    assert_string_equal(strstr(carried, "\"keys\":"), strstr(keys, "\"keys\":"));
    free(carried);
    free(keys);
    close_api();
}

static void an_export_is_of_what_its_state_has_become(void **state)
{
    (void)state;
    static const char request[] = "{\"v\":1,\"state\":{\"generation\":1,\"transforms\":[\"focus-function:f-1\"]},"
                                  "\"asks\":[{\"ask\":\"export\",\"format\":\"folded\"}]}";
    struct error error = {0};
    struct text_buffer refusal = {0};
    const char *type;
    open_api("A  A\nB  C\nC  D\n");
    change();
    struct byte_sink *sink = byte_sink_memory(&error);
    assert_int_equal(api_export(api, slice_of(request), sink, &type, &refusal, &error), 0);
    assert_true(slice_is(byte_sink_memory_bytes(sink), "D 1\n"));
    byte_sink_close(sink, false, &error);
    text_free(&refusal);
    close_api();
}

/* Deriving markers adds the name Jank to the texts of the profile, which become more with symbols. */
static void markers_have_their_texts_in_all_generations(void **state)
{
    (void)state;
    static const char request[] = "{'v':1,'asks':[{'ask':'marker','thread':0,'marker':0}]}";
    struct error error = {0};
    text_profile_open(&profile);
    struct thread *thread = text_profile_add_thread(&profile, "0  100  200\nA  A    A\n");
    for (int i = 0; i < 3; i++)
        column_append_number(&thread->samples.event_delay, i == 1 ? 90 : 1);
    assert_int_equal(profile_finish(&profile, &error), 0);
    api = api_open(&profile, 1, &error);
    assert_non_null(api);
    assert_reply_has(api, request, "'name':'Jank'");
    uint32_t count = (uint32_t)string_table_count(&profile.strings);
    assert_true(string_exists(string_table_add(&profile.strings, SLICE("of a symbol"))));
    api_update(api, &(struct func_changes){0}, false);
    assert_reply_has(api, request, "'name':'Jank'");
    char asked[1000];
    snprintf(asked, sizeof asked, "{'v':1,'state':{'generation':1},'asks':[{'ask':'marker_stats','after':1,'name':%u}]}",
             count);
    assert_request_refused(api, asked, "stale", "asks[0].name: this text has another id now");
    assert_reply_has(api, "{'v':1,'asks':[{'ask':'marker_stats','after':1}]}", "'texts':['Jank']");
    int length =
        snprintf(asked, sizeof asked, "{'v':1,'state':{'generation':1},'asks':[{'ask':'marker_stats','after':1}],'have':[0");
    for (uint32_t id = 1; id < count + 100; id++)
        length += snprintf(asked + length, sizeof asked - (size_t)length, ",%u", id);
    snprintf(asked + length, sizeof asked - (size_t)length, "]}");
    assert_reply_has(api, asked, "'texts':['Jank']");
    /* A thread and a marker, which are no functions. */
    assert_reply_has(api, "{'v':1,'state':{'generation':1},'asks':[{'ask':'marker_table','anchor':[0,0],'after':1}]}",
                     "'carried':{}");
    close_api();
}

static void without_old_numbers_nothing_is_carried(void **state)
{
    (void)state;
    open_api("A  A\nB  C\nC  D\n");
    change();
    char *text = ask_text(api, "{'v':1,'state':{'transforms':['focus-function:f-1']},'asks':[{'ask':'lines','func':2}]}");
    assert_null(strstr(text, "carried"));
    assert_null(strstr(text, "\"state\""));
    free(text);
    close_api();
}

static void what_was_never_there_is_stale(void **state)
{
    (void)state;
    open_api("A  A\nB  C\nC  D\n");
    change();
    assert_request_refused(api, "{'v':1,'state':{'generation':3},'asks':[]}", "stale",
                           "state.generation: this is generation 2");
    assert_request_refused(api, "{'v':1,'state':{'generation':0},'asks':[]}", "stale",
                           "state.generation: this is generation 2");
    assert_request_refused(api, "{'v':1,'state':{'generation':1,'transforms':['focus-function:f-99']},'asks':[]}", "stale",
                           "state.transforms[0]: no function is called 'f-99'");
    for (int i = 0; i < 256; i++)
        change();
    assert_request_refused(api, "{'v':1,'state':{'generation':1},'asks':[]}", "stale",
                           "state.generation: this is generation 258");
    assert_reply_has(api, "{'v':1,'state':{'generation':2},'asks':[]}", "'generation':258,'state'");
    close_api();
}

/* ---- random ones ---- */

enum { WALKS = 3, TRANSFORMS = 2, TEXT = 4000 };

/* What a page knows. */
struct page {
    uint32_t generation;
    char transforms[TEXT], open[TEXT], anchor[TEXT];
};

static size_t path_of(const struct profile *of, uint32_t stack, uint32_t *funcs)
{
    size_t count = 0;
    for (struct stack_index at = stack_at(stack); stack_exists(at); at = stack_prefix(&of->stacks, at))
        funcs[count++] = frame_func(&of->frames, stack_frame(&of->stacks, at)).i;
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t func = funcs[i];
        funcs[i] = funcs[count - 1 - i];
        funcs[count - 1 - i] = func;
    }
    return count;
}

static void print(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(char *text, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(text + length, TEXT - length, format, arguments);
    va_end(arguments);
    assert_true(more >= 0 && (size_t)more < TEXT - length);
}

static void begin_page(struct page *page, const struct profile *of, struct random *random, bool transformed)
{
    static const char *const names[] = {"merge-function", "focus-function",     "drop-function",
                                        "focus-self",     "collapse-recursion", "collapse-function-subtree",
                                        "focus-subtree",  "merge-call-node"};
    uint32_t funcs[200], func_total = (uint32_t)func_count(&of->funcs);
    *page = (struct page){.generation = 1};
    print(page->open, "[");
    for (int i = 0; i < WALKS; i++) {
        size_t count = path_of(of, random_below(random, (uint32_t)stack_count(&of->stacks)), funcs);
        for (size_t k = 0; k < count; k++)
            print(page->open, "%s%u", page->open[1] ? "," : "", funcs[k]);
        print(page->open, ",-%zu", count);
        if (i == 0)
            print(page->anchor, "[%.*s]", (int)strcspn(page->open + 1, "-") - 1, page->open + 1);
    }
    print(page->open, "]");
    print(page->transforms, "[");
    for (int i = 0; transformed && i < TRANSFORMS; i++) {
        print(page->transforms, "%s\"%s:f-%u", i > 0 ? "," : "", names[random_below(random, 8)],
              random_below(random, func_total));
        print(page->transforms, "\"");
    }
    print(page->transforms, "]");
}

/* The array behind a key, from `at` on, if it is there. */
static void take(const char *at, const char *key, char *array)
{
    const char *start = at ? strstr(at, key) : NULL;
    if (!start)
        return;
    start += strlen(key);
    size_t length = strcspn(start, "]") + 1;
    assert_true(length < TEXT);
    memcpy(array, start, length);
    array[length] = '\0';
}

/* The rows that the page shows, without ids of texts; it takes over what is carried. */
static char *ask_page(struct page *page, struct api *of)
{
    static char request[4 * TEXT];
    snprintf(request, sizeof request,
             "{'v':1,'state':{'generation':%u,'transforms':%s},'asks':[{'ask':'rows','open':%s,'anchor':%s,'before':9999}]}",
             page->generation, page->transforms, page->open, page->anchor);
    char *text = ask_text(of, request);
    assert_null(strstr(text, "\"error\""));
    take(strstr(text, "\"state\":"), "\"transforms\":", page->transforms);
    take(strstr(text, "\"carried\":"), "\"anchor\":", page->anchor);
    take(strstr(text, "\"carried\":"), "\"open\":", page->open);
    assert_int_equal(sscanf(text, "{\"v\":1,\"generation\":%u", &page->generation), 1);
    const char *start = strstr(text, "\"weight_type\""), *end = strstr(text, "\"name\":"), *depth = strstr(text, "\"depth\":");
    assert_true(start && end && depth);
    char *rows = NULL;
    assert_true(asprintf(&rows, "%.*s%.*s", (int)(end - start), start, (int)strcspn(depth, "]"), depth) > 0);
    free(text);
    return rows;
}

/* All at once, for a page that was last told before. */
static char *ask_at_once(struct page *page, uint64_t seed, bool transformed, struct profile *whole)
{
    struct random random = {seed};
    struct error error = {0};
    struct func_changes changes = {0};
    struct symbol_answers answers;
    raw_profile(whole, &random);
    struct api *of = api_open(whole, 1, &error);
    struct symbolication *symbolication = symbolication_begin(whole, &error);
    assert_true(of && symbolication);
    begin_page(page, whole, &random, transformed);
    for (uint32_t lib = 0; lib < APPLY_LIBS; lib++) {
        random_answers(&answers, symbolication_addresses(symbolication, lib_at(lib)), lib, seed);
        assert_int_equal(symbolication_add(symbolication, lib_at(lib), &answers, &error), 0);
    }
    assert_int_equal(symbolication_update(symbolication, &changes, &error), 0);
    api_update(of, &changes, false);
    char *rows = ask_page(page, of);
    symbolication_end(symbolication);
    api_close(of);
    return rows;
}

/* Module by module; the page asks after some of them. */
static char *ask_meanwhile(struct page *page, uint64_t seed, bool transformed, struct profile *whole)
{
    struct random random = {seed};
    struct error error = {0};
    uint32_t order[APPLY_LIBS] = {0, 1, 2, 3, 4};
    raw_profile(whole, &random);
    struct api *of = api_open(whole, 1, &error);
    struct symbolication *symbolication = symbolication_begin(whole, &error);
    assert_true(of && symbolication);
    begin_page(page, whole, &random, transformed);
    for (uint32_t i = APPLY_LIBS - 1; i > 0; i--) {
        uint32_t other = random_below(&random, i + 1), lib = order[i];
        order[i] = order[other];
        order[other] = lib;
    }
    for (uint32_t i = 0; i < APPLY_LIBS; i++) {
        struct func_changes changes = {0};
        assert_int_equal(apply_lib(symbolication, order[i], seed, &changes, &error), 0);
        api_update(of, &changes, i + 1 < APPLY_LIBS);
        if (random_chance(&random, 2))
            free(ask_page(page, of));
    }
    char *rows = ask_page(page, of);
    symbolication_end(symbolication);
    api_close(of);
    return rows;
}

static void a_page_shows_the_same_however_symbols_arrive(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct profile one, other;
        struct page at_once, meanwhile;
        bool transformed = seed % 2 == 0;
        char *expected = ask_at_once(&at_once, seed, transformed, &one);
        char *actual = ask_meanwhile(&meanwhile, seed, transformed, &other);
        assert_string_equal(actual, expected);
        assert_string_equal(meanwhile.anchor, at_once.anchor);
        assert_string_equal(meanwhile.transforms, at_once.transforms);
        /* What was selected is still there. */
        if (!transformed)
            assert_non_null(strstr(actual, "\"exact\":true"));
        free(expected);
        free(actual);
        profile_free(&one);
        profile_free(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_has_the_generation_it_is_of),
        cmocka_unit_test(what_is_named_by_old_numbers_is_said_in_new_ones),
        cmocka_unit_test(each_of_some_functions_is_still_one),
        cmocka_unit_test(an_export_is_of_what_its_state_has_become),
        cmocka_unit_test(markers_have_their_texts_in_all_generations),
        cmocka_unit_test(without_old_numbers_nothing_is_carried),
        cmocka_unit_test(what_was_never_there_is_stale),
        cmocka_unit_test(a_page_shows_the_same_however_symbols_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
