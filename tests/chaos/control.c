/* The library is switched on and off every ten milliseconds while threads use all of it:
 *
 *     control PROGRAM
 *
 * for as many seconds as SONDE_CHAOS_SECONDS says (3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "left_behind.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

static const char *program;

static void control_from_many_threads_never_hangs_and_leaves_readable_sessions(void **state)
{
    (void)state;
    const char *seconds = getenv("SONDE_CHAOS_SECONDS");
    char folder[200];
    folder_make(folder, sizeof folder);
    const char *words[] = {program, seconds ? seconds : "3", folder, NULL};
    struct ended ended;
    program_run(&(struct program){.words = words}, &ended);
    print_message("%s%s", ended.output, ended.errors);
    assert_string_equal(status_text(ended.status), "exit status 0");
    struct left_behind left;
    left_behind_read(folder, &left);
    print_message("note: %lu files, %lu threads, %lu samples, %lu markers\n", left.files, left.threads, left.samples,
                  left.markers);
    assert_true(left.files > 0 && left.samples > 0 && left.markers > 0);
    assert_int_equal(left.states[SESSION_STOPPED], left.files);
    folder_remove(folder);
    ended_free(&ended);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: control PROGRAM\n", stderr);
        return 2;
    }
    program = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_from_many_threads_never_hangs_and_leaves_readable_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
