#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/import_text.h"

#include "import/importer.h"

#include <errno.h>

#define THREAD                                                                                                                 \
    "{\"name\":\"A\",\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2},\"data\":[[0,1]]},"                     \
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"                                              \
    "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},\"stringTable\":[\"f\"]}"

static void assert_read_as(const char *text, const char *samples)
{
    struct profile profile;
    assert_imports(import_profile, slice_of(text), &profile);
    assert_samples(&profile, 0, samples);
    profile_free(&profile);
}

static void formats_are_told_apart_by_their_content(void **state)
{
    (void)state;
    assert_read_as("main;f 1\n", "0 main;f\n");
    assert_read_as("cmd 1 2.0: cycles:\n\tffff f+0x1 (/bin/a)\n\n", "2000 f\n");
    assert_read_as(
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\",\"scriptId\":\"0\",\"url\":\"a.js\",\"lineNumber\":1,"
        "\"columnNumber\":1}}],\"startTime\":1000000,\"endTime\":1001000,\"samples\":[1],\"timeDeltas\":[0]}",
        "1000 x1 f\n");
    assert_read_as("{\"meta\":{\"version\":30},\"libs\":[],\"threads\":[" THREAD "]}", "1 f\n");
}

static void what_comes_before_the_telling_key_is_not_lost(void **state)
{
    (void)state;
    assert_read_as(" \n{\"threads\":[" THREAD "],\"meta\":{\"interval\":1,\"version\":30},\"libs\":[]}", "1 f\n");
    assert_read_as("\xef\xbb\xbf{\"x\":[1,2,{\"meta\":1}],\"threads\":[" THREAD "],\"libs\":[],\"meta\":{\"version\":30}}",
                   "1 f\n");
    assert_read_as(
        "{\"endTime\":1001000,\"samples\":[1],\"timeDeltas\":[0],\"startTime\":1000000,"
        "\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\",\"scriptId\":\"0\",\"url\":\"a.js\",\"lineNumber\":1,"
        "\"columnNumber\":1}}]}",
        "1000 x1 f\n");
    assert_read_as("[{\"ph\":\"P\",\"name\":\"Profile\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":1000},"
                   "{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"id\":1,\"pid\":1,\"args\":{\"data\":{\"timeDeltas\":[0],"
                   "\"cpuProfile\":{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\"}}],\"samples\":[1]}}}}]",
                   "1 x1 f\n");
}

static void formats_that_are_not_supported_are_named(void **state)
{
    (void)state;
    static const struct {
        struct slice text;
        const char *message;
    } refused[] = {
        {SLICE("{\"dhatFileVersion\":2}"), "DHAT profiles are not read"},
        {SLICE("JSLB\0\1"), "binary processed profiles (JSLB) are not read"},
        {SLICE("*version\n3\n"), "ART method traces are not read"},
        {SLICE("SIMPLEPERF\0\1"), "simpleperf recordings are not read"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct profile profile;
        struct error error = {0};
        assert_int_equal(import_text(import_profile, refused[i].text, 0, &profile, &error), -ENOTSUP);
        assert_memory_equal(error.message, refused[i].message, strlen(refused[i].message));
        profile_free(&profile);
    }
}

static void what_is_no_profile_is_refused(void **state)
{
    (void)state;
    assert_refused(import_profile, SLICE(""), "the file is empty");
    assert_refused(import_profile, SLICE("hello\n"), "not a profile");
    assert_refused(import_profile, SLICE("{}"), "not a profile");
    assert_refused(import_profile, SLICE("{\"meta\":5}"), "not a profile");
    assert_refused(import_profile, SLICE("{\"meta\":{}}"), "not a profile");
    assert_refused(import_profile, SLICE("{\"a\":1"), "unexpected end of input at byte 6");
}

static void files_may_be_packed(void **state)
{
    (void)state;
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(TEST_DATA "/gecko1-processed.json.gz", NULL, &profile, &error), 0);
    assert_int_equal(profile.threads.count, 116);
    profile_free(&profile);
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    assert_int_equal(import_file(TEST_DATA "/no-such-file", NULL, &profile, &error), -ENOENT);
    assert_true(error.message[0] != '\0');
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_told_apart_by_their_content),
        cmocka_unit_test(what_comes_before_the_telling_key_is_not_lost),
        cmocka_unit_test(formats_that_are_not_supported_are_named),
        cmocka_unit_test(what_is_no_profile_is_refused),
        cmocka_unit_test(files_may_be_packed),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
