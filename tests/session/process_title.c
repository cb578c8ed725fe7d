/* What processes are called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/process_title.h"

static void assert_title(const struct process_entry *entry, const char *expected)
{
    char room[PROCESS_TITLE_BYTES];
    struct slice title = process_title(entry, room);
    assert_true(title.length <= PROCESS_TITLE_BYTES);
    assert_int_equal(title.length, strlen(expected));
    assert_memory_equal(title.text, expected, title.length);
}

static void a_process_is_called_by_what_was_typed(void **state)
{
    (void)state;
    assert_title(&(struct process_entry){SLICE("x86-as"), SLICE("/bin/x86-as"), SLICE("/bin/as\0-o\0a.o\0")}, "as -o a.o");
    assert_title(&(struct process_entry){SLICE("bash"), SLICE("/bin/bash"), SLICE("-bash\0")}, "bash");
    assert_title(&(struct process_entry){SLICE("app"), SLICE("/bin/app"), SLICE("")}, "app");
    assert_title(&(struct process_entry){SLICE("app"), SLICE("/bin/app"), SLICE("app\0with no end")}, "app with no end");
}

static void a_name_of_its_own_counts_more(void **state)
{
    (void)state;
    assert_title(&(struct process_entry){SLICE("Worker 3"), SLICE("/bin/server"), SLICE("server\0-x\0")}, "Worker 3 -x");
}

static void what_cannot_be_printed_is_a_blank(void **state)
{
    (void)state;
    assert_title(&(struct process_entry){SLICE("sh"), SLICE("/bin/sh"),
                                         SLICE("sh\0-c\0a\nb\x7f"
                                               "c\0\0")},
                 "sh -c a b c");
}

static void a_long_one_is_cut_between_characters(void **state)
{
    (void)state;
    char arguments[500] = "a", expected[200];
    for (size_t i = 2; i + 2 < sizeof arguments; i += 2)
        memcpy(arguments + i, "é", 2);
    const struct process_entry entry = {SLICE("a"), SLICE("/a"), {arguments, sizeof arguments}};
    strcpy(expected, "a ");
    while (strlen(expected) + 2 <= PROCESS_TITLE_BYTES - 3)
        strcat(expected, "é");
    strcat(expected, "…");
    assert_title(&entry, expected);
    /* A name alone, of every length around the limit. */
    char name[2 * PROCESS_TITLE_BYTES];
    memset(name, 'x', sizeof name);
    for (size_t length = PROCESS_TITLE_BYTES - 10; length < sizeof name; length++) {
        char room[PROCESS_TITLE_BYTES];
        struct slice title = process_title(&(struct process_entry){.name = {name, length}, .executable = SLICE("/y")}, room);
        assert_int_equal(title.length, length <= PROCESS_TITLE_BYTES - 3 ? length : PROCESS_TITLE_BYTES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_called_by_what_was_typed),
        cmocka_unit_test(a_name_of_its_own_counts_more),
        cmocka_unit_test(what_cannot_be_printed_is_a_blank),
        cmocka_unit_test(a_long_one_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
