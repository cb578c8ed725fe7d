/* Taking leave of processes, and what they left.
 *
 *     leaving ──it said that it writes no more──▶ left ──the quota gets short──▶ an ended_file
 *        └────────────────it is gone───────────────────────────────────────────────▲
 *
 * A build ends hundreds of processes a second on cores that it needs itself. To look what is in a file, and to give its unused
 * ends back, takes several times as long as all the rest that is done for a process: so it waits until the quota gets short,
 * which mostly is never. Until then a file counts for the disk space that it has. */
#include "record/members_private.h"
#include "record/process_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void members_hang_up(struct members *members, struct member *member)
{
    if (member->role == MEMBER_JOINED)
        member->role = MEMBER_LEAVING;
    else
        members_remove(members, member);
}

/* ---- what they left ---- */

/* False where it cannot be looked at. */
static bool add_ended(struct members *members, int pid, uint32_t image, uint64_t now_ns)
{
    struct ended_file *file = ended_file_open(members->folder, pid, image, now_ns);
    if (file && vec_push(&members->ended, file)) {
        file->place = members->ended.count - 1;
        if (budget_add_file(&members->budget, &file->share))
            return true;
        members->ended.count--;
    }
    ended_file_free(file);
    return false;
}

/* What cannot be looked at stays, and counts. */
static void count_unreadable(struct members *members, int pid, uint32_t image)
{
    uint64_t bytes = ended_file_bytes(members->folder, pid, image);
    members->unreadable_bytes += bytes;
    members->budget.others += bytes;
}

/* What it took of the quota and had not reported. */
static uint64_t settle(struct members *members, uint64_t taken, uint64_t said)
{
    return taken > said ? budget_settle(&members->budget, taken - said) : 0;
}

static bool push_left(struct members *members, const struct left_file *left)
{
    if (!vec_push(&members->left, *left))
        return false;
    members->left_bytes += left->bytes;
    members->budget.others += left->bytes;
    return true;
}

static bool set_aside(struct members *members, struct member *member, const struct ended_look *look, uint64_t now_ns)
{
    struct left_file left = {member->pid, member->image, look->bytes, now_ns, false, 0};
    if (!push_left(members, &left))
        return false;
    settle(members, look->taken, member->share.taken);
    budget_leave(&members->budget, &member->share);
    return true;
}

bool members_take_back(struct members *members, int pid, uint32_t image, struct left_file *found)
{
    for (size_t i = members->left.count; i-- > 0;) {
        struct left_file *left = &members->left.items[i];
        if (left->pid != pid || left->image != image || !left->was_found)
            continue;
        *found = *left;
        members->left_bytes -= left->bytes;
        members->budget.others -= left->bytes;
        members->left.count--;
        memmove(left, left + 1, (members->left.count - i) * sizeof *left);
        return true;
    }
    return false;
}

void members_take_in(struct members *members, size_t most)
{
    size_t kept = 0, count = members->left.count;
    for (size_t i = 0; i < count; i++) {
        struct left_file left = members->left.items[i];
        if (i >= most || ended_file_is_written(members->folder, left.pid, left.image)) {
            members->left.items[kept++] = left;
            continue;
        }
        members->left_bytes -= left.bytes;
        members->budget.others -= left.bytes;
        if (!add_ended(members, left.pid, left.image, left.ended_ns))
            count_unreadable(members, left.pid, left.image);
    }
    members->left.count = kept;
}

/* ---- who has ended ---- */

static bool is_gone(struct member *member)
{
    struct process_state state;
    if (!process_state_read(member->peer, &state))
        return true;
    if (member->peer_start == 0)
        member->peer_start = state.start_time;
    return state.start_time != member->peer_start;
}

static void end(struct members *members, struct member *member, const struct ended_look *look, uint64_t now_ns)
{
    settle(members, look->taken, member->share.taken);
    budget_leave(&members->budget, &member->share);
    /* Of one in a container only the kernel knows that the file which it named is not somebody else's, who writes it. */
    bool is_over = member->is_itself || ended_file_is_left(members->folder, member->pid, member->image);
    if (is_over && member->no_room)
        ended_file_remove(members->folder, member->pid, member->image);
    else if (!is_over || !add_ended(members, member->pid, member->image, now_ns))
        count_unreadable(members, member->pid, member->image);
}

/* Who has closed the connection may have closed all files that it does not know, and write on. */
static bool take_leave(struct members *members, struct member *member, uint64_t now_ns)
{
    struct ended_look look = {0};
    (void)ended_file_look(members->folder, member->pid, member->image, &look);
    /* First what most have done: it ended well, became another program, or stopped its recording. The kernel takes three times
     * as long to tell what it knows of a process. */
    bool is_complete = member->is_itself && look.is_complete;
    if (is_complete && !member->no_room && set_aside(members, member, &look, now_ns))
        return true;
    if (!member->is_over &&
        ((!is_complete && !is_gone(member)) || ended_file_is_written(members->folder, member->pid, member->image)))
        return false;
    end(members, member, &look, now_ns);
    return true;
}

/* Half of the limit is far from what could be used up before the next turn; and where there is no quota that everybody can take
 * from, the next that asks may need it. */
bool members_are_short(const struct members *members)
{
    const struct quota *quota = members->budget.quota;
    return !quota || quota_free(quota) < members->budget.limit / 2;
}

bool members_let_go(struct members *members, uint64_t now_ns)
{
    enum { FILES_AT_ONCE = 256 }; /* the rest next time: a turn is to be short */
    bool others = false;
    for (size_t i = 0; i < members->list.count;) {
        struct member *member = members->list.items[i];
        if (member->role == MEMBER_LEAVING && take_leave(members, member, now_ns)) {
            members_remove(members, member);
        } else {
            others |= member->role == MEMBER_LEAVING;
            i++;
        }
    }
    if (members->left.count > 0 && members_are_short(members))
        members_take_in(members, FILES_AT_ONCE);
    return others;
}

/* ---- files of nobody ---- */

struct other {
    int pid;
    uint32_t image;
    bool is_there; /* its process, as far as the number says */
    struct ended_look look;
};

/* Its process will write no more. Both have to say so, it or its number, and the kernel: the number may be of another process
 * by now, and there are file systems that do not know of all mappings. Who has just begun may be in a container, where its
 * number is another one, and not have its file open. */
static bool is_over(const struct members *members, const struct other *other)
{
    if (other->look.is_complete)
        return !ended_file_is_written(members->folder, other->pid, other->image);
    return !other->is_there && !other->look.is_new && ended_file_is_left(members->folder, other->pid, other->image);
}

/* Most were too short to join, and have ended well. Nobody has to look at them again before the quota gets short. */
static bool set_found_aside(struct members *members, const struct other *other, uint64_t now_ns)
{
    if (!other->look.is_complete || members_are_short(members) || !vec_reserve(&members->left, members->left.count + 1) ||
        !members_make_known(members, other->pid, other->image))
        return false;
    uint64_t taken = settle(members, other->look.taken, 0);
    return push_left(members, &(struct left_file){other->pid, other->image, other->look.bytes, now_ns, true, taken});
}

static bool take_in_found(struct members *members, const struct other *other, uint64_t now_ns)
{
    if (!is_over(members, other) || !add_ended(members, other->pid, other->image, now_ns))
        return false;
    settle(members, other->look.taken, 0);
    (void)members_make_known(members, other->pid, other->image);
    return true;
}

static void find_other(struct members *members, int pid, uint32_t image, uint64_t now_ns)
{
    struct process_state state;
    struct other other = {.pid = pid, .image = image};
    bool is_own = ended_file_look(members->folder, pid, image, &other.look);
    other.is_there = !other.look.is_complete && process_state_read(pid, &state);
    if (is_own)
        missing_joined(&members->missing, pid, image);
    if (set_found_aside(members, &other, now_ns) || take_in_found(members, &other, now_ns)) {
        members->joined++;
        return;
    }
    members->unknown += is_own;
    members->unknown_live += is_own && other.is_there;
    members->budget.others += is_own ? other.look.bytes : ended_file_bytes(members->folder, pid, image);
}

void members_count_others(struct members *members, uint64_t now_ns)
{
    int fd = openat(members->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    members->unknown = members->unknown_live = 0;
    members->budget.others = members->unreadable_bytes + members->left_bytes;
    for (const struct dirent *item; (item = readdir(folder));) {
        int pid;
        uint32_t image;
        if (ended_file_read_name(item->d_name, &pid, &image) && !members_is_known(members, pid, image))
            find_other(members, pid, image, now_ns);
    }
    closedir(folder);
}
