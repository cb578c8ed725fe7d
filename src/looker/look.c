#include "looker/look.h"

#include "common/clock.h"
#include "common/memory.h"
#include "looker/frame_search.h"
#include "looker/label_copy.h"
#include "looker/look_files.h"
#include "looker/target_modules.h"
#include "runtime/hotspot/told.h"
#include "runtime/v8/layout.h"
#include "runtime/walk_all.h"
#include "stack/labels.h"
#include "stack/merge.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct looker {
    struct look_descriptors descriptors;
    struct image_cache images;
    struct raw_stack raw;                        /* of the present look … */
    struct frame_entry frames[STACK_FRAMES_MAX]; /* … and merged */
};

struct look_target {
    struct looker *looker;
    struct look_folder folder;
    struct target_modules *modules;
    bool is_own;  /* the process of the caller */
    bool refused; /* as of … */
    uint64_t refused_ns;
    size_t runtime_count;
    struct runtime_layout *runtimes[RUNTIMES_MAX];
    struct java *java; /* NULL: it runs none */
    void (*on_code)(void *data, const struct code_entry *entry);
    void *on_code_data;
};

/* What is known of the VM for Java in a process. */
struct java {
    struct hotspot_state state;
    struct hotspot_told told;
};

/* What is refused now may be allowed later: a process sets PR_SET_PTRACER when it is ready. */
enum { ASK_AGAIN_NS = 1000000000 };

static uint64_t now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

static bool may_ask(const struct look_target *target, uint64_t now_ns)
{
    return !target->refused || now_ns - target->refused_ns >= ASK_AGAIN_NS;
}

static bool is_refusal(int error)
{
    return error == EPERM || error == EACCES;
}

/* --- lookers and targets ------------------------------------------------------------------------------------------------- */

struct looker *looker_create(size_t descriptors)
{
    struct looker *looker = memory_zeroed(1, sizeof *looker);
    if (!looker)
        return NULL;
    looker->descriptors.most = descriptors;
    image_cache_init(&looker->images, IMAGE_CACHE_BYTES);
    return looker;
}

void looker_free(struct looker *looker)
{
    if (!looker)
        return;
    image_cache_free(&looker->images);
    memory_release(looker);
}

struct look_target *look_target_open(struct looker *looker, pid_t pid, struct error *error)
{
    struct look_target *target = memory_zeroed(1, sizeof *target);
    struct target_modules *modules = target ? target_modules_create(&looker->images) : NULL;
    if (!modules) {
        memory_release(target);
        error_out_of_memory(error);
        return NULL;
    }
    int result = look_folder_open(&looker->descriptors, &target->folder, pid);
    if (result < 0) {
        target_modules_free(modules);
        memory_release(target);
        error_set(error, result, result == -ESRCH ? "there is no process %d" : "/proc/%d cannot be opened", (int)pid);
        return NULL;
    }
    target->looker = looker;
    target->modules = modules;
    target->is_own = pid == getpid();
    return target;
}

void look_target_close(struct look_target *target)
{
    if (!target)
        return;
    look_folder_close(&target->looker->descriptors, &target->folder);
    target_modules_free(target->modules);
    for (size_t i = 0; i < target->runtime_count; i++)
        memory_release(target->runtimes[i]);
    memory_release(target->java);
    memory_release(target);
}

void look_target_on_modules(struct look_target *target,
                            void (*changed)(void *data, const struct unwind_module *module, bool loaded), void *data)
{
    target_modules_on_change(target->modules, changed, data);
}

void look_target_on_code(struct look_target *target, void (*told)(void *data, const struct code_entry *entry), void *data)
{
    target->on_code = told;
    target->on_code_data = data;
}

void look_target_refresh(struct look_target *target)
{
    target_modules_refresh(target->modules, target->folder.pid, now(), MODULES_TOLD);
}

static void add_java(struct look_target *target, const struct runtime_layout *layout)
{
    if (layout->kind != RUNTIME_HOTSPOT || !layout->is_known || target->java)
        return;
    target->java = memory_zeroed(1, sizeof *target->java);
    if (target->java)
        target->java->state.layout = (const struct hotspot_layout *)(const void *)layout;
}

void look_target_add_runtime(struct look_target *target, const void *layout, size_t length)
{
    if (!runtime_layout_check(layout, length))
        return;
    for (size_t i = 0; i < target->runtime_count; i++)
        if (target->runtimes[i]->length == length && memcmp(target->runtimes[i], layout, length) == 0)
            return; /* every session of the process tells of it */
    struct runtime_layout *copy = target->runtime_count < RUNTIMES_MAX ? memory_array(1, length) : NULL;
    if (!copy)
        return;
    target->runtimes[target->runtime_count++] = memcpy(copy, layout, length);
    add_java(target, copy);
}

void look_thread_init(struct look_thread *thread, pid_t tid, uint64_t labels, uint64_t handle)
{
    *thread = (struct look_thread){.tid = tid, .labels = labels, .handle = handle, .files = {.schedstat = -1, .syscall = -1}};
}

void look_thread_close(struct look_target *target, struct look_thread *thread)
{
    look_files_close(&target->looker->descriptors, thread);
}

/* --- what the kernel says ------------------------------------------------------------------------------------------------ */

/* 0, or a negative errno: -ESRCH when the thread is gone. */
static int read_figures(struct look_target *target, struct look_thread *thread, struct schedstat_line *figures)
{
    char text[128];
    ssize_t got = look_file_read(&target->looker->descriptors, &target->folder, thread, &thread->files.schedstat, "schedstat",
                                 text, sizeof text);
    if (got < 0)
        return (int)got;
    return schedstat_line_parse((struct slice){text, (size_t)got}, figures) ? 0 : -EPROTO;
}

static int read_place(struct look_target *target, struct look_thread *thread, struct syscall_line *place)
{
    char text[256];
    ssize_t got = look_file_read(&target->looker->descriptors, &target->folder, thread, &thread->files.syscall, "syscall", text,
                                 sizeof text);
    if (got < 0)
        return (int)got;
    return syscall_line_parse((struct slice){text, (size_t)got}, place) ? 0 : -EPROTO;
}

static bool read_stat(struct look_target *target, const struct look_thread *thread, struct stat_line *stat)
{
    char text[512];
    int fd = -1;
    ssize_t got = look_file_read(&target->looker->descriptors, &target->folder, thread, &fd, "stat", text, sizeof text);
    if (fd >= 0)
        close(fd);
    return got > 0 && stat_line_parse((struct slice){text, (size_t)got}, stat);
}

/* Text as long as this is too long: then it has very many groups, or CPUs. */
enum { STATUS_MOST = 4096 };

/* Where ready time has come in, it matters how much of it was behind a wait. Costs ten times as much as the other figures. */
static void count_waits(struct look_target *target, struct look_thread *thread, struct look *look)
{
    char text[STATUS_MOST];
    int fd = -1;
    if (look->ready_ns < thread->counted_ready_ns + LOOK_READY_LEAST_NS)
        return;
    thread->counted_ready_ns = look->ready_ns;
    ssize_t got = look_file_read(&target->looker->descriptors, &target->folder, thread, &fd, "status", text, sizeof text);
    if (fd >= 0)
        close(fd);
    if (got <= 0 || !status_waits((struct slice){text, (size_t)got}, &look->waits))
        look->waits = 0;
}

/* Anybody may know whether a thread waits, if not where. */
static uint8_t read_state(struct look_target *target, const struct look_thread *thread)
{
    struct stat_line stat;
    return !read_stat(target, thread, &stat) || stat.state == 'R' ? LOOK_RUNNING : LOOK_WAITING;
}

void look_at_kernel_time(struct look_target *target, const struct look_thread *thread, struct look *look)
{
    struct stat_line stat;
    if (read_stat(target, thread, &stat) && stat.user_time + stat.kernel_time > 0)
        look->kernel_ns =
            (uint64_t)((double)look->cpu_ns * ((double)stat.kernel_time / (double)(stat.user_time + stat.kernel_time)));
}

/* --- the stack ----------------------------------------------------------------------------------------------------------- */

/* Returns why nothing could be read of it, an errno; 0: it could. */
static int walk_once(struct look_target *target, pid_t tid, const struct syscall_line *place, uint64_t now_ns)
{
    struct raw_stack *raw = &target->looker->raw;
    struct hotspot_pass java;
    struct unwind_registers registers;
    struct unwind_memory memory = {.copy = raw->copy, .pid = tid};
    unwind_registers_from_pc_sp(&registers, place->pc, place->sp);
    if (place->number >= 0)
        unwind_registers_add_call(&registers, place->arguments);
    struct unwind unwind = *target_modules_unwind(target->modules);
    raw->runtime_count = 0;
    if (target->java)
        unwind.hook = hotspot_pass_begin(&java, &target->java->state, raw, &memory, now_ns);
    size_t count = unwind_stack(&unwind, &registers, &memory, raw->native, STACK_FRAMES_MAX, &raw->end);
    if (raw->end == UNWIND_NO_REGISTER)
        count = frame_search_continue(&unwind, &registers, &memory, raw->native, count, STACK_FRAMES_MAX, &raw->end);
    raw->native_count = (uint32_t)count;
    if (target->java)
        hotspot_pass_end(&java);
    return memory.error;
}

/* Whether the walk ended at code that no module has. */
static bool missed_module(const struct look_target *target)
{
    const struct raw_stack *raw = &target->looker->raw;
    const struct unwind_module_list *list = target_modules_unwind(target->modules)->list;
    return raw->end != UNWIND_COMPLETE && raw->end != UNWIND_NO_ROOM &&
           !unwind_module_find(list, raw->native[raw->native_count - 1].pc);
}

static int walk(struct look_target *target, pid_t tid, const struct syscall_line *place, uint64_t now_ns)
{
    target_modules_refresh(target->modules, tid, now_ns, MODULES_BEFORE_LOOK);
    int error = walk_once(target, tid, place, now_ns);
    if (!is_refusal(error) && missed_module(target) && target_modules_refresh(target->modules, tid, now_ns, MODULES_MISSED))
        error = walk_once(target, tid, place, now_ns);
    return error;
}

/* V8's interpreter, as far as the thread has one for itself; NULL: it has none, or there is no V8. */
static const struct v8_interpreter *read_interpreter(const struct look_target *target, const struct look_thread *thread,
                                                     struct v8_interpreter *out)
{
    uint64_t address = 0;
    bool has_v8 = false;
    for (size_t i = 0; i < target->runtime_count; i++)
        has_v8 = has_v8 || target->runtimes[i]->kind == RUNTIME_V8;
    if (!has_v8 || !thread->labels ||
        unwind_memory_copy_of(thread->tid, &address, label_stack_interpreter_at(thread->labels), sizeof address, NULL) !=
            sizeof address ||
        address == 0 || unwind_memory_copy_of(thread->tid, out, address, sizeof *out, NULL) != sizeof *out)
        return NULL;
    return out;
}

static void walk_runtimes(const struct look_target *target, const struct look_thread *thread)
{
    struct raw_stack *raw = &target->looker->raw;
    struct unwind_memory memory = {.copy = raw->copy, .pid = thread->tid};
    struct v8_interpreter interpreter;
    struct runtime_walk walk = {.raw = raw,
                                .memory = &memory,
                                .thread = {.handle = thread->handle, .copy = read_interpreter(target, thread, &interpreter)},
                                .process = target->folder.pid};
    if (target->runtime_count > 0)
        runtime_walk_all((const struct runtime_layout *const *)target->runtimes, target->runtime_count, &walk);
}

/* In the library that stands in front of libc in recorded programs. */
static bool is_in_front(const struct look_target *target, uint64_t pc)
{
    static const char name[] = "libsonde-preload.so";
    const struct unwind_module *module = unwind_module_find(target_modules_unwind(target->modules)->list, pc);
    const char *slash = module ? strrchr(module->path, '/') : NULL;
    return slash && strcmp(slash + 1, name) == 0;
}

/* A program that waits in syscall() waits in that function of the library, which makes any system call as libc would: its
 * caller is what waits. Where there is more than that one frame of the library, the library itself waits. */
static void drop_syscall_of_ours(const struct look_target *target)
{
    struct raw_stack *raw = &target->looker->raw;
    if (raw->native_count < 2 || !is_in_front(target, raw->native[0].pc) || is_in_front(target, raw->native[1].pc))
        return;
    raw->native_count--;
    memmove(raw->native, raw->native + 1, raw->native_count * sizeof *raw->native);
    raw->native[0].pc--; /* into the call: readers take the youngest frame for the one at the pc */
}

/* What the frames are called, as long as they are there. */
static void tell_methods(struct look_target *target, pid_t tid)
{
    struct unwind_memory memory = {.copy = target->looker->raw.copy, .pid = tid};
    if (target->java && target->on_code)
        hotspot_tell(&target->java->told, &target->java->state, &memory, SIZE_MAX, target->on_code, target->on_code_data);
}

/* False: it is refused. */
static bool take_stack(struct look_target *target, const struct look_thread *thread, const struct syscall_line *place,
                       struct look *look)
{
    struct raw_stack *raw = &target->looker->raw;
    raw->cut = false;
    raw->native_count = raw->label_count = raw->runtime_count = raw->text_used = 0;
    if (is_refusal(walk(target, thread->tid, place, look->time_ns)))
        return false;
    if (thread->labels)
        label_stack_copy(thread->tid, thread->labels, raw);
    walk_runtimes(target, thread);
    drop_syscall_of_ours(target);
    tell_methods(target, thread->tid);
    bool cut;
    look->count = merge_stack(raw, false, target->looker->frames, &cut);
    look->frames = target->looker->frames;
    look->truncated = cut || raw->end != UNWIND_COMPLETE;
    return true;
}

/* --- looks --------------------------------------------------------------------------------------------------------------- */

static void tell_figures(struct look *look, const struct schedstat_line *figures)
{
    look->cpu_ns = figures->cpu_ns;
    look->ready_ns = figures->ready_ns;
    look->runs = figures->runs;
}

static void tell_refused(struct look_target *target, struct look_thread *thread, struct look *look)
{
    if (!target->refused) {
        target->refused = true;
        target->refused_ns = look->time_ns;
    }
    look->refused = true;
    look->state = read_state(target, thread);
}

/* A thread that may have run: what it does now. 0, or -ESRCH. */
static int look_closely(struct look_target *target, struct look_thread *thread, struct look *look)
{
    if (!may_ask(target, look->time_ns)) {
        tell_refused(target, thread, look);
        return 0;
    }
    if (target->is_own && thread->tid == gettid())
        return 0; /* it is in the call that reads about it */
    target->refused = false;
    struct syscall_line place;
    struct schedstat_line after;
    int result = read_place(target, thread, &place);
    if (result == 0 && place.running)
        return 0;
    if (result == 0 && place.sp == 0 && place.pc == 0)
        return -ESRCH; /* the first thread of a process whose other threads go on */
    if (result == 0 && !take_stack(target, thread, &place, look))
        result = -EPERM;
    /* Whoever has not got a CPU since the first figures were read, and was blocked in between, was so from there on. */
    int proof = read_figures(target, thread, &after);
    if (proof < 0)
        return proof;
    if (result < 0) {
        tell_refused(target, thread, look);
        return 0;
    }
    if (after.runs == look->runs) {
        look->state = LOOK_WAITING;
    } else {
        look->truncated = false;
        look->count = 0;
    }
    tell_figures(look, &after);
    return 0;
}

bool look_take(struct look_target *target, struct look_thread *thread, struct look *look)
{
    struct schedstat_line figures;
    *look = (struct look){.state = LOOK_RUNNING, .time_ns = now(), .frames = target->looker->frames};
    int result = read_figures(target, thread, &figures);
    if (result == 0) {
        tell_figures(look, &figures);
        look->same = thread->seen && thread->placed && figures.runs == thread->runs && figures.cpu_ns == thread->cpu_ns &&
                     !(thread->refused && may_ask(target, look->time_ns));
        if (look->same) {
            look->state = LOOK_WAITING;
            look->truncated = thread->truncated;
            look->refused = thread->refused;
        } else {
            result = look_closely(target, thread, look);
            count_waits(target, thread, look);
        }
    } else if (result != -ESRCH) {
        /* No figures, for want of descriptors or of permission: those of the last time. */
        tell_figures(look, &(struct schedstat_line){thread->cpu_ns, thread->ready_ns, thread->runs});
        look->refused = true;
        result = 0;
    }
    if (result == -ESRCH) {
        look_files_close(&target->looker->descriptors, thread);
        return false;
    }
    look_files_settle(&target->looker->descriptors, thread, look->time_ns);
    thread->seen = true;
    thread->placed = look->state == LOOK_WAITING;
    thread->truncated = look->truncated;
    thread->refused = look->refused;
    thread->cpu_ns = look->cpu_ns;
    thread->ready_ns = look->ready_ns;
    thread->runs = look->runs;
    return true;
}
