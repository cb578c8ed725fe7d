#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recorded_blocks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

block_list told, recorded;
struct session_file_header header;

static char folder[64];
static block_list frees;

/* Behind a CALLER. */
static struct {
    uint64_t time, address;
    VEC(uint64_t) frames; /* of each path */
} run;

static void take_event(const struct any_entry *entry)
{
    const struct allocated_entry *made = &entry->allocated;
    struct block block = {0};
    switch (entry->kind) {
    case ENTRY_CALLER:
        run.time = entry->caller.time;
        run.address = 0;
        run.frames.count = 0;
        break;
    case ENTRY_CALL_PATH:
        assert_true(vec_push(&run.frames, (uint64_t)entry->call_path.stack.frames.count));
        break;
    case ENTRY_ALLOCATED:
        run.time += made->time_delta;
        run.address += (uint64_t)made->address_delta;
        assert_true(made->path < run.frames.count);
        block = (struct block){run.address * ALLOCATED_ALIGNMENT, made->size, run.time, run.frames.items[made->path], false};
        assert_true(vec_push(&recorded, block));
        break;
    case ENTRY_FREED:
        run.time += entry->freed.time_delta;
        run.address += (uint64_t)entry->freed.address_delta;
        block = (struct block){.address = run.address * ALLOCATED_ALIGNMENT, .time = run.time};
        assert_true(vec_push(&frees, block));
        break;
    default:
        break;
    }
}

static int take_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)data, (void)error;
    struct block block = {0};
    take_event(entry);
    if (entry->kind == ENTRY_ALLOCATION) {
        const struct allocation_entry *made = &entry->allocation;
        block = (struct block){made->address, made->size, made->time, made->stack.frames.count, false};
        assert_true(vec_push(&recorded, block));
    } else if (entry->kind == ENTRY_FREE) {
        block = (struct block){.address = entry->free.address, .time = entry->free.time};
        assert_true(vec_push(&frees, block));
    } else if (entry->kind == ENTRY_UNMAP) {
        block = (struct block){.address = entry->unmap.address, .time = entry->unmap.time};
        assert_true(vec_push(&frees, block));
    }
    return 0;
}

/* Of the first process, which is the scene. */
static void read_session(int pid)
{
    char path[128];
    struct error error = {0};
    struct session_reading reading = {0};
    run.frames.count = 0;
    static const struct session_visitor visitor = {.entry = take_entry};
    snprintf(path, sizeof path, "%s/%d-0.sonde", folder, pid);
    struct session_file *file = session_file_open(path, &error);
    if (!file)
        fail_msg("%s", error.message);
    assert_int_equal(session_file_visit(file, &visitor, NULL, &reading, &error), 0);
    assert_int_equal(reading.bad_entries, 0);
    session_file_header(file, &header);
    session_file_close(file);
}

/* A block is freed where a FREE of its address lies between it and the next block there. */
static void match_frees(void)
{
    for (size_t i = 0; i < recorded.count; i++) {
        struct block *block = &recorded.items[i];
        uint64_t next = UINT64_MAX;
        for (size_t j = 0; j < recorded.count; j++)
            if (recorded.items[j].address == block->address && recorded.items[j].time > block->time &&
                recorded.items[j].time < next)
                next = recorded.items[j].time;
        for (size_t j = 0; j < frees.count; j++)
            block->is_freed |=
                frees.items[j].address == block->address && frees.items[j].time >= block->time && frees.items[j].time <= next;
    }
}

static void read_facts(int fd)
{
    FILE *facts = fdopen(fd, "r");
    struct block block = {0};
    unsigned long address, size;
    int is_freed;
    assert_non_null(facts);
    while (fscanf(facts, "%lu %lu %d", &address, &size, &is_freed) == 3) {
        block.address = address;
        block.size = size;
        block.is_freed = is_freed;
        assert_true(vec_push(&told, block));
    }
    fclose(facts);
}

/* `value` behind NAME=, and what there is already. */
static void preload(const char *behind)
{
    char text[3 * PATH_MAX];
    snprintf(text, sizeof text, "%s:%s%s%s", PRELOAD, PRELOAD_ALLOCATIONS, behind ? ":" : "", behind ? behind : "");
    setenv("LD_PRELOAD", text, 1);
}

static _Noreturn void become(const struct scene_recording *how, int output)
{
    static char self[PATH_MAX];
    if (!realpath("/proc/self/exe", self))
        _exit(126);
    dup2(output, STDOUT_FILENO);
    close(output);
    preload(how->behind);
    setenv("SONDE_ALLOCATIONS", how->what, 1);
    setenv("SONDE_STARTUP", "1", 1);
    setenv("SONDE_SESSION", folder, 1);
    if (how->variable)
        putenv((char *)(uintptr_t)how->variable);
    execl(self, self, how->scene, (char *)NULL);
    _exit(127);
}

void scene_record(const struct scene_recording *how)
{
    int pipe_ends[2], status;
    strcpy(folder, "/tmp/sonde-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0)
        become(how, pipe_ends[1]);
    close(pipe_ends[1]);
    read_facts(pipe_ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, how->status);
    read_session(pid);
    match_frees();
}

int scene_forget(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    vec_free(&told);
    vec_free(&recorded);
    vec_free(&frees);
    vec_free(&run.frames);
    return system(command);
}

uint64_t bytes_recorded(void)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < recorded.count; i++)
        bytes += recorded.items[i].size;
    return bytes;
}

void assert_recorded_as_told(void)
{
    assert_true(told.count > 0);
    for (size_t i = 0; i < told.count; i++) {
        size_t found = 0, same = 0, freed = 0;
        for (size_t j = 0; j < told.count; j++)
            same += told.items[j].address == told.items[i].address && told.items[j].size == told.items[i].size;
        for (size_t j = 0; j < recorded.count; j++) {
            const struct block *block = &recorded.items[j];
            if (block->address != told.items[i].address || block->size != told.items[i].size)
                continue;
            found++;
            freed += block->is_freed;
            assert_true(block->frames > 1);
        }
        if (found != same || freed != (told.items[i].is_freed ? same : 0))
            fail_msg("block %lx of %lu bytes: recorded %zu times, freed %zu times; it was allocated %zu times%s",
                     told.items[i].address, told.items[i].size, found, freed, same,
                     told.items[i].is_freed ? " and freed as often" : "");
    }
}
