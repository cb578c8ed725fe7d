/* A real processed profile, cut at random places. */
#include "import/processed.h"

#include "common/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Sanitizers make this ten times slower, and the cuts that matter to them are those at every byte of a small profile. */
#ifdef __SANITIZE_ADDRESS__
enum { CUTS = 60 };
#else
enum { CUTS = 2000 };
#endif

static char *read_file(const char *path, size_t *length)
{
    struct error error = {0};
    VEC(char) bytes = {0};
    struct byte_source *source = byte_source_open(path, NULL, &error);
    assert_non_null(source);
    for (ssize_t got = 1; got > 0; bytes.count += (size_t)got) {
        assert_true(vec_reserve(&bytes, bytes.count + (1 << 20)));
        got = source->read(source, bytes.items + bytes.count, 1 << 20, &error);
        assert_true(got >= 0);
    }
    byte_source_close(source);
    *length = bytes.count;
    return bytes.items;
}

static void a_cut_anywhere_gives_an_error(void **state)
{
    (void)state;
    size_t length;
    char *text = read_file(TEST_DATA "/gecko1-processed.json.gz", &length);
    uint64_t random = 42;
    for (int i = 0; i < CUTS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        struct slice cut = {text, (random >> 16) % (length - 1)};
        struct profile profile;
        struct error error = {0};
        profile_init(&profile);
        struct byte_source *source = byte_source_memory(cut, 0, false, &error);
        struct json_reader *r = json_reader_open(source, &error);
        assert_true(import_processed(r, &profile, &error) < 0);
        assert_true(error.message[0] != '\0');
        json_reader_close(r);
        byte_source_close(source);
        profile_free(&profile);
    }
    memory_release(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cut_anywhere_gives_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
