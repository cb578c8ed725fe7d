#include "record/members_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { IMAGES_MOST = 1000000 };

void members_init(struct members *members, int folder, uint64_t limit_bytes, struct quota *quota)
{
    *members = (struct members){.folder = folder, .recording = LINK_RECORD};
    budget_init(&members->budget, limit_bytes, quota);
}

void members_free(struct members *members)
{
    for (size_t i = 0; i < members->list.count; i++)
        memory_release(members->list.items[i]);
    for (size_t i = 0; i < members->ended.count; i++)
        ended_file_free(members->ended.items[i]);
    vec_free(&members->list);
    vec_free(&members->ended);
    vec_free(&members->left);
    map_free(&members->known);
    vec_free(&members->names);
    missing_free(&members->missing);
    budget_free(&members->budget);
}

struct member *members_add(struct members *members, int peer, uint64_t now_ns)
{
    struct member *member = memory_zeroed(1, sizeof *member);
    if (!member || !vec_push(&members->list, member)) {
        memory_release(member);
        return NULL;
    }
    member->fd = -1;
    member->peer = peer;
    member->since_ns = now_ns;
    return member;
}

void members_remove(struct members *members, struct member *member)
{
    for (size_t i = 0; i < members->list.count; i++)
        if (members->list.items[i] == member) {
            members->list.items[i] = members->list.items[--members->list.count];
            break;
        }
    memory_release(member);
}

/* ---- files that are known ---- */

static uint64_t name_of(int pid, uint32_t image)
{
    return (uint64_t)(uint32_t)pid << 32 | image;
}

bool members_is_known(const struct members *members, int pid, uint32_t image)
{
    uint64_t name = name_of(pid, image);
    uint32_t row;
    for (struct map_probe probe = map_probe(&members->known, hash_u64(name)); map_probe_next(&probe, &row);)
        if (members->names.items[row] == name)
            return true;
    return false;
}

bool members_make_known(struct members *members, int pid, uint32_t image)
{
    uint64_t name = name_of(pid, image);
    return members->names.count < UINT32_MAX - 1 && vec_push(&members->names, name) &&
           map_insert(&members->known, hash_u64(name), (uint32_t)(members->names.count - 1));
}

bool members_left_file(const struct members *members, int pid, uint32_t image)
{
    for (size_t i = 0; i < members->names.count; i++)
        if (members->names.items[i] >> 32 == (uint32_t)pid && (uint32_t)members->names.items[i] >= image)
            return true;
    /* One whose connection could not be heard any more. */
    char name[ENDED_NAME_MAX];
    ended_file_name(name, pid, image);
    return faccessat(members->folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- what they say ---- */

/* The same process as before, whose connection somebody has closed; NULL = there is none. */
static struct member *find_former(const struct members *members, const struct member *member, const struct link_message *join)
{
    for (size_t i = 0; i < members->list.count; i++) {
        struct member *former = members->list.items[i];
        if (former->role == MEMBER_LEAVING && former->pid == join->pid && former->image == join->image &&
            former->peer == member->peer)
            return former;
    }
    return NULL;
}

/* What was found of a process that seemed to have ended: it could not become another program, and goes on. */
static bool take_back(struct members *members, const struct member *member, const struct link_message *join,
                      struct left_file *found)
{
    return join->pid == member->peer && members_take_back(members, join->pid, join->image, found);
}

static bool enter_budget(struct members *members, struct member *member, struct member *former, uint64_t taken, uint64_t now_ns)
{
    if (!budget_join(&members->budget, &member->share, now_ns))
        return false;
    member->share.taken += taken;
    member->share.limit += taken;
    member->share.may_hold += taken;
    if (former) {
        /* It holds what it held. */
        member->share = former->share;
        member->share.number++;
        budget_leave(&members->budget, &former->share);
        members_remove(members, former);
    }
    return true;
}

/* A process writes one file at a time. */
static void note_successor(struct members *members, const struct member *member)
{
    for (size_t i = 0; i < members->list.count; i++) {
        struct member *former = members->list.items[i];
        former->is_over |= former->role == MEMBER_LEAVING && former->is_itself && member->is_itself &&
                           former->peer == member->peer && former->image < member->image;
    }
}

static bool has_room(struct members *members, uint64_t now_ns)
{
    if (budget_has_room(&members->budget, now_ns))
        return true;
    /* What ended processes left could go. Those that were there and had not joined may have, meanwhile, and count twice. */
    if (members->budget.others == members->unreadable_bytes)
        return false;
    members_take_in(members, SIZE_MAX);
    members_count_others(members, now_ns);
    return budget_has_room(&members->budget, now_ns);
}

static bool join(struct members *members, struct member *member, const struct link_message *message, uint64_t now_ns)
{
    if (member->role != MEMBER_CONNECTED || message->pid <= 0 || message->image >= IMAGES_MOST)
        return false;
    bool known = members_is_known(members, message->pid, message->image);
    struct member *former = known ? find_former(members, member, message) : NULL;
    struct left_file found = {0};
    if (known ? !former && !take_back(members, member, message, &found)
              : !members_make_known(members, message->pid, message->image))
        return false;
    member->no_room = former ? former->no_room : !has_room(members, now_ns);
    members->no_room += member->no_room && !former;
    if (!enter_budget(members, member, former, found.taken, now_ns))
        return false;
    member->role = MEMBER_JOINED;
    member->pid = message->pid;
    member->image = message->image;
    member->is_itself = member->pid == member->peer;
    member->answer_due = true;
    if (members->recording == LINK_STOP || member->no_room)
        member->stop_number = member->share.number;
    members->joined += !found.was_found;
    note_successor(members, member);
    missing_joined(&members->missing, member->pid, member->image);
    return true;
}

static bool use(struct members *members, struct member *member, const struct link_message *message, uint64_t now_ns)
{
    if (member->role != MEMBER_JOINED)
        return false;
    struct budget_usage usage = {
        .number = message->number,
        .used = message->used_bytes,
        .done = message->done_bytes,
        .wanted = message->wanted_bytes,
        .taken = message->taken_bytes,
        .oldest_ns = message->oldest_ns,
        .in_file = ended_file_bytes(members->folder, member->pid, member->image),
    };
    budget_use(&members->budget, &member->share, &usage, now_ns);
    member->goes_by = message->number;
    member->answer_due = true;
    return true;
}

static void note_start(struct members *members, int pid, uint32_t image, const char *path, size_t length, uint32_t reason)
{
    /* It may have been heard of before, over its own connection, or its file was found. */
    if (!members_is_known(members, pid, image))
        missing_note(&members->missing, path, length, pid, image, reason);
}

void members_note_start(struct members *members, const struct start_notice *start)
{
    if (start->pid > 0 && start->image < IMAGES_MOST && *start->path)
        note_start(members, start->pid, start->image, start->path, strlen(start->path), start->reason);
}

static bool note_child(struct members *members, const struct member *member, const struct link_message *message,
                       const char *text)
{
    /* Who has just been forked says what it becomes without joining before. */
    bool joined = member->role == MEMBER_JOINED;
    if ((!joined && member->role != MEMBER_CONNECTED) || message->pid < (joined ? 0 : 1) || message->text_bytes == 0 ||
        message->image >= IMAGES_MOST)
        return false;
    /* It becomes the program itself: what it has left so far is of the one before. */
    bool itself = joined && (message->pid == member->pid || message->pid == 0);
    int pid = itself ? member->pid : message->pid;
    uint32_t image = itself ? member->image + 1 : message->image;
    note_start(members, pid, image, text, strnlen(text, message->text_bytes), message->reason);
    return true;
}

static bool command(struct member *member, const struct link_message *message)
{
    if (member->role != MEMBER_CONNECTED && member->role != MEMBER_COMMANDS)
        return false;
    member->role = MEMBER_COMMANDS;
    member->command = (enum link_command)message->command;
    return message->command >= LINK_COMMAND_STATUS && message->command <= LINK_COMMAND_STOP;
}

bool members_receive(struct members *members, struct member *member, const void *packet, size_t length, uint64_t now_ns)
{
    struct link_message message;
    if (length < sizeof message)
        return false;
    memcpy(&message, packet, sizeof message);
    const char *text = (const char *)packet + sizeof message;
    if (message.version != LINK_VERSION || message.text_bytes > LINK_TEXT_MAX || message.text_bytes != length - sizeof message)
        return false;
    switch (message.kind) {
    case LINK_JOIN:
        return join(members, member, &message, now_ns);
    case LINK_USAGE:
        return use(members, member, &message, now_ns);
    case LINK_CHILD:
        return note_child(members, member, &message, text);
    case LINK_COMMAND:
        return command(member, &message);
    default:
        return false;
    }
}

/* ---- what they are told ---- */

static void cut(void *data, struct budget_file *share)
{
    struct members *members = data;
    struct ended_file *file = (struct ended_file *)((char *)share - offsetof(struct ended_file, share));
    ended_file_cut(members->folder, file);
    if (share->next < share->pieces.count)
        return;
    members->expired++;
    struct ended_file *last = members->ended.items[--members->ended.count];
    last->place = file->place;
    members->ended.items[last->place] = last;
    ended_file_free(file);
}

void members_balance(struct members *members, uint64_t now_ns)
{
    budget_balance(&members->budget, now_ns, cut, members);
}

void members_tell(struct members *members, enum link_recording recording)
{
    members->recording = recording;
    for (size_t i = 0; i < members->list.count; i++) {
        struct member *member = members->list.items[i];
        if (member->role != MEMBER_JOINED)
            continue;
        member->share.number++;
        member->share.to_tell = true;
        member->stop_number = recording == LINK_STOP ? member->share.number : 0;
    }
}

struct link_message members_state(const struct members *members, const struct member *member)
{
    return (struct link_message){
        .kind = LINK_STATE,
        .version = LINK_VERSION,
        .pid = member->pid,
        .image = member->image,
        .recording = member->no_room ? LINK_STOP : members->recording,
        .result = member->no_room ? -ENOSPC : 0,
        .limit_bytes = member->share.limit,
        .taken_bytes = member->share.taken,
        .number = member->share.number,
    };
}

size_t members_live(const struct members *members)
{
    size_t count = members->unknown_live;
    for (size_t i = 0; i < members->list.count; i++)
        count += members->list.items[i]->role == MEMBER_JOINED;
    return count;
}
