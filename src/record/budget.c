#include "record/budget.h"

#include "ipc/link.h"
#include "session/format.h"

#include <assert.h>

static const uint64_t least = LINK_LEAST_BYTES;
static const uint64_t step = LINK_LEAST_BYTES / 4; /* processes that hold little take so much at a time */
static const uint64_t headroom_most = 1 << 20;
static const uint64_t patience_ns = 1000000000; /* for a process that was told to hold less … */
static const uint64_t active_ns = 2000000000;   /* … and after which one that took nothing is taken to be idle */
static const uint64_t moment_ns = 1000000000;   /* for which what has just ended is there, if the limit allows */

/* ---- files: a heap ---- */

static uint64_t next_time(const struct budget_file *file)
{
    return file->pieces.items[file->next].done_ns;
}

static void place_file(struct budget *budget, struct budget_file *file, size_t place)
{
    budget->files.items[place] = file;
    file->place = place;
}

static void sift_up(struct budget *budget, struct budget_file *file, size_t place)
{
    for (; place > 0 && next_time(budget->files.items[(place - 1) / 2]) > next_time(file); place = (place - 1) / 2)
        place_file(budget, budget->files.items[(place - 1) / 2], place);
    place_file(budget, file, place);
}

static void sift_down(struct budget *budget, struct budget_file *file, size_t place)
{
    for (size_t child; (child = 2 * place + 1) < budget->files.count; place = child) {
        struct budget_file *const *files = budget->files.items;
        if (child + 1 < budget->files.count && next_time(files[child + 1]) < next_time(files[child]))
            child++;
        if (next_time(files[child]) >= next_time(file))
            break;
        place_file(budget, files[child], place);
    }
    place_file(budget, file, place);
}

bool budget_add_file(struct budget *budget, struct budget_file *file)
{
    assert(file->pieces.count > 0);
    if (!vec_push(&budget->files, file))
        return false;
    file->next = 0;
    for (size_t i = 0; i < file->pieces.count; i++)
        budget->file_bytes += file->pieces.items[i].bytes;
    sift_up(budget, file, budget->files.count - 1);
    return true;
}

/* Takes the oldest piece of all files out. */
static void cut_file(struct budget *budget, void (*cut)(void *data, struct budget_file *file), void *data)
{
    struct budget_file *file = budget->files.items[0];
    budget->file_bytes -= file->pieces.items[file->next++].bytes;
    if (file->next < file->pieces.count) {
        sift_down(budget, file, 0);
    } else {
        struct budget_file *last = budget->files.items[--budget->files.count];
        if (last != file)
            sift_down(budget, last, 0);
    }
    cut(data, file);
}

/* ---- processes ---- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t whole_steps(uint64_t bytes)
{
    return bytes / step * step;
}

void budget_init(struct budget *budget, uint64_t limit_bytes, struct quota *quota)
{
    uint64_t first = link_first_bytes(limit_bytes), reserve = smaller(whole_steps(limit_bytes / 16), 64 * first);
    *budget =
        (struct budget){.limit = limit_bytes, .first_bytes = first, .reserve = larger(reserve, first + step), .quota = quota};
    budget->reserve += quota ? QUOTA_BYTES : 0; /* it is a file, too */
}

void budget_leave_out(struct budget *budget, uint64_t bytes)
{
    budget->limit -= bytes;
}

void budget_free(struct budget *budget)
{
    vec_free(&budget->processes);
    vec_free(&budget->files);
}

bool budget_join(struct budget *budget, struct budget_process *process, uint64_t now_ns)
{
    uint64_t first = budget->first_bytes;
    *process = (struct budget_process){.limit = first, .may_hold = first, .number = 1, .changed_ns = now_ns, .to_tell = true};
    return vec_push(&budget->processes, process);
}

void budget_leave(struct budget *budget, struct budget_process *process)
{
    for (size_t i = 0; i < budget->processes.count; i++)
        if (budget->processes.items[i] == process) {
            budget->processes.items[i] = budget->processes.items[--budget->processes.count];
            return;
        }
}

/* ---- the quota ---- */

/* What can still be taken. Somebody may have written nonsense there. */
static uint64_t in_quota(const struct budget *budget)
{
    return budget->quota ? smaller(quota_free(budget->quota), budget->open) : 0;
}

/* No more can have been taken than is not there any more. */
static uint64_t settle(struct budget *budget, uint64_t taken)
{
    taken = smaller(taken, budget->open - in_quota(budget));
    budget->open -= taken;
    return taken;
}

uint64_t budget_settle(struct budget *budget, uint64_t taken)
{
    return settle(budget, taken);
}

static void note_taken(struct budget *budget, struct budget_process *process, uint64_t taken)
{
    if (taken <= process->taken)
        return;
    uint64_t more = settle(budget, taken - process->taken);
    process->taken = taken;
    process->limit += more;
    process->may_hold += more;
}

static void take_back(struct budget *budget, uint64_t bytes)
{
    if (!budget->quota)
        return;
    uint64_t there = quota_free(budget->quota);
    if (there > budget->open) /* nobody put that in */
        (void)quota_take(budget->quota, 0, there - budget->open);
    budget->open -= smaller(quota_take(budget->quota, 0, bytes), budget->open);
}

static void put_in(struct budget *budget, uint64_t bytes)
{
    if (!budget->quota || bytes == 0)
        return;
    quota_put(budget->quota, bytes);
    budget->open += bytes;
}

/* ---- what processes say ---- */

void budget_use(struct budget *budget, struct budget_process *process, const struct budget_usage *usage, uint64_t now_ns)
{
    note_taken(budget, process, usage->taken);
    /* What is really there: the sums below cannot overflow, and nobody is larger than its file. */
    uint64_t used = smaller(usage->used, usage->in_file), done = smaller(usage->done, usage->in_file - used);
    uint64_t oldest = usage->oldest_ns > 0 ? smaller(usage->oldest_ns, now_ns) : now_ns;
    if (used != process->used || done != process->done || (done > 0 && oldest != process->oldest_ns))
        process->changed_ns = now_ns;
    if (done > process->done || (done == process->done && oldest != process->oldest_ns))
        process->newest_ns = now_ns;
    process->used = used;
    process->done = done;
    process->oldest_ns = oldest;
    process->wanted = usage->wanted;
    process->heard = true;
    if (usage->number == process->number) {
        process->may_hold = process->limit;
        process->asked_ns = 0;
    }
}

static uint64_t held(const struct budget_process *process)
{
    return process->used + process->done;
}

/* What a process counts for. */
static uint64_t charge(const struct budget_process *process)
{
    return SESSION_HEADER_BYTES + larger(larger(process->may_hold, process->limit), held(process));
}

uint64_t budget_held(const struct budget *budget)
{
    uint64_t sum = budget->file_bytes + budget->others + budget->open;
    for (size_t i = 0; i < budget->processes.count; i++)
        sum += charge(budget->processes.items[i]);
    return sum;
}

static void give_limit(struct budget_process *process, uint64_t limit)
{
    process->limit = limit;
    process->number++;
    process->to_tell = true;
}

/* It does not do what it was told: nothing is to be had from it. */
static bool is_stuck(const struct budget_process *process, uint64_t now_ns)
{
    return process->asked_ns > 0 && now_ns - process->asked_ns > patience_ns;
}

bool budget_has_room(const struct budget *budget, uint64_t now_ns)
{
    uint64_t needed = budget->others + budget->reserve + SESSION_HEADER_BYTES + least;
    for (size_t i = 0; i < budget->processes.count; i++) {
        const struct budget_process *process = budget->processes.items[i];
        needed += is_stuck(process, now_ns) ? charge(process) : SESSION_HEADER_BYTES + larger(least, process->used);
    }
    return needed <= budget->limit;
}

/* ---- deciding ---- */

struct balance {
    struct budget *budget;
    uint64_t now_ns;
};

/* What a process should be able to take before it is answered next, also where the quota is used up: a little of what it has,
 * and nothing where it does not write anyway. */
static uint64_t headroom_of(const struct balance *balance, const struct budget_process *process)
{
    if (process->content || (process->wanted == 0 && balance->now_ns - process->changed_ns >= active_ns))
        return 0;
    uint64_t wished = larger(held(process) / 16, process->wanted);
    return larger(step, smaller(whole_steps(wished), headroom_most));
}

static uint64_t target_of(const struct balance *balance, const struct budget_process *process)
{
    return larger(least, held(process) - process->cut + headroom_of(balance, process));
}

/* By how much all wishes together are too large. */
static uint64_t excess_of(const struct balance *balance)
{
    const struct budget *budget = balance->budget;
    uint64_t wished = budget->file_bytes + budget->others + budget->reserve;
    for (size_t i = 0; i < budget->processes.count; i++) {
        const struct budget_process *process = budget->processes.items[i];
        wished += is_stuck(process, balance->now_ns) ? charge(process) : SESSION_HEADER_BYTES + target_of(balance, process);
    }
    return wished > budget->limit ? wished - budget->limit : 0;
}

/* There is something to be had from it; below the least there is not. */
static bool can_cut(const struct balance *balance, const struct budget_process *process)
{
    return process->done > process->cut && !is_stuck(process, balance->now_ns) &&
           held(process) - process->cut + headroom_of(balance, process) > least;
}

/* When the next of its done chunks was done, about. */
static uint64_t next_cut_time(const struct budget_process *process)
{
    double share = (double)process->cut / (double)process->done;
    uint64_t span = process->newest_ns > process->oldest_ns ? process->newest_ns - process->oldest_ns : 0;
    return process->oldest_ns + (uint64_t)((double)span * share);
}

static struct budget_process *oldest_process(const struct balance *balance, uint64_t *time_ns)
{
    struct budget_process *oldest = NULL;
    *time_ns = UINT64_MAX;
    for (size_t i = 0; i < balance->budget->processes.count; i++) {
        struct budget_process *process = balance->budget->processes.items[i];
        uint64_t time = can_cut(balance, process) ? next_cut_time(process) : UINT64_MAX;
        if (time < *time_ns) {
            *time_ns = time;
            oldest = process;
        }
    }
    return oldest;
}

/* Who has no more than the least, but older data than what would go next, gets no headroom for it: it throws that away itself.
 * True where there was one. */
static bool make_content(const struct balance *balance, uint64_t next_ns)
{
    bool any = false;
    for (size_t i = 0; i < balance->budget->processes.count; i++) {
        struct budget_process *process = balance->budget->processes.items[i];
        if (process->content || process->done == process->cut || process->oldest_ns >= next_ns ||
            is_stuck(process, balance->now_ns) || can_cut(balance, process))
            continue;
        process->content = any = true;
    }
    return any;
}

/* What is older than what live processes could let go of goes before that. But in favour of mere wishes nobody is lost who was
 * there a moment ago: neither the newest chunk and the rest of a file go, as a live process keeps the chunk that it writes, nor
 * anything where live processes have nothing to let go of. The limit itself has no such condition. */
static bool may_cut_file(const struct balance *balance, const struct budget_process *oldest, uint64_t process_ns)
{
    const struct budget *budget = balance->budget;
    const struct budget_file *file = budget->files.items[0];
    bool is_pressed = budget_held(budget) + budget->reserve / 2 > budget->limit;
    bool is_last = file->next + 2 >= file->pieces.count;
    uint64_t age = balance->now_ns - smaller(next_time(file), balance->now_ns);
    if (oldest)
        return next_time(file) <= process_ns && (is_pressed || !is_last || age >= moment_ns);
    return is_pressed || age >= active_ns;
}

/* The oldest goes, wherever it is, until the wishes fit. */
static void cut_oldest(const struct balance *balance, void (*cut)(void *data, struct budget_file *file), void *data)
{
    enum { CUTS_AT_ONCE = 256 }; /* the rest next time: a turn is to be short */
    struct budget *budget = balance->budget;
    uint64_t excess = excess_of(balance);
    for (int i = 0; excess > 0 && i < CUTS_AT_ONCE; i++) {
        uint64_t process_time, file_time = budget->files.count > 0 ? next_time(budget->files.items[0]) : UINT64_MAX;
        struct budget_process *process = oldest_process(balance, &process_time);
        if (make_content(balance, smaller(file_time, process_time)))
            ; /* that may be enough */
        else if (budget->files.count > 0 && may_cut_file(balance, process, process_time))
            cut_file(budget, cut, data);
        else if (process)
            process->cut += smaller(CHUNK_BYTES, process->done - process->cut);
        else
            break;
        excess = excess_of(balance);
    }
}

/* A process that may hold more than its share is told so where another one waits for it. */
static void lower_limits(const struct balance *balance)
{
    for (size_t i = 0; i < balance->budget->processes.count; i++) {
        struct budget_process *process = balance->budget->processes.items[i];
        uint64_t target = target_of(balance, process);
        if (target >= process->limit)
            continue;
        process->may_hold = larger(process->may_hold, process->limit);
        give_limit(process, target);
        if (process->asked_ns == 0)
            process->asked_ns = balance->now_ns;
    }
}

static bool wants_more(const struct balance *balance, const struct budget_process *process)
{
    uint64_t target = target_of(balance, process);
    if (target <= process->limit || is_stuck(process, balance->now_ns))
        return false;
    /* While there is quota left it takes what it needs, and has to be told nothing. */
    if (process->wanted == 0 && in_quota(balance->budget) > 0)
        return false;
    /* One that said something is answered in any case; others are told only when they need it. */
    uint64_t left = process->limit > held(process) ? process->limit - held(process) : 0;
    return process->heard || left < larger(step, headroom_of(balance, process) / 2);
}

/* What nobody has; and what is missing so that the reserve is one. */
static uint64_t spare(const struct budget *budget)
{
    uint64_t taken = budget_held(budget) + budget->reserve;
    return taken < budget->limit ? whole_steps(budget->limit - taken) : 0;
}

static uint64_t overdrawn(const struct budget *budget)
{
    uint64_t taken = budget_held(budget) + budget->reserve;
    return taken > budget->limit ? taken - budget->limit : 0;
}

/* What is left of the quota goes to those that want more than they could take. */
static void make_room_for_wishes(const struct balance *balance)
{
    struct budget *budget = balance->budget;
    uint64_t wished = 0, there = spare(budget);
    for (size_t i = 0; i < budget->processes.count; i++) {
        const struct budget_process *process = budget->processes.items[i];
        if (wants_more(balance, process))
            wished += target_of(balance, process) - process->limit;
    }
    if (wished > there)
        take_back(budget, wished - there);
}

static uint64_t raise_limits(const struct balance *balance)
{
    struct budget *budget = balance->budget;
    uint64_t missing = 0, left = spare(budget);
    budget->turn++;
    for (size_t i = 0; i < budget->processes.count; i++) {
        struct budget_process *process = budget->processes.items[(i + budget->turn) % budget->processes.count];
        if (!wants_more(balance, process))
            continue;
        uint64_t before = charge(process), limit = process->limit, target = target_of(balance, process);
        /* Up to what it counts for anyway it costs nobody anything. */
        uint64_t counted = before - SESSION_HEADER_BYTES, most = counted + left;
        uint64_t granted = smaller(target, larger(limit, most));
        missing += target - granted;
        if (granted == limit)
            continue;
        give_limit(process, granted);
        left -= charge(process) - before;
        if (process->limit >= process->may_hold) {
            process->may_hold = process->limit;
            process->asked_ns = 0;
        }
    }
    return missing;
}

void budget_balance(struct budget *budget, uint64_t now_ns, void (*cut)(void *data, struct budget_file *file), void *data)
{
    struct balance balance = {budget, now_ns};
    for (size_t i = 0; i < budget->processes.count; i++) {
        budget->processes.items[i]->cut = 0;
        budget->processes.items[i]->content = false;
    }
    cut_oldest(&balance, cut, data);
    take_back(budget, overdrawn(budget));
    make_room_for_wishes(&balance);
    uint64_t missing = raise_limits(&balance);
    put_in(budget, spare(budget));
    /* Before the quota is used up, what others do not use is asked for. */
    if (missing > 0 || overdrawn(budget) > 0 || in_quota(budget) < budget->reserve)
        lower_limits(&balance);
    for (size_t i = 0; i < budget->processes.count; i++)
        budget->processes.items[i]->heard = false;
}
