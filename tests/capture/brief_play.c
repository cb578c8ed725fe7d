#include "brief_play.h"

#include "fake_recorder.h"
#include "session/reader.h"
#include "session/room.h"
#include "support/session_draw.h"
#include "support/session_dump.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROOM = 32 << 20 };

char play_self[PATH_MAX];

bool play_begin(void)
{
    return realpath("/proc/self/exe", play_self) != NULL;
}

static void become(const struct played *played, const struct difference *difference, const char *scene)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDOUT_FILENO);
    setenv("LD_PRELOAD", PRELOAD, 1);
    setenv("SONDE_STARTUP", "1", 1);
    setenv("SONDE_SESSION", played->folder, 1);
    setenv("SONDE_STARTUP_FEATURES", difference->at_a_rate ? "default" : "default,thrift", 1);
    execl(play_self, play_self, scene, (char *)NULL);
    _exit(127);
}

/* What the process between says of the program. */
struct between {
    pid_t pid;
    int status;
    struct rusage used;
};

static uint64_t cpu_ns(const struct rusage *used)
{
    return (uint64_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000000 +
           (uint64_t)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1000;
}

static void run(struct played *played, const struct difference *difference, const char *scene)
{
    struct between *between = mmap(NULL, sizeof *between, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(between, MAP_FAILED);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pid_t program = difference->of_recorder ? 0 : fork();
        if (program == 0)
            become(played, difference, scene);
        between->pid = program;
        _exit(wait4(program, &between->status, 0, &between->used) != program);
    }
    int status;
    struct rusage used;
    assert_int_equal(wait4(child, &status, 0, &used), child);
    played->pid = difference->of_recorder ? child : between->pid;
    played->status = difference->of_recorder ? status : between->status;
    played->used_ns = cpu_ns(difference->of_recorder ? &used : &between->used);
    munmap(between, sizeof *between);
}

static void count_joins(struct played *played, int recorder)
{
    for (int fd; (fd = fake_recorder_accept(recorder, 0)) >= 0; close(fd)) {
        struct link_message message;
        while (fake_recorder_receive(fd, &message, NULL, 0)) {
            played->joined += message.kind == LINK_JOIN;
            played->joined_itself += message.kind == LINK_JOIN && message.pid == played->pid;
        }
    }
}

static void take_file(struct played *played, const char *name)
{
    struct error error = {0};
    assert_true(played->file_count < PLAYED_FILES_MOST);
    struct left_file *left = &played->files[played->file_count++];
    assert_int_equal(sscanf(name, "%d-%u.sonde", &left->pid, &left->image), 2);
    assert_true(asprintf(&left->path, "%s/%s", played->folder, name) > 0);
    struct session_file *file = session_file_open(left->path, &error);
    if (!file)
        fail_msg("%s", error.message);
    session_file_header(file, &left->header);
    session_file_close(file);
    struct session_reading reading;
    left->text = session_dump(left->path, &reading);
    assert_int_equal(reading.bad_entries + reading.bad_chunks, 0);
    assert_int_equal(left->header.pid, left->pid);
    assert_non_null(strstr(left->text, "process "));
    assert_non_null(strstr(left->text, "\nthread 1 "));
}

static void take_files(struct played *played)
{
    DIR *stream = opendir(played->folder);
    assert_non_null(stream);
    for (const struct dirent *entry; (entry = readdir(stream));)
        if (strstr(entry->d_name, ".sonde"))
            take_file(played, entry->d_name);
    closedir(stream);
}

struct played play_with(const char *scene, const struct difference *difference)
{
    struct played played = {.joined = 0};
    session_folder_make(played.folder);
    int recorder = fake_recorder_open(played.folder);
    int folder = open(played.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct room *room = room_make(folder);
    assert_non_null(room);
    close(folder);
    uint64_t free_bytes = difference->no_room ? 0 : ROOM;
    room_put(room, free_bytes);
    room_say_scarce(room, !difference->not_scarce);
    run(&played, difference, scene);
    played.taken = free_bytes - room_free(room);
    count_joins(&played, recorder);
    take_files(&played);
    close(recorder);
    room_close(room);
    return played;
}

struct played play_scene(const char *scene)
{
    return play_with(scene, &(struct difference){.no_room = false});
}

void played_forget(struct played *played)
{
    session_folder_remove(played->folder);
    for (size_t i = 0; i < played->file_count; i++) {
        free(played->files[i].path);
        free(played->files[i].text);
    }
}

const struct left_file *played_image(const struct played *played, unsigned image)
{
    size_t i = 0;
    while (i < played->file_count && (played->files[i].pid != played->pid || played->files[i].image != image))
        i++;
    assert_in_range(i, 0, played->file_count - 1);
    return &played->files[i];
}

const struct left_file *played_child(const struct played *played)
{
    size_t i = 0;
    while (i < played->file_count && played->files[i].pid == played->pid)
        i++;
    assert_in_range(i, 0, played->file_count - 1);
    return &played->files[i];
}

void assert_brief(const struct left_file *file, enum session_state state)
{
    assert_int_equal(file->header.state, state);
    assert_true((file->header.end_ns == 0) == (state == SESSION_RECORDING));
    assert_int_equal(file->header.statistics[STATISTIC_TICKS], 0);
    assert_true(file->header.room_taken > 0);
    assert_non_null(strstr(file->text, "configuration "));
    assert_null(strstr(file->text, "thread-end "));
}

void assert_whole(const struct left_file *file)
{
    assert_int_equal(file->header.state, SESSION_STOPPED);
    assert_true(file->header.end_ns > 0);
    assert_non_null(strstr(file->text, "\nthread-end 1 "));
}
