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

static void a_title_that_a_process_sets_is_shown_as_it_is(void **state)
{
    (void)state;
    const struct slice nginx = SLICE("nginx"), file = SLICE("/usr/sbin/nginx");
    assert_title(&(struct process_entry){nginx, file, SLICE("nginx: worker process\0\0\0\0")}, "nginx: worker process");
    assert_title(&(struct process_entry){nginx, file, SLICE("nginx: master process nginx -c /etc/n.conf -g daemon off;")},
                 "nginx: master process nginx -c /etc/n.conf -g daemon off;");
    assert_title(&(struct process_entry){SLICE("chrome"), SLICE("/opt/chrome/chrome"),
                                         SLICE("/opt/chrome/chrome --type=gpu --log=/tmp/x")},
                 "chrome --type=gpu --log=/tmp/x");
    assert_title(&(struct process_entry){SLICE("sshd"), SLICE("/usr/sbin/sshd"), SLICE("sshd: root@pts/0")},
                 "sshd: root@pts/0");
}

static void a_folder_may_have_blanks(void **state)
{
    (void)state;
    assert_title(&(struct process_entry){SLICE("app"), SLICE("/opt/My App/app"), SLICE("/opt/My App/app\0-x\0")}, "app -x");
}

static void assert_called(const struct process_entry *entry, const char *expected)
{
    struct slice name = process_called(entry);
    assert_int_equal(name.length, strlen(expected));
    assert_memory_equal(name.text, expected, name.length);
}

static void the_name_alone_is_what_was_typed_too(void **state)
{
    (void)state;
    assert_called(&(struct process_entry){SLICE("redis-check-rdb"), SLICE("/usr/bin/redis-check-rdb"),
                                          SLICE("redis-server\0--port\06400\0")},
                  "redis-server");
    assert_called(&(struct process_entry){SLICE("php8.2"), SLICE("/usr/bin/php8.2"), SLICE("/usr/bin/php\0x.php\0")}, "php");
    assert_called(&(struct process_entry){SLICE("app"), SLICE("/bin/app"), SLICE("")}, "app");
    assert_called(&(struct process_entry){SLICE("Worker"), SLICE("/bin/app"), SLICE("app\0")}, "Worker");
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
        cmocka_unit_test(a_title_that_a_process_sets_is_shown_as_it_is),
        cmocka_unit_test(a_folder_may_have_blanks),
        cmocka_unit_test(the_name_alone_is_what_was_typed_too),
        cmocka_unit_test(a_name_of_its_own_counts_more),
        cmocka_unit_test(what_cannot_be_printed_is_a_blank),
        cmocka_unit_test(a_long_one_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
