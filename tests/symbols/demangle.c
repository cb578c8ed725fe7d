/* Names as they were written; and names that were written to do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/demangle.h"

static void assert_readable(const char *name, const char *expected)
{
    struct text_buffer text = {0};
    assert_true(demangle(slice_of(name), &text));
    text_add_char(&text, '\0');
    assert_string_equal(text.bytes.items, expected);
    text_free(&text);
}

/* What was in the buffer before stays, too. */
static void assert_stays(const char *name)
{
    struct text_buffer text = {0};
    text_add(&text, SLICE("before"));
    assert_false(demangle(slice_of(name), &text));
    assert_true(slice_equal(text_slice(&text), SLICE("before")));
    text_free(&text);
}

static void names_of_c_plus_plus_are_shown_with_their_arguments(void **state)
{
    (void)state;
    assert_readable("_ZN5scene4drawEi", "scene::draw(int)");
    assert_readable("_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector<int, std::allocator<int> >::size() const");
    assert_readable("_ZN3fooC2ERKSs", "foo::foo(std::string const&)");
    assert_readable("_ZZN1a1bEvENKUliE_clEi", "a::b()::{lambda(int)#1}::operator()(int) const");
    assert_readable("_ZTv0_n24_N1a1bEv", "virtual thunk to a::b()");
}

static void parts_of_functions_are_named_after_them(void **state)
{
    (void)state;
    assert_readable("_ZN5scene4drawEi.cold", "scene::draw(int) [clone .cold]");
    assert_readable("_ZN5scene4drawEi.part.0", "scene::draw(int) [clone .part.0]");
    assert_readable("_ZN5scene4drawEi.constprop.1.isra.0", "scene::draw(int) [clone .constprop.1] [clone .isra.0]");
    assert_stays("draw.cold");
}

static void names_of_rust_are_shown_without_their_hash(void **state)
{
    (void)state;
    assert_readable("_ZN4core3ptr4swap17h0123456789abcdefE", "core::ptr::swap");
    assert_readable("_ZN4core3ptr4swap17h0123456789abcdefE.llvm.1234567890", "core::ptr::swap");
    assert_readable("_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE",
                    "<alloc::string::String as core::fmt::Display>::fmt");
}

static void names_of_rust_in_its_new_scheme_are_shown(void **state)
{
    (void)state;
    assert_readable("_RNvC6_123foo3bar", "123foo::bar");
    assert_readable("_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>");
}

static void versions_of_symbols_are_left_out(void **state)
{
    (void)state;
    assert_readable("malloc@@GLIBC_2.2.5", "malloc");
    assert_readable("_ZN5scene4drawEi@@V1", "scene::draw(int)");
}

static void names_that_are_readable_stay(void **state)
{
    (void)state;
    static const char *const names[] = {"main", "_start", "", "_", "_Z", "_R", "@", "_Zhoch", "_Rust", "_ZN", "operator new"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_stays(names[i]);
}

static void names_of_any_usual_length_are_shown(void **state)
{
    (void)state;
    /* libiberty alone would give up at 1024 bytes. */
    char name[DEMANGLE_MOST_INPUT + 1] = "_Z4drawI", expected[DEMANGLE_MOST_INPUT + 1] = "void draw<";
    for (int i = 0; i < 150; i++) {
        size_t at = strlen(name);
        snprintf(name + at, sizeof name - at, "7box%04d", i);
        at = strlen(expected);
        snprintf(expected + at, sizeof expected - at, "%sbox%04d", i == 0 ? "" : ", ", i);
    }
    strcat(name, "Evv");
    strcat(expected, ">()");
    assert_true(strlen(name) > 1024);
    assert_readable(name, expected);
}

/* Each type has the one before it twice: the readable form doubles with every few bytes. */
static void names_that_grow_without_end_stay(void **state)
{
    (void)state;
    char name[1000] = "_Z1f1AIiiES_IS0_S0_E";
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t i = 1; i < 35; i++) {
        size_t at = strlen(name);
        snprintf(name + at, sizeof name - at, "S_IS%c_S%c_E", digits[i], digits[i]);
    }
    assert_stays(name);
}

static void names_that_are_parsed_twice_at_every_step_stay(void **state)
{
    (void)state;
    char name[2000] = "_ZN1Xcv";
    for (int i = 0; i < 200; i++)
        strcat(name, "T_I");
    strcat(name, "i");
    for (int i = 0; i < 200; i++)
        strcat(name, "E");
    strcat(name, "Ev");
    assert_stays(name);
}

/* The same below a pack expansion, where the pack is searched before anything is printed. */
static void names_that_are_searched_without_end_stay(void **state)
{
    (void)state;
    static const struct {
        const char *beginning;
        size_t first; /* The reference to the innermost type. */
    } cases[] = {{"_Z1fIJiEEvDp", 0}, {"_Z1fIJiEEDTsr1a1bEDp", 2}};
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char name[1000], nested[500] = "FviE", around[500];
        for (size_t i = cases[k].first; i < 35; i++) {
            snprintf(around, sizeof around, "F%sS%c_E", nested, digits[i]);
            strcpy(nested, around);
        }
        snprintf(name, sizeof name, "%s%s", cases[k].beginning, nested);
        assert_stays(name);
    }
}

static void packs_and_lambdas_are_shown(void **state)
{
    (void)state;
    assert_readable("_Z4callIJiPcEEvDpT_", "void call<int, char*>(int, char*)");
    assert_readable("_ZSt11make_sharedI1aJiEESt10shared_ptrINSt9enable_ifIXntsr8is_arrayIT_EE5valueES3_E4typeEEDpOT0_",
                    "std::shared_ptr<std::enable_if<!is_array<a>::value, a>::type> std::make_shared<a, int>(int&&)");
    assert_readable("_ZZ4mainENKUlDpT_E_clIJiiEEEDaS0_",
                    "auto main::{lambda((auto:1)...)#1}::operator()<int, int>(int, int) const");
}

/* libiberty looks in there for a template that there is not. */
static void sizes_of_packs_in_lambdas_stay(void **state)
{
    (void)state;
    static const char *const names[] = {"_ZN1aUlDTsZT_EE_E", "_ZN1aUlAsZT__vE_E", "_ZN1aUlDTsPDpT_EEE_E",
                                        "_ZN1aUlA_DTplsZT_sr1b1cEE_E"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_stays(names[i]);
}

static void names_that_are_nested_without_end_stay(void **state)
{
    (void)state;
    static const char *const parts[] = {"P", "1AI", "F", "Z", "GR", "Th", "X", "N", "S_I", "DT", "cv", "L", "T_I", "RT_I", "J"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (int plain = 0; plain < 2; plain++) {
            char name[DEMANGLE_MOST_INPUT + 1] = "_Z1f";
            size_t at = plain ? 4 : 2;
            while (at + strlen(parts[i]) < DEMANGLE_MOST_INPUT) {
                memcpy(name + at, parts[i], strlen(parts[i]) + 1);
                at += strlen(parts[i]);
            }
            assert_stays(name);
        }
    char rust[DEMANGLE_MOST_INPUT + 1] = "_RC";
    memset(rust + 3, 'R', DEMANGLE_MOST_INPUT - 3);
    assert_stays(rust);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_c_plus_plus_are_shown_with_their_arguments),
        cmocka_unit_test(parts_of_functions_are_named_after_them),
        cmocka_unit_test(names_of_rust_are_shown_without_their_hash),
        cmocka_unit_test(names_of_rust_in_its_new_scheme_are_shown),
        cmocka_unit_test(versions_of_symbols_are_left_out),
        cmocka_unit_test(names_that_are_readable_stay),
        cmocka_unit_test(names_of_any_usual_length_are_shown),
        cmocka_unit_test(names_that_grow_without_end_stay),
        cmocka_unit_test(names_that_are_parsed_twice_at_every_step_stay),
        cmocka_unit_test(names_that_are_searched_without_end_stay),
        cmocka_unit_test(packs_and_lambdas_are_shown),
        cmocka_unit_test(sizes_of_packs_in_lambdas_stay),
        cmocka_unit_test(names_that_are_nested_without_end_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
