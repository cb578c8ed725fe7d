/* How fast a session is written as a Gecko profile: draws a session, exports it some times over, and prints the best speed, by
 * the clock and by CPU time: on a machine that does other things, too, the second is the steadier one.
 *
 *     bench_gecko_stream [TIMES [OUT]]                OUT: where the JSON goes (/dev/null)
 *
 * The session is that of a server at 1 kHz: 24 threads, of which 4 run all the time in stacks of about 30 frames, one in three
 * of them new, and the others wait and are looked at every second; every 10 ms an interval marker with a text, every 100 ms one
 * with a stack. */
#include "common/byte_sink.h"
#include "export/gecko.h"
#include "session/chunk_manager.h"
#include "session/entry.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TICKS = 120000, LOOK_TICKS = 1000, THREADS = 24, RUNNING = 4, DEPTH = 30, SHARED = 20, COUNTER = 1 };

struct drawing {
    struct chunk_manager *manager;
    struct chunk *chunks[CHUNK_MARKERS + 1];
    const struct chunk *stack_chunk[THREADS + 1]; /* with the newest stack of a thread: the next one may share frames with it */
    uint64_t now;
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench_gecko_stream: %s\n", what);
    exit(1);
}

/* ---- drawing ---- */

static uint8_t *begin(struct drawing *d, enum chunk_kind kind, size_t max)
{
    struct chunk **chunk = &d->chunks[kind];
    uint8_t *out = *chunk ? chunk_reserve(*chunk, max) : NULL;
    if (out)
        return out;
    if (*chunk)
        chunk_manager_give_back(d->manager, *chunk, d->now);
    *chunk = chunk_manager_take(d->manager, kind, d->now);
    if (!*chunk)
        die("no room for the session");
    return chunk_reserve(*chunk, max);
}

#define DRAW(d, chunk_kind, what, entry)                                                                                       \
    do {                                                                                                                       \
        enum { MAX_ = 1024 };                                                                                                  \
        uint8_t *out_ = begin(d, chunk_kind, MAX_);                                                                            \
        chunk_commit((d)->chunks[chunk_kind], MAX_, entry_write_##what(out_, MAX_, entry));                                    \
    } while (0)

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

static struct frames_slice frames_put(uint8_t *bytes, size_t room, uint32_t from, uint32_t to, const uint64_t *addresses)
{
    uint64_t previous = 0;
    size_t length = 0;
    for (uint32_t i = from; i < to; i++)
        length += frame_write(bytes + length, room - length, &(struct frame_entry){.address = addresses[i]}, &previous);
    return (struct frames_slice){{(const char *)bytes, length}, to - from};
}

static void draw_kept(struct drawing *d)
{
    DRAW(d, CHUNK_KEPT, process, &((struct process_entry){.name = SLICE("server"), .executable = SLICE("/bin/server")}));
    DRAW(d, CHUNK_KEPT, category, &((struct category_entry){0, SLICE("Other"), SLICE("grey"), SLICE("Other")}));
    for (uint32_t i = 1; i <= THREADS; i++)
        DRAW(d, CHUNK_KEPT, thread,
             &((struct thread_entry){
                 .thread = i, .tid = (int32_t)i + 100, .main = i == 1, .sampled = true, .name = SLICE("worker")}));
    DRAW(d, CHUNK_KEPT, marker_type,
         &((struct marker_type_entry){
             .type = 1,
             .name = SLICE("Text"),
             .field_count = 1,
             .fields = {{SLICE("name"), SLICE("Details"), SLICE("unique-string"), INPUT_TEXT, false}}}));
    DRAW(d, CHUNK_KEPT, counter,
         &((struct counter_entry){.counter = COUNTER, .name = SLICE("malloc"), .category = SLICE("Memory")}));
}

/* Of a sample or look in the chunk at hand. */
static struct stack_part stack_put(struct drawing *d, uint32_t thread, uint64_t *addresses, bool is_new, uint8_t *bytes,
                                   size_t room)
{
    if (is_new)
        for (uint32_t i = SHARED; i < DEPTH; i++)
            addresses[i] = UINT64_C(0x7f0000000000) + random_below(i + 1 < DEPTH ? 3 : 50) * 0x1010 + i * 0x100;
    uint32_t shared = d->stack_chunk[thread] != d->chunks[CHUNK_SAMPLES] ? 0 : is_new ? SHARED : DEPTH;
    d->stack_chunk[thread] = d->chunks[CHUNK_SAMPLES];
    return (struct stack_part){.shared = shared, .frames = frames_put(bytes, room, shared, DEPTH, addresses)};
}

enum { STACK_ENTRY_MAX = DEPTH * 11 + ENTRY_NUMBERS_MAX };

static void draw_sample(struct drawing *d, uint32_t thread, uint64_t *addresses)
{
    uint8_t bytes[DEPTH * 11], *out = begin(d, CHUNK_SAMPLES, STACK_ENTRY_MAX);
    struct sample_entry entry = {
        .thread = thread,
        .time = d->now + 1000 + random_below(20000),
        .stack = stack_put(d, thread, addresses, random_below(3) == 0, bytes, sizeof bytes),
    };
    chunk_commit(d->chunks[CHUNK_SAMPLES], STACK_ENTRY_MAX, entry_write_sample(out, STACK_ENTRY_MAX, &entry));
}

static void draw_look(struct drawing *d, uint32_t thread, uint64_t *addresses)
{
    uint8_t bytes[DEPTH * 11], *out = begin(d, CHUNK_SAMPLES, STACK_ENTRY_MAX);
    bool runs = thread <= RUNNING;
    struct look_entry entry = {
        .tid = (int32_t)thread + 100,
        .time = d->now + 30000,
        .state = runs ? LOOK_RUNNING : LOOK_WAITING,
        .cpu_ns = runs ? d->now * 9 / 10 : 0,
    };
    if (!runs)
        entry.stack = stack_put(d, thread, addresses, false, bytes, sizeof bytes);
    chunk_commit(d->chunks[CHUNK_SAMPLES], STACK_ENTRY_MAX, entry_write_look(out, STACK_ENTRY_MAX, &entry));
}

static void draw_marker(struct drawing *d, bool with_stack, const uint64_t *addresses)
{
    uint8_t bytes[DEPTH * 11], values[64];
    char text[32];
    int length = snprintf(text, sizeof text, "/page/%u", random_below(500));
    struct marker_value value = {.input = INPUT_TEXT, .text = {text, (size_t)length}};
    struct marker_entry entry = {
        .thread = 1 + random_below(RUNNING),
        .type = 1,
        .phase = MARKER_INTERVAL,
        .start = d->now - random_below(1000000),
        .end = d->now,
        .name = SLICE("request"),
        .has_stack = with_stack,
        .stack_thread = 1,
        .stack_time = d->now,
        .values = {(const char *)values, marker_value_write(values, sizeof values, &value)},
    };
    if (with_stack)
        entry.stack = frames_put(bytes, sizeof bytes, 0, DEPTH, addresses);
    DRAW(d, CHUNK_MARKERS, marker, &entry);
}

static void draw_ticks(struct drawing *d)
{
    static uint64_t addresses[RUNNING + 1][DEPTH];
    for (uint32_t thread = 1; thread <= RUNNING; thread++)
        for (uint32_t i = 0; i < SHARED; i++)
            addresses[thread][i] = UINT64_C(0x550000000000) + thread * 0x10000 + i * 0x123;
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        d->now += 995000 + random_below(10000);
        for (uint32_t thread = 1; thread <= RUNNING; thread++)
            draw_sample(d, thread, addresses[thread]);
        for (uint32_t thread = 1; thread <= THREADS && tick % LOOK_TICKS == LOOK_TICKS - 1; thread++)
            draw_look(d, thread, addresses[1]);
        DRAW(d, CHUNK_SAMPLES, counter_sample, &((struct counter_sample_entry){COUNTER, d->now, random_below(1 << 20), tick}));
        if (tick % 10 == 0)
            draw_marker(d, tick % 100 == 0, addresses[1]);
    }
}

static void draw_session(const char *folder, char *path, size_t size)
{
    struct error error = {0};
    struct drawing d = {.manager = chunk_manager_create(
                            &(struct chunk_manager_options){.folder = folder, .pid = 1, .limit_bytes = 1u << 30}, &error)};
    if (!d.manager)
        die(error.message);
    draw_kept(&d);
    draw_ticks(&d);
    for (size_t kind = CHUNK_KEPT; kind <= CHUNK_MARKERS; kind++)
        chunk_manager_give_back(d.manager, d.chunks[kind], d.now);
    snprintf(path, size, "%s", chunk_manager_path(d.manager));
    chunk_manager_free(d.manager);
}

/* ---- measuring ---- */

struct counting_sink {
    struct byte_sink base;
    int fd;
    uint64_t bytes;
};

static int count_and_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    struct counting_sink *counting = (struct counting_sink *)sink;
    counting->bytes += bytes.length;
    return byte_sink_write_fd(counting->fd, bytes, error);
}

struct seconds {
    double clock, cpu;
};

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct seconds export_once(const char *session, const char *out, uint64_t *bytes)
{
    struct error error = {0};
    struct counting_sink sink = {{count_and_write, NULL}, open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), 0};
    if (sink.fd < 0)
        die(out);
    struct seconds start = {seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
    struct session_file *file = session_file_open(session, &error);
    if (!file || export_gecko_session(file, NULL, &sink.base, &error) != 0)
        die(error.message);
    session_file_close(file);
    struct seconds taken = {seconds(CLOCK_MONOTONIC) - start.clock, seconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu};
    close(sink.fd);
    *bytes = sink.bytes;
    return taken;
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 5;
    const char *out = argc > 2 ? argv[2] : "/dev/null";
    char folder[] = "/tmp/sonde-bench-XXXXXX", path[128];
    if (!mkdtemp(folder))
        die("no folder in /tmp");
    draw_session(folder, path, sizeof path);
    struct stat session = {0};
    stat(path, &session);

    struct seconds best = {1e9, 1e9};
    uint64_t bytes = 0;
    for (int i = 0; i < times; i++) {
        struct seconds taken = export_once(path, out, &bytes);
        best.clock = taken.clock < best.clock ? taken.clock : best.clock;
        best.cpu = taken.cpu < best.cpu ? taken.cpu : best.cpu;
    }
    unlink(path);
    rmdir(folder);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double megabytes = (double)bytes / 1e6;
    printf("stream %.1f MB/s, %.1f by CPU time: %.1f MB of JSON from a session of %.1f MB; peak memory %ld KiB\n",
           megabytes / best.clock, megabytes / best.cpu, megabytes, (double)session.st_size / 1e6, usage.ru_maxrss);
    return 0;
}
