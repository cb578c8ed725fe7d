/* Which requests a server listens to, and the address it is reached by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/guard.h"

#include <errno.h>

static const struct guard guard = {8080, {"0123456789abcdef0123456789abcdef"}, {"https://profiler.example", 24}};

static bool allows_host(const char *host)
{
    return guard_allows_host(&guard, slice_of(host));
}

static bool allows_origin(const char *host, const char *origin)
{
    return guard_allows_origin(&guard, slice_of(host), slice_of(origin));
}

static void the_loopback_with_the_port_is_the_only_host(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        ":8080",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:808",
        "127.0.0.1:08080",
        "127.0.0.1:8080:8080",
        "127.0.0.1:8080.example",
        "127.0.0.1.example:8080",
        "127.0.0.2:8080",
        "0.0.0.0:8080",
        "[::]:8080",
        "::1:8080",
        "localhost.:8080",
        "localhost.example:8080",
        "user@localhost:8080",
        "localhost:8080 ",
    };
    assert_true(allows_host("127.0.0.1:8080"));
    assert_true(allows_host("localhost:8080"));
    assert_true(allows_host("LocalHost:8080"));
    assert_true(allows_host("[::1]:8080"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (allows_host(others[i]))
            fail_msg("%s is allowed", others[i]);
}

static void the_usual_port_may_be_left_out(void **state)
{
    (void)state;
    struct guard usual = guard;
    usual.port = 80;
    assert_true(guard_allows_host(&usual, SLICE("localhost")));
    assert_true(guard_allows_host(&usual, SLICE("localhost:80")));
    assert_false(guard_allows_host(&usual, SLICE("localhost:8080")));
}

static void the_site_and_the_page_of_the_server_itself_may_ask(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "null",
        "https://profiler.example/",
        "https://profiler.example:443",
        "http://profiler.example",
        "https://profiler.example.org",
        "https://a.profiler.example",
        "https://localhost:8080",
        "http://localhost",
        "http://localhost:8081",
        "http://127.0.0.1:8080",
        "http://",
    };
    assert_true(allows_origin("localhost:8080", "https://profiler.example"));
    assert_true(allows_origin("localhost:8080", "http://localhost:8080"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (allows_origin("localhost:8080", others[i]))
            fail_msg("%s is allowed", others[i]);
}

static void the_path_follows_the_whole_token(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "/",
        "0123456789abcdef0123456789abcdef/a",
        "/0123456789abcdef0123456789abcdef",
        "/0123456789abcdef0123456789abcdee/a",
        "/1123456789abcdef0123456789abcdef/a",
        "/0123456789ABCDEF0123456789abcdef/a",
        "/0123456789abcdef0123456789abcdef0/a",
        "//0123456789abcdef0123456789abcdef/a",
        "/a/0123456789abcdef0123456789abcdef/a",
    };
    assert_true(slice_is(guard_path(&guard, SLICE("/0123456789abcdef0123456789abcdef/a/b")), "/a/b"));
    assert_true(slice_is(guard_path(&guard, SLICE("/0123456789abcdef0123456789abcdef/")), "/"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (guard_path(&guard, slice_of(others[i])).text)
            fail_msg("%s is taken", others[i]);
}

static void tokens_are_long_and_all_different(void **state)
{
    (void)state;
    struct error error = {0};
    struct token tokens[50];
    for (size_t i = 0; i < 50; i++) {
        assert_int_equal(token_make(&tokens[i], &error), 0);
        assert_int_equal(strspn(tokens[i].text, "0123456789abcdef"), TOKEN_LENGTH);
        for (size_t k = 0; k <= i; k++)
            assert_int_equal(token_is(&tokens[i], slice_of(tokens[k].text)), i == k);
    }
}

/* ---- the site ---- */

static void assert_site(const char *url, const char *kept, const char *origin)
{
    struct site site;
    struct error error = {0};
    assert_int_equal(site_parse(slice_of(url), &site, &error), 0);
    assert_string_equal(site.url, kept);
    assert_string_equal(site.origin, origin);
}

static void a_site_has_the_origin_that_browsers_write(void **state)
{
    (void)state;
    assert_site("https://profiler.firefox.com", "https://profiler.firefox.com", "https://profiler.firefox.com");
    assert_site("https://Profiler.Example:443/next//", "https://Profiler.Example:443/next", "https://profiler.example");
    assert_site("http://localhost:4242/", "http://localhost:4242", "http://localhost:4242");
    assert_site("http://[::1]:80/a", "http://[::1]:80/a", "http://[::1]");
    assert_site("https://a:80", "https://a:80", "https://a:80");
}

static void what_is_no_site_is_refused(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "profiler.firefox.com",
        "ftp://a",
        "https://",
        "https:///a",
        "https://user@a",
        "https://a:",
        "https://a:0",
        "https://a:65536",
        "https://a:99999999999999999999",
        "https://a:1b",
        "https://a?b",
        "https://a/#b",
        "https://a/b c",
        "https://a/\n",
        "https://[::1",
        "https://[]",
        "https://\xc3\xa4.example",
    };
    struct site site;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct error error = {0};
        if (site_parse(slice_of(others[i]), &site, &error) != -EINVAL)
            fail_msg("%s is taken", others[i]);
        assert_true(error.message[0]);
    }
}

static void the_link_names_profile_and_symbol_server(void **state)
{
    (void)state;
    struct site site;
    struct error error = {0};
    struct text_buffer link = {0};
    assert_int_equal(site_parse(SLICE(SITE_USUAL), &site, &error), 0);
    site_link(&site, 8080, &guard.token, &link);
    assert_true(
        slice_is(text_slice(&link),
                 "https://profiler.firefox.com/from-url/http%3A%2F%2F127.0.0.1%3A8080%2F0123456789abcdef0123456789abcdef"
                 "%2Fprofile.json.gz/?symbolServer=http%3A%2F%2F127.0.0.1%3A8080%2F0123456789abcdef0123456789abcdef"));
    text_free(&link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loopback_with_the_port_is_the_only_host),
        cmocka_unit_test(the_usual_port_may_be_left_out),
        cmocka_unit_test(the_site_and_the_page_of_the_server_itself_may_ask),
        cmocka_unit_test(the_path_follows_the_whole_token),
        cmocka_unit_test(tokens_are_long_and_all_different),
        cmocka_unit_test(a_site_has_the_origin_that_browsers_write),
        cmocka_unit_test(what_is_no_site_is_refused),
        cmocka_unit_test(the_link_names_profile_and_symbol_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
