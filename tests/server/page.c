/* The files of the page, as browsers fetch them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client.h"

#include <stdio.h>
#include <zlib.h>

static struct site site;
static struct server *server;
static struct text_buffer reply;

#define ACCEPT "Accept-Encoding: gzip, deflate\r\n"

static int start(void **state)
{
    (void)state;
    struct error error = {0};
    assert_int_equal(site_parse(SLICE(SITE_USUAL), &site, &error), 0);
    struct server_options options = {.site = &site, .page = &page_files, .limits = SERVER_LIMITS};
    server = server_start(&options, &error);
    return server ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    text_free(&reply);
    return server_stop(server) ? 0 : -1;
}

static bool has(const char *text)
{
    struct slice all = text_slice(&reply);
    return memmem(all.text, all.length, text, strlen(text)) != NULL;
}

static void fetch(const char *start, const char *headers)
{
    text_free(&reply);
    client_fetch(server, start, headers, &reply);
}

static void assert_status(const char *start, const char *headers, const char *status)
{
    fetch(start, headers);
    if (!slice_starts_with(text_slice(&reply), slice_of(status)))
        fail_msg("%s: %.*s", start, (int)reply.bytes.count, reply.bytes.items);
}

/* The body, unpacked. */
static void assert_body(const char *expected)
{
    char text[4096] = "";
    struct slice all = text_slice(&reply);
    const char *body = memmem(all.text, all.length, "\r\n\r\n", 4);
    assert_non_null(body);
    body += 4;
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)body,
                       .avail_in = (uInt)(all.text + all.length - body),
                       .next_out = (Bytef *)text,
                       .avail_out = sizeof text - 1};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    assert_string_equal(text, expected);
}

static void files_of_the_page_need_no_token(void **state)
{
    (void)state;
    assert_status("GET /page-AB12CD34.js", ACCEPT, "HTTP/1.1 200 ");
    assert_true(has("Content-Type: text/javascript; charset=utf-8\r\n"));
    assert_true(has("Content-Encoding: gzip\r\n"));
    assert_body("document.title = \"loaded\";\n");
    assert_status("GET /", ACCEPT, "HTTP/1.1 200 ");
    assert_true(has("Content-Type: text/html; charset=utf-8\r\n"));
    assert_status("HEAD /mark.svg", ACCEPT, "HTTP/1.1 200 ");
    assert_true(has("Content-Type: image/svg+xml\r\n"));
}

static void only_names_with_a_hash_are_kept(void **state)
{
    (void)state;
    fetch("GET /page-J4KX2Q7A.css", ACCEPT);
    assert_true(has("Cache-Control: public, max-age=31536000, immutable\r\n"));
    fetch("GET /mark.svg", ACCEPT);
    assert_true(has("Cache-Control: no-cache\r\n"));
    fetch("GET /index.html", ACCEPT);
    assert_true(has("Cache-Control: no-cache\r\n"));
}

static void the_page_may_load_and_ask_its_own_server_only(void **state)
{
    (void)state;
    char policy[600];
    snprintf(policy, sizeof policy,
             "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
             "img-src 'self' data:; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
             "frame-ancestors 'none'; connect-src 'self' ws://127.0.0.1:%u\r\n",
             server_port(server));
    fetch("GET /", ACCEPT);
    assert_true(has(policy));
    assert_true(has("X-Content-Type-Options: nosniff\r\n"));
    assert_true(has("Referrer-Policy: no-referrer\r\n"));
    assert_true(has("Cross-Origin-Resource-Policy: same-origin\r\n"));
}

static void other_pages_and_names_are_refused(void **state)
{
    (void)state;
    assert_status("GET /", ACCEPT "Origin: https://evil.example\r\n", "HTTP/1.1 403 ");
    fetch("GET / HTTP/1.1\r\nHost: evil.example", ACCEPT);
    assert_true(has("HTTP/1.1 403 ") || has("HTTP/1.1 400 "));
    assert_status("POST /", ACCEPT, "HTTP/1.1 405 ");
}

static void a_client_that_does_not_unpack_gets_it_plain(void **state)
{
    (void)state;
    static const char *const others[] = {"", "Accept-Encoding: br\r\n", "Accept-Encoding: gzip;q=0, deflate\r\n",
                                         "Accept-Encoding: br, gzip; q=0.000\r\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_status("GET /page-AB12CD34.js", others[i], "HTTP/1.1 200 ");
        assert_true(has("\r\n\r\ndocument.title = \"loaded\";\n"));
        assert_true(has("Content-Type: text/javascript; charset=utf-8\r\n"));
        assert_true(has("Vary: Accept-Encoding\r\n"));
        assert_false(has("Content-Encoding"));
    }
}

static void a_client_that_unpacks_gets_it_packed(void **state)
{
    (void)state;
    static const char *const others[] = {"Accept-Encoding: GZIP\r\n", "Accept-Encoding: br;q=1.0, gzip;q=0.05\r\n",
                                         "Accept-Encoding: *\r\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_status("GET /page-AB12CD34.js", others[i], "HTTP/1.1 200 ");
        assert_true(has("Content-Encoding: gzip\r\n"));
        assert_body("document.title = \"loaded\";\n");
    }
}

static void other_paths_are_as_before(void **state)
{
    (void)state;
    static const char *const others[] = {
        "GET /index",         "GET //index.html",       "GET /../index.html", "GET /page-AB12CD34.js/",
        "GET /%%69ndex.html", "GET /index.html%%00.js", "GET /%s/index.html", "GET /%s/",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_status(others[i], ACCEPT, "HTTP/1.1 404 ");
}

static void the_address_of_the_page_keeps_the_token_in_the_browser(void **state)
{
    (void)state;
    static const struct token token = {"0123456789abcdef0123456789abcdef"};
    struct text_buffer link = {0};
    page_link(8080, &token, &link);
    assert_true(slice_is(text_slice(&link), "http://127.0.0.1:8080/#token=0123456789abcdef0123456789abcdef"));
    text_free(&link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_the_page_need_no_token),
        cmocka_unit_test(only_names_with_a_hash_are_kept),
        cmocka_unit_test(the_page_may_load_and_ask_its_own_server_only),
        cmocka_unit_test(other_pages_and_names_are_refused),
        cmocka_unit_test(a_client_that_does_not_unpack_gets_it_plain),
        cmocka_unit_test(a_client_that_unpacks_gets_it_packed),
        cmocka_unit_test(other_paths_are_as_before),
        cmocka_unit_test(the_address_of_the_page_keeps_the_token_in_the_browser),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
