/* Any packets, from any members, in any order, and anything in the quota: the recorder stays whole, and nobody's claims move
 * the sum beyond what is on the disk and what was promised.
 *
 * The input: a byte that says what to do, then for a packet a byte of its length, and its bytes. */
#include "record/members.h"
#include "session/format.h"
#include "target.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MEMBERS = 6, LIMIT = 8 << 20, FILE_BYTES = SESSION_HEADER_BYTES + 8 * CHUNK_BYTES };

static char path[] = "/tmp/sonde-fuzz-XXXXXX";
static int folder = -1;

static void remove_folder(void)
{
    for (int pid = 1; pid <= MEMBERS; pid++) {
        char name[ENDED_NAME_MAX];
        ended_file_name(name, pid, 0);
        unlinkat(folder, name, 0);
    }
    rmdir(path);
}

/* Files for members 1 to 6, each of 8 chunks. They are no session files, so nobody trims them. */
static void make_folder(void)
{
    fuzz_check(mkdtemp(path) != NULL);
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    atexit(remove_folder);
    for (int pid = 1; pid <= MEMBERS; pid++) {
        char name[ENDED_NAME_MAX];
        ended_file_name(name, pid, 0);
        int fd = openat(folder, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        fuzz_check(fd >= 0 && posix_fallocate(fd, 0, FILE_BYTES) == 0 && write(fd, "no session", 10) == 10);
        close(fd);
    }
}

static void check(const struct members *members)
{
    uint64_t sum = members->budget.file_bytes + members->budget.others;
    for (size_t i = 0; i < members->list.count; i++) {
        const struct member *member = members->list.items[i];
        if (member->role != MEMBER_JOINED && member->role != MEMBER_LEAVING)
            continue;
        fuzz_check(member->share.used + member->share.done <= FILE_BYTES);
        fuzz_check(member->share.cut <= member->share.done);
        /* What it may hold is never more than the session has, but for the least. */
        fuzz_check(member->share.limit <= LIMIT);
        sum += SESSION_HEADER_BYTES + LINK_LEAST_BYTES + FILE_BYTES;
    }
    fuzz_check(members->budget.open <= LIMIT);
    fuzz_check(budget_held(&members->budget) <= sum + LIMIT);
}

/* Whoever has mapped it: a slot has these bytes in it and is told, or its state is nonsense as well. */
static void scribble(struct starts *starts, const uint8_t *bytes, size_t length)
{
    if (length == 0)
        return;
    size_t slot = bytes[0] % START_SLOTS, used = length - 1;
    used = used < sizeof starts->slots[slot] ? used : sizeof starts->slots[slot];
    memcpy(&starts->slots[slot], bytes + 1, used);
    atomic_store(&starts->states[slot], bytes[0] < START_SLOTS ? 2 : bytes[length - 1]);
    starts->looks[slot] = bytes[length - 1];
}

static void note_start(void *data, const struct start_notice *start)
{
    fuzz_check(strlen(start->path) < START_PATH);
    members_note_start(data, start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct members members;
    struct member *of_pid[MEMBERS] = {0};
    uint64_t now = 1000000000;
    if (folder < 0)
        make_folder();
    struct quota quota = {0};
    members_init(&members, folder, LIMIT, &quota);
    while (size >= 2) {
        unsigned who = data[0] % MEMBERS, what = data[0] / MEMBERS % 8;
        size_t length = data[1] < size - 2 ? data[1] : size - 2;
        const uint8_t *packet = data + 2;
        data += 2 + length;
        size -= 2 + length;
        now += (uint64_t)length * 10000000;
        if (!of_pid[who])
            of_pid[who] = members_add(&members, (int)who + 1, now);
        struct member *member = of_pid[who];
        if (what == 0) {
            members_hang_up(&members, member);
            of_pid[who] = NULL;
        } else if (what == 1) {
            members_let_go(&members, now);
        } else if (what == 3 && length == sizeof quota.free) {
            uint64_t number; /* whoever has mapped it */
            memcpy(&number, packet, length);
            atomic_store(&quota.free, number);
        } else if (what == 3) {
            scribble(&quota.starts, packet, length);
            quota_take_starts(&quota, note_start, &members);
        } else if (what == 2) {
            members_tell(&members, (enum link_recording)(length % 3));
        } else if (!members_receive(&members, member, packet, length, now)) {
            members_hang_up(&members, member);
            of_pid[who] = NULL;
        }
        members_balance(&members, now);
        check(&members);
    }
    members_free(&members);
    return 0;
}
