/* Nothing is read from a module without samples: a program loads two libraries, of which one has none, and the kernel tells who
 * opens their files. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cmocka.h>

static const char *sonde, *program, *used, *unused; /* what the test is called with */

struct scene {
    char folder[32]; /* of the libraries; what else is needed is in folder/scratch */
    int watch;
};

struct opened {
    int used, unused;
};

/* ---- commands ---- */

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
    char command[4 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    assert_in_range(length, 1, sizeof command - 1);
    if (system(command) != 0)
        fail_msg("%s failed", command);
}

static int set_scene(void **state)
{
    static struct scene scene;
    strcpy(scene.folder, "/tmp/sonde-unread-XXXXXX");
    assert_non_null(mkdtemp(scene.folder));
    run("mkdir '%s/scratch'", scene.folder);
    run("cp '%s' '%s/used.so' && cp '%s' '%s/unused.so'", used, scene.folder, unused, scene.folder);
    run("cp '%s' '%s/used.copy' && cp '%s' '%s/unused.copy'", used, scene.folder, unused, scene.folder);
    scene.watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    assert_true(scene.watch >= 0);
    assert_true(inotify_add_watch(scene.watch, scene.folder, IN_OPEN | IN_CREATE) >= 0);
    *state = &scene;
    return 0;
}

static int clear_scene(void **state)
{
    struct scene *scene = *state;
    close(scene->watch);
    run("rm -rf '%s'", scene->folder);
    return 0;
}

static void record(const struct scene *scene, const char *options)
{
    const char *folder = scene->folder;
    run("timeout 60 '%s' record -s %s --session '%s/scratch/session' -o '%s/scratch/profile.json' '%s' '%s' "
        "2>'%s/scratch/said' || "
        "{ cat '%s/scratch/said'; false; }",
        sonde, options, folder, folder, program, folder, folder, folder);
}

/* ---- what was opened ---- */

/* How often each library has been opened since the last call; only after `loaded` was made, where that was made. */
static struct opened read_opened(const struct scene *scene)
{
    struct opened opened = {0};
    char events[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t length;
    while ((length = read(scene->watch, events, sizeof events)) > 0) {
        for (char *at = events; at < events + length;) {
            const struct inotify_event *event = (const struct inotify_event *)at;
            assert_int_equal(event->mask & IN_Q_OVERFLOW, 0);
            if ((event->mask & IN_CREATE) && strcmp(event->name, "loaded") == 0)
                opened = (struct opened){0};
            opened.used += event->len > 0 && (event->mask & IN_OPEN) && strcmp(event->name, "used.so") == 0;
            opened.unused += event->len > 0 && (event->mask & IN_OPEN) && strcmp(event->name, "unused.so") == 0;
            at += sizeof *event + event->len;
        }
    }
    return opened;
}

/* The recording knows of the library without samples, too. */
static void assert_loaded(const struct scene *scene)
{
    run("grep -rq /unused.so '%s/scratch/session'", scene->folder);
}

/* ---- tests ---- */

static void record_opens_the_libraries_that_have_samples_and_no_others(void **state)
{
    const struct scene *scene = *state;
    record(scene, "");
    struct opened opened = read_opened(scene);
    assert_true(opened.used > 0);
    assert_int_equal(opened.unused, 0);
    run("grep -q first_part '%s/scratch/profile.json'", scene->folder);
    assert_loaded(scene);
}

static void symbolicate_opens_the_libraries_that_have_samples_and_no_others(void **state)
{
    const struct scene *scene = *state;
    record(scene, "--no-symbols");
    struct opened opened = read_opened(scene);
    assert_int_equal(opened.used + opened.unused, 0);
    run("'%s' symbolicate '%s/scratch/session' -o '%s/scratch/named.json' >'%s/scratch/said' 2>&1", sonde, scene->folder,
        scene->folder, scene->folder);
    opened = read_opened(scene);
    assert_true(opened.used > 0);
    assert_int_equal(opened.unused, 0);
    run("grep -q first_part '%s/scratch/named.json'", scene->folder);
    assert_loaded(scene);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(record_opens_the_libraries_that_have_samples_and_no_others, set_scene, clear_scene),
        cmocka_unit_test_setup_teardown(symbolicate_opens_the_libraries_that_have_samples_and_no_others, set_scene,
                                        clear_scene),
    };
    if (count != 5) {
        fputs("usage: test_symbols_unread SONDE PROGRAM USED UNUSED\n", stderr);
        return 2;
    }
    sonde = arguments[1];
    program = arguments[2];
    used = arguments[3];
    unused = arguments[4];
    setenv("XDG_CACHE_HOME", "/dev/null", 1); /* no cache: even root can make no folder there */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
