/* Programs that make children, and what these leave in the session. The test starts itself with the library in it, to do what a
 * scene says. */
#include "children_scenes.h"
#include "fake_recorder.h"
#include "ipc/quota.h"
#include "session/reader.h"
#include "support/draw_line.h"
#include "support/session_draw.h"
#include "support/session_dump.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* --- playing scenes --------------------------------------------------------------------------------------------------- */

struct played {
    char folder[64];
    int status;
    pid_t pid;
    int recorder; /* its socket; -1 = there is none */
};

static void run_scene(struct played *played, const char *scene, bool children)
{
    played->pid = fork();
    assert_true(played->pid >= 0);
    if (played->pid == 0) {
        char number[24];
        snprintf(number, sizeof number, "%d", getpid());
        setenv("LD_PRELOAD", PRELOAD, 1);
        setenv("SONDE_STARTUP", "1", 1);
        setenv("SONDE_SESSION", played->folder, 1);
        if (!children)
            setenv("SONDE_SESSION_PID", number, 1);
        execl(children_scene_self, children_scene_self, scene, (char *)NULL);
        _exit(127);
    }
    played->status = -1;
    assert_int_equal(waitpid(played->pid, &played->status, 0), played->pid);
    assert_int_equal(played->status, 0);
}

static struct played start_scene_with(const char *scene, bool children, bool recorder)
{
    struct played played;
    session_folder_make(played.folder);
    played.recorder = recorder ? fake_recorder_open(played.folder) : -1;
    run_scene(&played, scene, children);
    return played;
}

static struct played start_scene(const char *scene, bool children)
{
    return start_scene_with(scene, children, false);
}

struct left {
    unsigned files, complete; /* complete: it says when it ended */
    unsigned later_images;    /* PID-N with N > 0 */
    unsigned sampled;         /* with rows of its main thread */
    unsigned marked;
    unsigned begun; /* it says when the library began, by a clock that a new process may find at 0 */
    uint64_t blocks_most;
};

/* What the library used to begin lies before the entry of the main thread, in a forked child as in a program that was started.
 */
static void check_begin(const struct session_file_header *header, const char *text)
{
    static struct line line;
    const char *thread = strstr(text, "thread 1 ");
    assert_non_null(thread);
    char *copy = strndup(thread, strcspn(thread, "\n"));
    line.text = copy;
    line_cut(&line, copy);
    assert_true(header->begin_cpu_ns <= line_number(&line, "cpu"));
    free(copy);
}

static void look_at_file(const char *path, pid_t parent, struct left *left)
{
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    if (!file && error.code == -ENODATA)
        return; /* it is just being made */
    if (!file)
        fail_msg("%s", error.message);
    struct session_file_header header;
    session_file_header(file, &header);
    session_file_close(file);
    char *text = session_dump(path, NULL);
    left->files++;
    left->complete += header.end_ns != 0 && strstr(text, "thread-end 1 ") != NULL;
    left->sampled += strstr(text, "\nsample 1 ") != NULL;
    left->marked += header.pid != parent && strstr(text, "first thing") != NULL;
    assert_true(header.end_ns == 0 || strstr(text, "process "));
    left->begun += header.begin_cpu_ns > 0;
    if (header.end_ns != 0)
        check_begin(&header, text);
    free(text);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    if ((uint64_t)status.st_blocks > left->blocks_most)
        left->blocks_most = (uint64_t)status.st_blocks;
}

static struct left look(const struct played *played)
{
    struct left left = {0};
    DIR *stream = opendir(played->folder);
    assert_non_null(stream);
    for (const struct dirent *entry; (entry = readdir(stream));) {
        if (!strstr(entry->d_name, ".sonde"))
            continue;
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", played->folder, entry->d_name);
        look_at_file(path, played->pid, &left);
        left.later_images += strstr(entry->d_name, "-0.sonde") == NULL;
    }
    closedir(stream);
    return left;
}

static struct left play_scene(const char *scene)
{
    struct played played = start_scene(scene, true);
    struct left left = look(&played);
    session_folder_remove(played.folder);
    return left;
}

/* --- what is left ----------------------------------------------------------------------------------------------------- */

static void children_that_end_at_once_are_there(void **state)
{
    (void)state;
    struct left left = play_scene("end at once");
    assert_int_equal(left.files, 11);
    assert_int_equal(left.complete, 11);
}

static void children_that_live_for_milliseconds_are_there_and_take_little_room(void **state)
{
    (void)state;
    struct left left = play_scene("sleep");
    assert_int_equal(left.files, 11);
    assert_int_equal(left.complete, 11);
    assert_true(left.blocks_most * 512 <= 128 << 10);
}

static void children_that_work_are_sampled(void **state)
{
    (void)state;
    struct left left = play_scene("work");
    assert_int_equal(left.files, 4);
    assert_int_equal(left.complete, 4);
    assert_true(left.sampled >= 3);
}

static void the_child_of_a_thread_that_was_sampled_has_a_clock_of_its_own(void **state)
{
    (void)state;
    struct left left = play_scene("work long");
    assert_int_equal(left.files, 2);
    assert_int_equal(left.sampled, 2);
}

static void a_marker_is_kept_from_the_first_moment_of_a_child_on(void **state)
{
    (void)state;
    struct left left = play_scene("mark");
    assert_int_equal(left.files, 11);
    assert_int_equal(left.marked, 10);
}

static void descriptors_of_children_are_as_they_would_be(void **state)
{
    (void)state;
    /* Under a recorder: a process that records itself opens files in /proc. */
    struct played played = start_scene_with("descriptors", true, true);
    close(played.recorder);
    struct left left = look(&played);
    session_folder_remove(played.folder);
    assert_int_equal(left.files, 11);
}

static void children_of_children_are_there(void **state)
{
    (void)state;
    struct left left = play_scene("again");
    assert_int_equal(left.files, 11);
    assert_int_equal(left.complete, 11);
}

static void a_child_that_becomes_another_program_has_a_file_for_each(void **state)
{
    (void)state;
    struct left left = play_scene("exec");
    assert_int_equal(left.files, 21);
    assert_int_equal(left.later_images, 10);
    assert_int_equal(left.complete, 21);
}

static void a_child_that_cannot_become_another_program_is_there(void **state)
{
    (void)state;
    struct left left = play_scene("exec fails");
    assert_int_equal(left.files, 6);
    assert_int_equal(left.complete, 6);
}

static void programs_started_with_posix_spawn_are_there(void **state)
{
    (void)state;
    struct left left = play_scene("spawn");
    assert_int_equal(left.files, 11);
    assert_int_equal(left.begun, 11);
    assert_int_equal(left.complete, 11);
    assert_int_equal(left.later_images, 0);
}

static void programs_started_with_vfork_are_there(void **state)
{
    (void)state;
    struct left left = play_scene("vfork");
    assert_int_equal(left.files, 11);
    assert_int_equal(left.complete, 11);
    assert_int_equal(left.later_images, 0);
}

static void a_daemon_is_there_after_its_parent_has_ended(void **state)
{
    (void)state;
    struct played played = start_scene("daemon", true);
    struct left left = {0};
    for (int i = 0; i < 2000 && left.complete == 0; i++) {
        usleep(10000);
        left = look(&played);
    }
    session_folder_remove(played.folder);
    assert_int_equal(left.files, 2);
    assert_int_equal(left.complete, 1);
}

static void a_program_with_threads_can_fork(void **state)
{
    (void)state;
    struct left left = play_scene("threads");
    assert_int_equal(left.files, 101);
    assert_int_equal(left.complete, 101);
}

static void of_500_children_that_live_for_5_ms_all_are_there(void **state)
{
    (void)state;
    struct left left = play_scene("many");
    assert_int_equal(left.files, 501);
    assert_int_equal(left.complete, 501);
    assert_true(left.begun > 250);
}

struct told {
    unsigned joined, children, without_variables;
};

/* What a recorder would have heard, when all have ended. */
static struct told listen_to(int recorder)
{
    struct told told = {0};
    for (int fd; (fd = fake_recorder_accept(recorder, 0)) >= 0; close(fd)) {
        struct link_message message;
        char path[LINK_TEXT_MAX + 1];
        while (fake_recorder_receive(fd, &message, path, 0)) {
            told.joined += message.kind == LINK_JOIN;
            if (message.kind != LINK_CHILD)
                continue;
            assert_string_equal(path, children_scene_self);
            assert_true(message.pid > 0);
            told.children++;
            told.without_variables += message.reason == LINK_REASON_ENVIRONMENT;
        }
    }
    return told;
}

static void programs_that_are_started_without_the_variables_are_named_to_the_recorder(void **state)
{
    (void)state;
    struct played played = start_scene_with("without variables", true, true);
    struct told told = listen_to(played.recorder);
    close(played.recorder);
    struct left left = look(&played);
    session_folder_remove(played.folder);
    /* The program and its children, as long as they were that. */
    assert_int_equal(left.files, 4);
    assert_int_equal(told.joined, 4);
    assert_int_equal(told.children, 3);
    assert_int_equal(told.without_variables, 3);
}

static void programs_that_are_started_in_any_way_are_named_to_the_recorder(void **state)
{
    (void)state;
    static const char *const scenes[] = {"exec", "spawn", "vfork"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct played played = start_scene_with(scenes[i], true, true);
        struct told told = listen_to(played.recorder);
        close(played.recorder);
        session_folder_remove(played.folder);
        assert_true(told.joined >= 11);
        assert_int_equal(told.children, 10);
        assert_int_equal(told.without_variables, 0);
    }
}

static struct quota *make_quota(const struct played *played)
{
    int folder = open(played->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct quota *quota = quota_make(folder);
    assert_non_null(quota);
    close(folder);
    return quota;
}

static void add_start(void *data, const struct start_notice *start)
{
    struct told *told = data;
    assert_string_equal(start->path, children_scene_self);
    assert_true(start->pid > 0);
    told->children++;
    told->without_variables += start->reason == LINK_REASON_ENVIRONMENT;
}

static void where_there_is_a_room_programs_are_named_there_and_not_to_the_socket(void **state)
{
    (void)state;
    static const char *const scenes[] = {"exec", "spawn", "vfork", "without variables"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct played played;
        session_folder_make(played.folder);
        played.recorder = fake_recorder_open(played.folder);
        struct quota *quota = make_quota(&played);
        run_scene(&played, scenes[i], true);
        struct told in_quota = {0}, told = listen_to(played.recorder);
        close(played.recorder);
        quota_take_starts(quota, add_start, &in_quota);
        quota_close(quota);
        session_folder_remove(played.folder);
        assert_true(told.joined >= 2);
        assert_int_equal(told.children, 0);
        assert_int_equal(in_quota.children, i < 3 ? 10 : 3);
        assert_int_equal(in_quota.without_variables, i < 3 ? 0 : 3);
    }
}

static void where_the_room_is_full_programs_are_named_to_the_socket(void **state)
{
    (void)state;
    struct played played;
    session_folder_make(played.folder);
    played.recorder = fake_recorder_open(played.folder);
    struct quota *quota = make_quota(&played);
    enum { FREE = 4 };
    for (int i = 0; i < START_SLOTS - FREE; i++)
        assert_true(quota_tell_start(quota, &(struct start_notice){.pid = 1, .path = children_scene_self}));
    run_scene(&played, "spawn", true);
    struct told in_quota = {0}, told = listen_to(played.recorder);
    close(played.recorder);
    quota_take_starts(quota, add_start, &in_quota);
    quota_close(quota);
    session_folder_remove(played.folder);
    assert_int_equal(in_quota.children, START_SLOTS);
    assert_int_equal(told.children, 10 - FREE);
}

static void where_only_the_program_is_meant_its_children_are_not_recorded(void **state)
{
    (void)state;
    static const char *const scenes[] = {"sleep", "mark", "exec", "spawn", "vfork"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct played played = start_scene(scenes[i], false);
        struct left left = look(&played);
        session_folder_remove(played.folder);
        assert_int_equal(left.files, 1);
    }
}

int main(int argc, char **argv)
{
    if (!realpath("/proc/self/exe", children_scene_self))
        return 98;
    if (argc == 2)
        return children_scene_play(argv[1]);
    alarm(CHILDREN_SCENE_DEADLINE_S * 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_that_end_at_once_are_there),
        cmocka_unit_test(children_that_live_for_milliseconds_are_there_and_take_little_room),
        cmocka_unit_test(children_that_work_are_sampled),
        cmocka_unit_test(the_child_of_a_thread_that_was_sampled_has_a_clock_of_its_own),
        cmocka_unit_test(a_marker_is_kept_from_the_first_moment_of_a_child_on),
        cmocka_unit_test(descriptors_of_children_are_as_they_would_be),
        cmocka_unit_test(children_of_children_are_there),
        cmocka_unit_test(a_child_that_becomes_another_program_has_a_file_for_each),
        cmocka_unit_test(a_child_that_cannot_become_another_program_is_there),
        cmocka_unit_test(programs_started_with_posix_spawn_are_there),
        cmocka_unit_test(programs_started_with_vfork_are_there),
        cmocka_unit_test(a_daemon_is_there_after_its_parent_has_ended),
        cmocka_unit_test(a_program_with_threads_can_fork),
        cmocka_unit_test(of_500_children_that_live_for_5_ms_all_are_there),
        cmocka_unit_test(programs_that_are_started_without_the_variables_are_named_to_the_recorder),
        cmocka_unit_test(programs_that_are_started_in_any_way_are_named_to_the_recorder),
        cmocka_unit_test(where_there_is_a_room_programs_are_named_there_and_not_to_the_socket),
        cmocka_unit_test(where_the_room_is_full_programs_are_named_to_the_socket),
        cmocka_unit_test(where_only_the_program_is_meant_its_children_are_not_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
