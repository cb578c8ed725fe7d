/* How names are made readable, held against llvm-cxxfilt: every mangled name of the libraries and programs that agreement.c
 * looks at. Both write the same, but for what is a matter of taste, which is counted; anything else fails the test. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/text_buffer.h"
#include "symbols/demangle.h"
#include "symbols/variant.h"

enum { NAME_MOST = 70000 };

enum spelling { SAME, SPACES, SUFFIX, LAMBDA, NULLPTR, TAGGED, OLD_RUST, ONLY_HERE, DIFFERENT, SPELLINGS };
static const char *const spelling_names[SPELLINGS] = {
    [SAME] = "the same",
    [SPACES] = "other spaces",
    [SUFFIX] = "f() [clone .cold] for f() (.cold), in Rust without it",
    [LAMBDA] = "{lambda()#1} for 'lambda'()",
    [NULLPTR] = "decltype(nullptr) for std::nullptr_t",
    [TAGGED] = "constructors of tagged classes, whose names are missing there",
    [OLD_RUST] = "old names of Rust, which are taken for C++ there",
    [ONLY_HERE] = "readable only here",
    [DIFFERENT] = "different",
};

/* ---- comparing ---- */

static bool same_but_spaces(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b)
            return false;
        if (*a == '\0')
            return true;
    }
}

/* Up to where a text is followed by the suffix of a clone. */
static bool same_but_suffix(const char *mangled, const char *ours, const char *theirs)
{
    char a[NAME_MOST], b[3 * NAME_MOST];
    const char *suffix = strchr(mangled, '.');
    if (!suffix)
        return false;
    const char *clone = strstr(ours, " [clone .");
    snprintf(a, sizeof a, "%.*s", clone ? (int)(clone - ours) : (int)strlen(ours), ours);
    snprintf(b, sizeof b, "%s (%s)", a, suffix);
    return same_but_spaces(b, theirs);
}

static bool same_but_nullptr(const char *ours, const char *theirs)
{
    static const char written[] = "decltype(nullptr)";
    char text[NAME_MOST];
    const char *at = strstr(ours, written);
    if (!at)
        return false;
    snprintf(text, sizeof text, "%.*sstd::nullptr_t%s", (int)(at - ours), ours, at + sizeof written - 1);
    return same_but_spaces(text, theirs) || same_but_nullptr(text, theirs);
}

/* …17h0123456789abcdefE, perhaps with a suffix. */
static bool has_old_hash(const char *mangled)
{
    for (const char *at = mangled; (at = strstr(at, "17h")); at++)
        if (strspn(at + 3, "0123456789abcdef") == 16 && at[19] == 'E')
            return true;
    return false;
}

static enum spelling compare(const char *mangled, const char *ours, const char *theirs)
{
    if (strcmp(ours, theirs) == 0)
        return SAME;
    if (same_but_spaces(ours, theirs))
        return SPACES;
    if (strcmp(mangled, theirs) == 0)
        return ONLY_HERE;
    if (same_but_suffix(mangled, ours, theirs))
        return SUFFIX;
    if (same_but_nullptr(ours, theirs))
        return NULLPTR;
    if ((strstr(ours, "{lambda(") && strstr(theirs, "'lambda")) ||
        (strstr(ours, "{unnamed type#") && strstr(theirs, "'unnamed")))
        return LAMBDA;
    if (has_old_hash(mangled))
        return OLD_RUST;
    if (strstr(theirs, "]::(") || strstr(theirs, "]::~("))
        return TAGGED;
    return DIFFERENT;
}

static void read_line(FILE *in, char *line, int capacity)
{
    if (!fgets(line, capacity, in))
        fail_msg("a line is missing");
    line[strcspn(line, "\n")] = '\0';
}

static void assert_names_agree(const char *path, const char *options)
{
    static char mangled[NAME_MOST], theirs[NAME_MOST];
    char command[2 * PATH_MAX], list[] = "/tmp/sonde-names-XXXXXX";
    size_t counts[SPELLINGS] = {0}, total = 0;
    if (system("command -v llvm-cxxfilt >/dev/null") != 0) {
        print_message("there is no llvm-cxxfilt\n");
        skip();
    }
    int fd = mkstemp(list);
    assert_true(fd >= 0);
    close(fd);
    snprintf(command, sizeof command,
             "nm %s --defined-only '%s' | awk '$2 ~ /^[tTwWi]$/ {sub(/@.*/, \"\", $3); print $3}' | grep -E '^(_Z|_R)' | sort "
             "-u >%s",
             options, path, list);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "llvm-cxxfilt <%s", list);
    FILE *names = fopen(list, "r"), *answer = popen(command, "r");
    assert_non_null(names);
    assert_non_null(answer);
    while (fgets(mangled, sizeof mangled, names)) {
        struct text_buffer ours = {0};
        mangled[strcspn(mangled, "\n")] = '\0';
        read_line(answer, theirs, sizeof theirs);
        if (!demangle(slice_of(mangled), &ours))
            text_add(&ours, slice_of(mangled));
        text_add_char(&ours, '\0');
        enum spelling spelling = compare(mangled, text_slice(&ours).text, theirs);
        if (counts[spelling]++ < 5 && spelling == DIFFERENT)
            print_error("%s\n    here %s\n    there %s\n", mangled, text_slice(&ours).text, theirs);
        text_free(&ours);
        total++;
    }
    fclose(names);
    assert_int_equal(pclose(answer), 0);
    unlink(list);
    print_message("%s: %zu names", path, total);
    for (size_t i = 0; i < SPELLINGS; i++)
        if (counts[i] > 0)
            print_message("; %s: %zu", spelling_names[i], counts[i]);
    print_message("\n");
    assert_true(total > 100);
    assert_int_equal(counts[DIFFERENT], 0);
}

/* ---- of what ---- */

static void names_of_the_library_of_c_plus_plus_are_as_those_of_llvm(void **state)
{
    (void)state;
    FILE *found = popen("g++ -print-file-name=libstdc++.so.6", "r");
    char path[PATH_MAX] = "";
    assert_non_null(found);
    read_line(found, path, sizeof path);
    pclose(found);
    assert_names_agree(path, "-D");
}

static void names_of_a_program_of_c_plus_plus_are_as_those_of_llvm(void **state)
{
    (void)state;
    assert_names_agree(variant_path("words", "words"), "");
}

static void names_of_a_program_of_rust_are_as_those_of_llvm(void **state)
{
    (void)state;
    variant_needed("rust", "words");
    assert_names_agree(variant_path("rust", "words"), "");
}

static void new_names_of_a_program_of_rust_are_as_those_of_llvm(void **state)
{
    (void)state;
    variant_needed("rust", "words-v0");
    assert_names_agree(variant_path("rust", "words-v0"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_the_library_of_c_plus_plus_are_as_those_of_llvm),
        cmocka_unit_test(names_of_a_program_of_c_plus_plus_are_as_those_of_llvm),
        cmocka_unit_test(names_of_a_program_of_rust_are_as_those_of_llvm),
        cmocka_unit_test(new_names_of_a_program_of_rust_are_as_those_of_llvm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
