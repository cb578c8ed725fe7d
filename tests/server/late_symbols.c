/* Symbols arrive while several clients ask: nobody sees a profile that is half changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/late_symbols.h"

#include "support/text_profile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CLIENTS = 3, ASKS_LEAST = 20, STOP_MS = 60000 };

static const struct symbol_search search = {0};
static const struct symbol_api symbols = {.search = &search};
static struct profile profile;
static struct sockets sockets;
static struct profiles profiles;
static struct late_symbols *late;
static atomic_bool arrived; /* relaxed: clients ask until then, and orders nothing */

/* ---- a profile of this program, and of libraries that are nowhere ---- */

static __attribute__((noinline)) void function_of_the_test(void)
{
    __asm__ volatile("");
}

static void open_profile(void)
{
    struct error error = {0};
    Dl_info here;
    char here_cell[60], samples[400], path[4096];
    assert_true(dladdr((void *)(uintptr_t)function_of_the_test, &here) != 0);
    unsigned long address = (unsigned long)((uintptr_t)function_of_the_test - (uintptr_t)here.dli_fbase);
    snprintf(here_cell, sizeof here_cell, "0x1[lib:here][address:%lx]", address);
    snprintf(samples, sizeof samples, "%-60smain\n%-60s%s\n%-60s%s\n", "main", here_cell, "0x2[lib:nowhere][address:2]",
             "0x3[lib:elsewhere][address:3]", here_cell);
    text_profile_open(&profile);
    text_profile_add_thread(&profile, samples);
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    assert_true(length > 0);
    for (size_t i = 0; i < profile.libs.rows.count; i++) {
        struct lib *lib = &profile.libs.rows.items[i];
        if (slice_is(profile_text(&profile, lib->name), "here"))
            lib->path = string_table_add(&profile.strings, (struct slice){path, (size_t)length});
        lib->breakpad_id = lib->code_id = STRING_NONE;
    }
    assert_int_equal(profile_finish(&profile, &error), 0);
}

/* ---- clients ---- */

struct question {
    struct served_profile *served;
    const char *request;
    struct text_buffer reply;
};

static void ask(void *data)
{
    struct question *question = data;
    assert_int_equal(profile_ask(question->served, slice_of(question->request), API_JSON, &question->reply), 0);
}

/* What a page that has not heard of any change asks. */
static void ask_once(struct served_profile *served, struct question *question)
{
    *question = (struct question){
        .served = served,
        .request = "{\"v\":1,\"state\":{\"generation\":1,\"transforms\":[\"focus-function:f-0\"]},"
                   "\"asks\":[{\"ask\":\"rows\",\"open\":[0,\"*\"],\"after\":9},{\"ask\":\"modules\"}]}",
    };
    assert_true(profile_run(served, ask, question));
    text_add_char(&question->reply, '\0');
}

static void *ask_and_ask(void *data)
{
    struct question question;
    for (int i = 0; i < ASKS_LEAST || !atomic_load_explicit(&arrived, memory_order_relaxed); i++) {
        ask_once(data, &question);
        assert_non_null(strstr(question.reply.bytes.items, "\"parts\""));
        text_free(&question.reply);
    }
    return NULL;
}

/* ---- the test ---- */

static void begin(void *data, struct served_profile *served)
{
    struct error error = {0};
    const struct opened_profile *opened = data;
    struct late_symbols_options options = {
        .served = served, .profile = &profile, .api = opened->api, .symbolicate = {.search = &search}};
    late = late_symbols_begin(&options, &error);
    assert_non_null(late);
}

static void symbols_arrive_while_clients_ask(void **state)
{
    struct error error = {0};
    pthread_t clients[CLIENTS];
    struct question question;
    (void)state;
    open_profile();
    struct opened_profile opened = {.api = api_open(&profile, 1, &error), .symbols = &symbols};
    assert_non_null(opened.api);
    struct profile_listing listing = {.name = "test", .opened = &opened, .asked = begin, .data = &opened};
    assert_int_equal(profiles_init(&profiles, &listing, 1, &error), 0);
    assert_int_equal(sockets_start(&sockets, (struct socket_limits){1 << 20, 60000}, &error), 0);
    profiles.sockets = &sockets;
    struct served_profile *served = profiles_at(&profiles, 0);
    ask_once(served, &question); /* that begins it */
    text_free(&question.reply);
    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&clients[i], NULL, ask_and_ask, served), 0);
    late_symbols_wait(late);
    atomic_store_explicit(&arrived, true, memory_order_relaxed);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    ask_once(served, &question);
    assert_non_null(strstr(question.reply.bytes.items, "\"function_of_the_test\""));
    assert_non_null(strstr(question.reply.bytes.items, "\"pending\":0"));
    text_free(&question.reply);
    assert_true(late_symbols_stop(late, STOP_MS));
    sockets_end(&sockets);
    assert_true(profiles_end(&profiles, STOP_MS));
    late_symbols_free(late);
    sockets_free(&sockets);
    profiles_free(&profiles);
    api_close(opened.api);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(symbols_arrive_while_clients_ask)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
