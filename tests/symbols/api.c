/* The symbolication API: names and sources, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api_support.h"
#include "common/memory.h"
#include "symbols/api_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- /symbolicate/v5 ---- */

static void symbolicate_answers_with_functions_files_and_lines(void **state)
{
    (void)state;
    assert_string_equal(ask("/symbolicate/v5", "{\"jobs\":[{\"memoryMap\":[[\"libblend.so\",\"" BLEND_ID
                                               "\"]],\"stacks\":[[[0,4120],[0,4104]]]}]}"),
                        "{\"results\":[{\"stacks\":[["
                        "{\"frame\":0,\"module\":\"libblend.so\",\"module_offset\":\"0x1018\",\"function\":\"draw\","
                        "\"function_offset\":\"0x8\",\"function_size\":\"0x52\",\"file\":\"" BLEND_SOURCE "\",\"line\":18},"
                        "{\"frame\":1,\"module\":\"libblend.so\",\"module_offset\":\"0x1008\",\"function\":\"main\","
                        "\"function_offset\":\"0x8\",\"function_size\":\"0xf\",\"file\":\"" BLEND_SOURCE "\",\"line\":6}"
                        "]],\"found_modules\":{\"libblend.so/" BLEND_ID "\":true}}]}");
}

static void symbolicate_takes_a_job_without_a_list(void **state)
{
    (void)state;
    assert_says(ask("/symbolicate/v5", "{\"stacks\":[[[0,4120]]],\"memoryMap\":[[\"libblend.so\",\"" BLEND_ID "\"]]}"),
                "\"function\":\"draw\"");
}

static void inlined_calls_are_innermost_first(void **state)
{
    (void)state;
    char request[64 << 10];
    int length = snprintf(request, sizeof request, "{\"memoryMap\":[[\"libprogram.so\",\"%s\"]],\"stacks\":[[", program_id);
    for (uint64_t i = 0; i < draw_size; i++)
        length += snprintf(request + length, sizeof request - (size_t)length, "%s[0,%llu]", i ? "," : "",
                           (unsigned long long)(draw_start + i));
    snprintf(request + length, sizeof request - (size_t)length, "]]}");
    const char *answer = ask_slice("/symbolicate/v5", slice_of(request));
    assert_says(answer, "\"inlines\":[{\"function\":\"mix\",\"file\":\"" PROGRAM_SOURCE "/mix.h\",\"line\":4},"
                        "{\"function\":\"blend\",\"file\":\"" PROGRAM_SOURCE "/draw.c\",\"line\":8}]");
    assert_says(answer, "\"function\":\"draw\",\"function_offset\":\"0x0\",");
}

static void frames_of_no_module_and_of_unknown_ones_have_no_function(void **state)
{
    (void)state;
    assert_string_equal(ask("/symbolicate/v5",
                            "{\"jobs\":[{\"memoryMap\":[[\"libother.so\",\"ABC0\"],[\"libother.so\",\"ABC0\"]],"
                            "\"stacks\":[[[-1,7],[1,16]],[]]}]}"),
                        "{\"results\":[{\"stacks\":[[{\"frame\":0,\"module\":\"<unknown>\",\"module_offset\":\"0x7\"},"
                        "{\"frame\":1,\"module\":\"libother.so\",\"module_offset\":\"0x10\"}],[]],"
                        "\"found_modules\":{\"libother.so/ABC0\":false}}]}");
}

static void a_module_without_addresses_is_found_all_the_same(void **state)
{
    (void)state;
    assert_string_equal(
        ask("/symbolicate/v5", "{\"jobs\":[{\"memoryMap\":[[\"libblend.so\",\"" BLEND_ID "\"]],\"stacks\":[]}]}"),
        "{\"results\":[{\"stacks\":[],\"found_modules\":{\"libblend.so/" BLEND_ID "\":true}}]}");
}

static void the_name_and_the_id_must_both_be_right(void **state)
{
    (void)state;
    assert_says(ask("/symbolicate/v5", "{\"memoryMap\":[[\"libother.so\",\"" BLEND_ID "\"]],\"stacks\":[[[0,4120]]]}"),
                ":false");
    assert_says(ask("/symbolicate/v5", "{\"memoryMap\":[[\"libblend.so\",\"%s\"]],\"stacks\":[[[0,4120]]]}", program_id),
                ":false");
}

static void duplicates_and_unknown_keys_are_fine(void **state)
{
    (void)state;
    const char *answer =
        ask("/symbolicate/v5", "{\"version\":5,\"jobs\":[{\"more\":{\"a\":[1]},\"stacks\":[[[0,4120],[1,4120],[0,4120]]],"
                               "\"memoryMap\":[[\"libblend.so\",\"" BLEND_ID "\"],[\"libblend.so\",\"" BLEND_ID "\"]]}]}");
    assert_says(answer, "{\"frame\":2,\"module\":\"libblend.so\",\"module_offset\":\"0x1018\",\"function\":\"draw\"");
    assert_says(answer, "\"found_modules\":{\"libblend.so/" BLEND_ID "\":true}}");
}

/* ---- /source/v1 ---- */

static void source_answers_with_the_text(void **state)
{
    (void)state;
    const char *answer = ask("/source/v1", "{\"debugName\":\"libblend.so\",\"debugId\":\"" BLEND_ID
                                           "\",\"moduleOffset\":\"0x1018\",\"file\":\"" BLEND_SOURCE "\"}");
    assert_says(answer, "{\"symbolsLastModified\":null,\"sourceLastModified\":null,\"file\":\"" BLEND_SOURCE
                        "\",\"source\":\"# The code of blend.json:");
    assert_says(answer, ", . - draw\\n\"}");
}

static void files_that_everybody_can_get_have_names_of_their_own(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"/rustc/c79419/library/std/src/rt.rs", "git:github.com/rust-lang/rust:library/std/src/rt.rs:c79419"},
        {"/home/x/.cargo/registry/src/index.crates.io-6f17/nom-7.1.3/src/bytes/complete.rs",
         "cargo:index.crates.io-6f17:nom-7.1.3:src/bytes/complete.rs"},
        {"/home/x/app/main.c", "/home/x/app/main.c"},
        {"/rustc/", "/rustc/"},
        {"/rustc/c79419", "/rustc/c79419"},
        {"/rustc/c79419/", "/rustc/c79419/"},
        {"/rustc//a", "/rustc//a"},
        {"/.cargo/registry/src/x/nom/src/a.rs", "/.cargo/registry/src/x/nom/src/a.rs"},
        {"/.cargo/registry/src/x/nom-1", "/.cargo/registry/src/x/nom-1"},
        {"", ""},
    };
    struct text_buffer text = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct slice name = api_file_name(slice_of(names[i][0]), &text);
        assert_true(slice_equal(name, slice_of(names[i][1])));
    }
    text_free(&text);
}

/* A module that was assembled in a folder of cargo. */
static void a_source_is_served_by_the_name_that_symbolicate_gave_it(void **state)
{
    (void)state;
    char folder[] = "/tmp/sonde-api-XXXXXX", command[1000], library[100];
    assert_non_null(mkdtemp(folder));
    snprintf(library, sizeof library, "%s/libcode.so", folder);
    snprintf(command, sizeof command,
             "cd %s && f=%s/.cargo/registry/src/here/code-1.0/src && mkdir -p $f && cp " BLEND_SOURCE
             " $f/code.s && as -g $f/code.s -o code.o && ld -shared -Ttext=0x1000 code.o -o libcode.so",
             folder, folder);
    assert_int_equal(system(command), 0);
    struct api_module module = {
        .name = SLICE("libcode.so"), .path = slice_of(library), .debug_name = SLICE("libcode.so"), .breakpad_id = SLICE("")};
    struct symbol_api own = {&search, &sources, &module, 1, 0};
    struct text_buffer answer = {0};
    assert_int_equal(symbol_api_answer(&own, SLICE("/symbolicate/v5"),
                                       SLICE("{\"memoryMap\":[[\"libcode.so\",\"\"]],\"stacks\":[[[0,4120]]]}"), &answer),
                     0);
    assert_int_equal(symbol_api_answer(&own, SLICE("/source/v1"),
                                       SLICE("{\"debugName\":\"libcode.so\",\"debugId\":\"\",\"moduleOffset\":\"0x1018\","
                                             "\"file\":\"cargo:here:code-1.0:src/code.s\"}"),
                                       &answer),
                     0);
    text_add_char(&answer, '\0');
    assert_says(answer.bytes.items, "\"file\":\"cargo:here:code-1.0:src/code.s\",\"line\":18}");
    assert_says(answer.bytes.items, "\"file\":\"cargo:here:code-1.0:src/code.s\",\"source\":\"# The code of");
    text_free(&answer);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* Of the bytes of draw() some are of code that was inlined from mix.h, and those alone give that file. */
static void source_serves_the_files_of_inlined_calls_where_they_are(void **state)
{
    (void)state;
    size_t served = 0, refused = 0;
    for (uint64_t i = 0; i < draw_size; i++) {
        const char *answer = ask("/source/v1",
                                 "{\"debugName\":\"libprogram.so\",\"debugId\":\"%s\",\"moduleOffset\":\"0x%llx\","
                                 "\"file\":\"" PROGRAM_SOURCE "/mix.h\"}",
                                 program_id, (unsigned long long)(draw_start + i));
        if (strstr(answer, "static inline unsigned mix"))
            served++;
        else
            refused += strncmp(answer, "{\"error\":", 9) == 0;
    }
    assert_true(served > 0);
    assert_true(refused > 0);
    assert_int_equal(served + refused, draw_size);
}

static void source_serves_no_file_that_the_address_does_not_name(void **state)
{
    (void)state;
    static const char *const files[] = {
        "/etc/passwd",
        BLEND_SOURCE "/../../../../../../../../../../etc/passwd",
        TEST_DATA "/cli/../cli/blend.s",
        TEST_DATA "/cli/./blend.s",
        TEST_DATA "/cli/draw.c",
        "blend.s",
        "",
        BLEND_SOURCE "\\u0000",
        "file://" BLEND_SOURCE,
        BLEND,
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_refused(ask("/source/v1",
                           "{\"debugName\":\"libblend.so\",\"debugId\":\"" BLEND_ID
                           "\",\"moduleOffset\":\"0x1018\",\"file\":\"%s\"}",
                           files[i]));
    assert_refused(ask("/source/v1", "{\"debugName\":\"libblend.so\",\"debugId\":\"" BLEND_ID
                                     "\",\"moduleOffset\":\"0x9000\",\"file\":\"" BLEND_SOURCE "\"}"));
    assert_refused(ask("/source/v1", "{\"debugName\":\"libother.so\",\"debugId\":\"" BLEND_ID
                                     "\",\"moduleOffset\":\"0x1018\",\"file\":\"" BLEND_SOURCE "\"}"));
}

/* A module whose source can be exchanged, in a folder of its own. */
static void only_regular_files_are_served(void **state)
{
    (void)state;
    char folder[] = "/tmp/sonde-api-XXXXXX", command[1000], source[100], library[100], request[400];
    assert_non_null(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/code.s", folder);
    snprintf(library, sizeof library, "%s/libcode.so", folder);
    snprintf(command, sizeof command,
             "cd %s && cp " BLEND_SOURCE " code.s && as -g code.s -o code.o && ld -shared -Ttext=0x1000 code.o -o libcode.so",
             folder);
    assert_int_equal(system(command), 0);
    struct api_module module = {
        .name = SLICE("libcode.so"), .path = slice_of(library), .debug_name = SLICE("libcode.so"), .breakpad_id = SLICE("")};
    struct symbol_api own = {&search, &sources, &module, 1, 0};
    snprintf(request, sizeof request,
             "{\"debugName\":\"libcode.so\",\"debugId\":\"\",\"moduleOffset\":\"0x1018\",\"file\":\"%s\"}", source);
    static const struct {
        const char *exchange;
        bool served;
    } steps[] = {
        {"true", true},
        {"mv code.s other.s && ln -s other.s code.s", true}, /* many builds make their sources of links */
        {"rm code.s && ln -s /dev/zero code.s", false},
        {"rm code.s && mkfifo code.s", false},
        {"rm code.s && mkdir code.s", false},
        {"rmdir code.s && ln -s code.s code.s", false},
        {"rm code.s && cp other.s code.s && truncate -s 65M code.s", false},
        {"rm code.s", false},
        {": > code.s", true},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct text_buffer answer = {0};
        snprintf(command, sizeof command, "cd %s && %s", folder, steps[i].exchange);
        assert_int_equal(system(command), 0);
        assert_int_equal(symbol_api_answer(&own, SLICE("/source/v1"), slice_of(request), &answer), 0);
        assert_int_equal(slice_starts_with(text_slice(&answer), SLICE("{\"error\"")), !steps[i].served);
        text_free(&answer);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void a_source_is_found_in_another_folder(void **state)
{
    (void)state;
    char folder[] = "/tmp/sonde-api-XXXXXX", command[600], request[600];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "mkdir %s/cli && echo other >%s/cli/blend.s", folder, folder);
    assert_int_equal(system(command), 0);
    const char *folders[] = {folder};
    struct source_search others = {.folders = folders, .folder_count = 1};
    struct symbol_api own = {&search, &others, modules, 2, 0};
    struct text_buffer answer = {0};
    snprintf(request, sizeof request,
             "{\"debugName\":\"libblend.so\",\"debugId\":\"" BLEND_ID "\",\"moduleOffset\":\"0x1018\",\"file\":\"" BLEND_SOURCE
             "\"}");
    assert_int_equal(symbol_api_answer(&own, SLICE("/source/v1"), slice_of(request), &answer), 0);
    assert_true(slice_ends_with(text_slice(&answer), SLICE("\"source\":\"other\\n\"}")));
    text_free(&answer);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* ---- requests that are none ---- */

static void what_is_no_request_is_refused(void **state)
{
    (void)state;
    static const char *const requests[][2] = {
        {"/symbolicate/v4", "{}"},
        {"", "{}"},
        {"/symbolicate/v5", ""},
        {"/symbolicate/v5", "null"},
        {"/symbolicate/v5", "[]"},
        {"/symbolicate/v5", "{}"},
        {"/symbolicate/v5", "{\"jobs\":{}}"},
        {"/symbolicate/v5", "{\"jobs\":[[]]}"},
        {"/symbolicate/v5", "{\"jobs\":[{}]}"},
        {"/symbolicate/v5", "{\"jobs\":[{\"jobs\":[]}]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[],\"stacks\":[[[0,1]]]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\"]],\"stacks\":[]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",\"b\",\"c\"]],\"stacks\":[]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",1]],\"stacks\":[]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",\"b\"]],\"stacks\":[[[0]]]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",\"b\"]],\"stacks\":[[[0,1,2]]]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",\"b\"]],\"stacks\":[[[0,\"1\"]]]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",\"b\"]],\"stacks\":[[[0,-1]]]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",\"b\"]],\"stacks\":[[[0,1.5]]]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",\"b\"]],\"stacks\":[[[0,1e300]]]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",\"b\"]],\"stacks\":[[[-2,1]]]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[[\"a\",\"b\"]],\"stacks\":[[[1,1]]]}"},
        {"/symbolicate/v5", "{\"memoryMap\":[],\"stacks\":[]}}"},
        {"/symbolicate/v5", "{\"memoryMap\":[],\"stacks\":["},
        {"/source/v1", "{}"},
        {"/source/v1", "{\"debugName\":null,\"debugId\":\"\",\"moduleOffset\":\"0x1\",\"file\":\"\"}"},
        {"/source/v1", "{\"debugName\":\"\",\"debugId\":\"\",\"moduleOffset\":1,\"file\":\"\"}"},
        {"/source/v1", "{\"debugName\":\"\",\"debugId\":\"\",\"moduleOffset\":\"1\",\"file\":\"\"}"},
        {"/source/v1", "{\"debugName\":\"\",\"debugId\":\"\",\"moduleOffset\":\"0x\",\"file\":\"\"}"},
        {"/source/v1", "{\"debugName\":\"\",\"debugId\":\"\",\"moduleOffset\":\"0xg\",\"file\":\"\"}"},
        {"/source/v1", "{\"debugName\":\"\",\"debugId\":\"\",\"moduleOffset\":\"0x10000000000000000\",\"file\":\"\"}"},
        {"/asm/v1", "{}"},
        {"/asm/v1", BLEND_ASM("-0x1", "0x1") "}"},
        {"/asm/v1", BLEND_ASM("0x1000", "0x1") ",\"continueUntilFunctionEnd\":1}"},
        {"/asm/v1", BLEND_ASM("0x1000", "0x1") ",\"size\":\"0x1\"}"},
        {"/asm/v1", "{\"name\":[],\"startAddress\":\"0x1\",\"size\":\"0x1\"}"},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        assert_refused(ask_slice(requests[i][0], slice_of(requests[i][1])));
    assert_refused(ask_slice("/symbolicate/v5", SLICE("{\"memoryMap\":[[\"\xff\xfe\",\"\"]],\"stacks\":[]}")));
    assert_refused(ask_slice("/\xff\"\n", SLICE("{}")));
}

/* `count` times the same text between two others. */
static const char *ask_many(const char *path, const char *before, const char *item, size_t count, const char *after)
{
    struct text_buffer request = {0};
    text_add(&request, slice_of(before));
    for (size_t i = 0; i < count; i++)
        text_add(&request, slice_of(item));
    text_add(&request, slice_of(after));
    assert_false(request.failed);
    const char *answer = ask_slice(path, text_slice(&request));
    text_free(&request);
    return answer;
}

static void requests_that_are_too_large_are_refused(void **state)
{
    (void)state;
    assert_refused(ask_many("/symbolicate/v5", "", " ", API_MOST_BYTES, "{\"memoryMap\":[],\"stacks\":[]}"));
    assert_refused(ask_many("/symbolicate/v5", "{\"x\":", "[", 100000, "]}"));
    assert_refused(ask_many("/symbolicate/v5", "{\"jobs\":[", "{\"memoryMap\":[],\"stacks\":[]},", API_MOST_JOBS,
                            "{\"memoryMap\":[],\"stacks\":[]}]}"));
    assert_refused(
        ask_many("/symbolicate/v5", "{\"stacks\":[],\"memoryMap\":[", "[\"a\",\"b\"],", API_MOST_MODULES, "[\"a\",\"b\"]]}"));
    assert_refused(ask_many("/symbolicate/v5", "{\"memoryMap\":[],\"stacks\":[", "[],", API_MOST_STACKS, "[]]}"));
    assert_refused(ask_many("/symbolicate/v5", "{\"memoryMap\":[],\"stacks\":[[", "[-1,0],", API_MOST_FRAMES, "[-1,0]]]}"));
    assert_refused(ask_many("/symbolicate/v5", "{\"stacks\":[],\"memoryMap\":[[\"", "a", API_MOST_TEXT + 1, "\",\"\"]]}"));
    assert_says(ask_many("/symbolicate/v5", "{\"jobs\":[", "{\"memoryMap\":[],\"stacks\":[]},", API_MOST_JOBS - 1,
                         "{\"memoryMap\":[],\"stacks\":[]}]}"),
                "{\"results\":[");
}

static void an_answer_that_would_be_too_large_is_refused(void **state)
{
    (void)state;
    char before[4300];
    snprintf(before, sizeof before, "{\"memoryMap\":[[\"%04000d\",\"b\"]],\"stacks\":[[", 1);
    assert_refused(ask_many("/symbolicate/v5", before, "[0,0],", API_MOST_ANSWER / 4000, "[0,0]]]}"));
}

/* ---- no memory ---- */

static void an_answer_survives_the_lack_of_memory(void **state)
{
    (void)state;
    static const char *const requests[][2] = {
        {"/symbolicate/v5", "{\"memoryMap\":[[\"libblend.so\",\"" BLEND_ID "\"]],\"stacks\":[[[0,4120],[-1,0]]]}"},
        {"/source/v1", "{\"debugName\":\"libblend.so\",\"debugId\":\"" BLEND_ID
                       "\",\"moduleOffset\":\"0x1018\",\"file\":\"" BLEND_SOURCE "\"}"},
        {"/asm/v1", BLEND_ASM("0x1000", "0x1") ",\"continueUntilFunctionEnd\":true}"},
        {"/asm/v1", "{}"},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        int result = -ENOMEM;
        unsigned long n = 1;
        for (; result != 0; n++) {
            struct text_buffer answer = {0};
            assert_true(n < 20000);
            memory_fail_after(n);
            result = symbol_api_answer(&api, slice_of(requests[i][0]), slice_of(requests[i][1]), &answer);
            memory_fail_after(0);
            assert_true(result == 0 || result == -ENOMEM);
            assert_int_equal(answer.bytes.count > 0, result == 0);
            text_free(&answer);
        }
        assert_true(n > 2);
    }
}

static void a_profile_says_which_modules_there_are(void **state)
{
    (void)state;
    struct profile profile;
    struct api_modules list = {0};
    profile_init(&profile);
    struct lib lib = {
        .name = string_table_add(&profile.strings, SLICE("libblend.so")),
        .path = string_table_add(&profile.strings, SLICE(BLEND)),
        .debug_name = string_table_add(&profile.strings, SLICE("libblend.so")),
        .debug_path = STRING_NONE,
        .breakpad_id = string_table_add(&profile.strings, SLICE(BLEND_ID)),
        .code_id = STRING_NONE,
        .arch = STRING_NONE,
    };
    assert_true(lib_exists(lib_table_append(&profile.libs, &lib)));
    assert_true(api_modules_of_profile(&profile, &list));
    assert_int_equal(list.items.count, 1);
    struct symbol_api own = {&search, &sources, list.items.items, list.items.count, 0};
    struct text_buffer answer = {0};
    assert_int_equal(symbol_api_answer(&own, SLICE("/asm/v1"), SLICE(BLEND_ASM("0x100e", "0x1") "}"), &answer), 0);
    assert_true(slice_ends_with(text_slice(&answer), SLICE("[[0,\"ret\",\"retq\"]]}")));
    text_free(&answer);
    api_modules_free(&list);
    profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbolicate_answers_with_functions_files_and_lines),
        cmocka_unit_test(symbolicate_takes_a_job_without_a_list),
        cmocka_unit_test(inlined_calls_are_innermost_first),
        cmocka_unit_test(frames_of_no_module_and_of_unknown_ones_have_no_function),
        cmocka_unit_test(a_module_without_addresses_is_found_all_the_same),
        cmocka_unit_test(the_name_and_the_id_must_both_be_right),
        cmocka_unit_test(duplicates_and_unknown_keys_are_fine),
        cmocka_unit_test(source_answers_with_the_text),
        cmocka_unit_test(files_that_everybody_can_get_have_names_of_their_own),
        cmocka_unit_test(a_source_is_served_by_the_name_that_symbolicate_gave_it),
        cmocka_unit_test(source_serves_the_files_of_inlined_calls_where_they_are),
        cmocka_unit_test(source_serves_no_file_that_the_address_does_not_name),
        cmocka_unit_test(only_regular_files_are_served),
        cmocka_unit_test(a_source_is_found_in_another_folder),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(requests_that_are_too_large_are_refused),
        cmocka_unit_test(an_answer_that_would_be_too_large_is_refused),
        cmocka_unit_test(an_answer_survives_the_lack_of_memory),
        cmocka_unit_test(a_profile_says_which_modules_there_are),
    };
    return cmocka_run_group_tests_name("symbols/api", tests, find_modules, forget_answer);
}
