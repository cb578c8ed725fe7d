/* What ended processes left: not looked at before the quota gets short, and then as if it had been at once. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/memory.h"
#include "record/members.h"
#include "session/format.h"
#include "support/session_draw.h"

enum { LIMIT = 16 << 20 };
static const uint64_t second = 1000000000;

struct session {
    char folder[64];
    int fd;
    struct quota quota;
    struct members members;
};

static int begin(void **state)
{
    struct session *session = calloc(1, sizeof *session);
    session_folder_make(session->folder);
    session->fd = open(session->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(session->fd >= 0);
    members_init(&session->members, session->fd, LIMIT, &session->quota);
    members_balance(&session->members, second);
    *state = session;
    return 0;
}

static int end(void **state)
{
    struct session *session = *state;
    members_free(&session->members);
    close(session->fd);
    session_folder_remove(session->folder);
    free(session);
    return 0;
}

/* A process that has joined, with a chunk that it is still writing. */
static struct member *join(struct session *session, int pid, struct session_draw **draw)
{
    struct chunk_manager_options options = {.folder = session->folder, .pid = pid, .limit_bytes = 1 << 20};
    *draw = session_draw_open_with(&options);
    session_draw_text(*draw, "process app\n"
                             "thread 1 Main tid=1 main sampled time=0\n"
                             "marker 1 one instant=1ms\n");
    struct member *member = members_add(&session->members, pid, second);
    struct link_message message = {.kind = LINK_JOIN, .version = LINK_VERSION, .pid = pid};
    assert_non_null(member);
    assert_true(members_receive(&session->members, member, &message, sizeof message, second));
    return member;
}

/* One that ends well. */
static void leave(struct session *session, int pid, uint64_t now_ns)
{
    struct session_draw *draw;
    struct member *member = join(session, pid, &draw);
    session_draw_header(draw)->end_ns = 1;
    session_draw_close(draw);
    members_hang_up(&session->members, member);
    assert_false(members_let_go(&session->members, now_ns));
    members_balance(&session->members, now_ns);
}

/* The others take what there is. */
static void use_up_the_room(struct session *session)
{
    assert_true(quota_take(&session->quota, LIMIT / 2, LIMIT) > 0);
}

static uint64_t bytes_of(const struct session *session, int pid)
{
    return ended_file_bytes(session->fd, pid, 0);
}

static void while_there_is_room_a_file_is_not_touched_and_counts_for_its_disk_space(void **state)
{
    struct session *session = *state;
    struct session_draw *draw;
    struct member *member = join(session, 1, &draw);
    session_draw_header(draw)->end_ns = 1;
    session_draw_close(draw);
    uint64_t before = bytes_of(session, 1);
    members_hang_up(&session->members, member);
    assert_false(members_let_go(&session->members, second));
    members_balance(&session->members, second);
    assert_int_equal(session->members.list.count, 0);
    assert_int_equal(session->members.ended.count, 0);
    assert_int_equal(bytes_of(session, 1), before);
    assert_int_equal(session->members.budget.others, before);
}

static void it_is_looked_at_when_the_room_gets_short(void **state)
{
    struct session *session = *state;
    leave(session, 1, second);
    assert_int_equal(session->members.ended.count, 0);
    use_up_the_room(session);
    members_let_go(&session->members, 2 * second);
    assert_int_equal(session->members.ended.count, 1);
    assert_int_equal(session->members.left.count, 0);
    assert_int_equal(session->members.budget.others, 0);
    assert_int_equal(session->members.budget.file_bytes, bytes_of(session, 1));
}

static void what_was_being_written_at_the_end_is_as_old_as_the_end(void **state)
{
    struct session *session = *state;
    leave(session, 1, 10 * second);
    leave(session, 2, 20 * second);
    members_take_in(&session->members, SIZE_MAX);
    assert_int_equal(session->members.ended.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct ended_file *file = session->members.ended.items[i];
        for (size_t j = 0; j < file->share.pieces.count; j++)
            assert_true(file->share.pieces.items[j].done_ns <= (uint64_t)file->pid * 10 * second);
    }
}

static void the_first_that_ended_are_looked_at_first(void **state)
{
    struct session *session = *state;
    for (int pid = 1; pid <= 5; pid++)
        leave(session, pid, (uint64_t)pid * second);
    members_take_in(&session->members, 2);
    assert_int_equal(session->members.ended.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(session->members.ended.items[i]->pid <= 2);
    assert_int_equal(session->members.left.count, 3);
    assert_int_equal(session->members.left.items[0].pid, 3);
    assert_int_equal(session->members.budget.others, bytes_of(session, 3) + bytes_of(session, 4) + bytes_of(session, 5));
}

static void searching_for_files_of_others_counts_it_once(void **state)
{
    struct session *session = *state;
    leave(session, 1, second);
    for (int i = 0; i < 2; i++) {
        members_count_others(&session->members, 2 * second);
        assert_int_equal(session->members.budget.others, bytes_of(session, 1));
    }
}

static void what_it_took_from_the_room_is_settled_at_once(void **state)
{
    struct session *session = *state;
    struct session_draw *draw;
    struct member *member = join(session, 1, &draw);
    members_balance(&session->members, second);
    uint64_t open = session->members.budget.open, taken = quota_take(&session->quota, 1, 1 << 20);
    session_draw_header(draw)->quota_taken = taken;
    session_draw_header(draw)->end_ns = 1;
    session_draw_close(draw);
    members_hang_up(&session->members, member);
    members_let_go(&session->members, second);
    assert_int_equal(session->members.budget.open, open - taken);
}

/* One of its threads may be in the middle of a marker. */
static void one_that_somebody_can_still_write_waits(void **state)
{
    struct session *session = *state;
    struct session_draw *draw;
    struct member *member = join(session, 1, &draw);
    session_draw_header(draw)->end_ns = 1;
    members_hang_up(&session->members, member);
    members_let_go(&session->members, second);
    members_take_in(&session->members, SIZE_MAX);
    assert_int_equal(session->members.ended.count, 0);
    assert_int_equal(session->members.budget.others, bytes_of(session, 1));
    session_draw_close(draw);
    members_take_in(&session->members, SIZE_MAX);
    assert_int_equal(session->members.ended.count, 1);
    assert_int_equal(session->members.budget.others, 0);
}

static void an_empty_heap_delays_it(void **state)
{
    struct session *session = *state;
    struct session_draw *draw;
    struct member *member = join(session, 1, &draw);
    session_draw_header(draw)->end_ns = 1;
    session_draw_close(draw);
    members_hang_up(&session->members, member);
    memory_fail_after(1);
    members_let_go(&session->members, second);
    memory_fail_after(0);
    /* It counts, whatever could be found out about it. */
    assert_int_equal(session->members.list.count, 0);
    assert_int_equal(session->members.budget.others + session->members.budget.file_bytes, bytes_of(session, 1));
}

/* What they left could go, so there is room for one that comes. */
static void it_keeps_nobody_from_joining(void **state)
{
    struct session *session = *state;
    struct session_draw *draw;
    for (int pid = 1; session->members.budget.others < LIMIT / 3; pid++)
        leave(session, pid, second);
    use_up_the_room(session);
    session->members.budget.limit = session->members.budget.others + session->members.budget.reserve;
    struct member *member = join(session, 100000, &draw);
    assert_false(member->no_room);
    assert_int_equal(session->members.left.count, 0);
    session_draw_close(draw);
}

/* ---- those that never joined ---- */

/* The file of one that was too short, or is still there. It had to take its first bytes of the quota. */
static uint64_t be_brief(struct session *session, int pid, uint64_t end_ns)
{
    struct chunk_manager_options options = {.folder = session->folder, .pid = pid, .limit_bytes = 1 << 20};
    struct session_draw *draw = session_draw_open_with(&options);
    session_draw_text(draw, "process app\n"
                            "thread 1 Main tid=1 main sampled time=0\n");
    uint64_t taken = quota_take(&session->quota, 1, 16 << 10);
    session_draw_header(draw)->quota_taken = taken;
    session_draw_header(draw)->end_ns = end_ns;
    session_draw_close(draw);
    return taken;
}

static void one_that_never_joined_is_set_aside_and_counted_once(void **state)
{
    struct session *session = *state;
    uint64_t open = session->members.budget.open, taken = be_brief(session, 1, 1);
    for (int i = 0; i < 3; i++) {
        members_count_others(&session->members, second);
        assert_int_equal(session->members.left.count, 1);
        assert_int_equal(session->members.ended.count, 0);
        assert_int_equal(session->members.joined, 1);
        assert_int_equal(session->members.unknown, 0);
        assert_int_equal(session->members.budget.others, bytes_of(session, 1));
        assert_int_equal(session->members.budget.open, open - taken);
    }
    /* And taken in like the others, when the quota gets short. */
    use_up_the_room(session);
    members_let_go(&session->members, 2 * second);
    assert_int_equal(session->members.ended.count, 1);
    assert_int_equal(session->members.budget.others, 0);
    assert_int_equal(session->members.joined, 1);
}

static void where_room_is_short_it_is_taken_in_at_once(void **state)
{
    struct session *session = *state;
    use_up_the_room(session);
    be_brief(session, 1, 1);
    members_count_others(&session->members, second);
    assert_int_equal(session->members.left.count, 0);
    assert_int_equal(session->members.ended.count, 1);
    assert_int_equal(session->members.joined, 1);
}

static void one_that_lives_counts_until_it_joins_and_then_as_a_member(void **state)
{
    struct session *session = *state;
    int pid = getpid();
    be_brief(session, pid, 0);
    for (int i = 0; i < 2; i++) {
        members_count_others(&session->members, second);
        assert_int_equal(session->members.unknown, 1);
        assert_int_equal(members_live(&session->members), 1);
        assert_int_equal(session->members.joined, 0);
        assert_int_equal(session->members.budget.others, bytes_of(session, pid));
    }
    struct member *member = members_add(&session->members, pid, second);
    struct link_message message = {.kind = LINK_JOIN, .version = LINK_VERSION, .pid = pid};
    assert_true(members_receive(&session->members, member, &message, sizeof message, second));
    members_count_others(&session->members, second);
    assert_int_equal(session->members.unknown, 0);
    assert_int_equal(members_live(&session->members), 1);
    assert_int_equal(session->members.joined, 1);
    assert_int_equal(session->members.budget.others, 0);
}

/* It was about to become another program, could not, and goes on. */
static void one_that_seemed_to_have_ended_may_join(void **state)
{
    struct session *session = *state;
    uint64_t taken = be_brief(session, 1, 1);
    members_count_others(&session->members, second);
    struct member *member = members_add(&session->members, 1, second);
    struct link_message message = {.kind = LINK_JOIN, .version = LINK_VERSION, .pid = 1};
    assert_true(members_receive(&session->members, member, &message, sizeof message, second));
    assert_int_equal(session->members.joined, 1);
    assert_int_equal(session->members.left.count, 0);
    assert_int_equal(session->members.left_bytes, 0);
    assert_int_equal(session->members.budget.others, 0);
    assert_int_equal(member->share.taken, taken);
    assert_int_equal(member->share.limit, link_first_bytes(LIMIT) + taken);
    /* But only itself, and once. */
    be_brief(session, 2, 1);
    members_count_others(&session->members, second);
    message.pid = 2;
    member = members_add(&session->members, 3, second);
    assert_false(members_receive(&session->members, member, &message, sizeof message, second));
    message.pid = 1;
    member = members_add(&session->members, 1, second);
    assert_false(members_receive(&session->members, member, &message, sizeof message, second));
}

static void whoever_has_a_file_is_not_missing(void **state)
{
    struct session *session = *state;
    int pid = getpid();
    for (int i = 0; i < 2; i++) {
        members_note_start(&session->members, &(struct start_notice){.pid = 1, .path = "/bin/sh"});
        members_note_start(&session->members, &(struct start_notice){.pid = pid, .path = "/bin/sh"});
        members_note_start(&session->members, &(struct start_notice){.pid = 3, .path = "/bin/sh"});
        be_brief(session, i == 0 ? 1 : 2, 1);
        be_brief(session, pid, 0);
        members_count_others(&session->members, second);
        /* The third one; and what is told of the first when its file is known is old. */
        assert_int_equal(session->members.missing.starts.count, i + 1);
        assert_int_equal(session->members.missing.starts.items[i].pid, 3);
    }
}

static void starts_that_make_no_sense_are_none(void **state)
{
    struct session *session = *state;
    members_note_start(&session->members, &(struct start_notice){.pid = 0, .path = "/bin/sh"});
    members_note_start(&session->members, &(struct start_notice){.pid = -1, .path = "/bin/sh"});
    members_note_start(&session->members, &(struct start_notice){.pid = 1, .path = ""});
    members_note_start(&session->members, &(struct start_notice){.pid = 1, .image = UINT32_MAX, .path = "/bin/sh"});
    assert_int_equal(session->members.missing.starts.count, 0);
}

static void an_empty_heap_delays_what_is_found(void **state)
{
    struct session *session = *state;
    be_brief(session, 1, 1);
    for (size_t i = 1; i < 6; i++) {
        memory_fail_after(i);
        members_count_others(&session->members, second);
        memory_fail_after(0);
        assert_int_equal(session->members.budget.others + session->members.budget.file_bytes, bytes_of(session, 1));
    }
    members_count_others(&session->members, second);
    assert_int_equal(session->members.joined, 1);
    assert_int_equal(session->members.budget.others + session->members.budget.file_bytes, bytes_of(session, 1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(while_there_is_room_a_file_is_not_touched_and_counts_for_its_disk_space),
        TEST(it_is_looked_at_when_the_room_gets_short),
        TEST(what_was_being_written_at_the_end_is_as_old_as_the_end),
        TEST(the_first_that_ended_are_looked_at_first),
        TEST(searching_for_files_of_others_counts_it_once),
        TEST(what_it_took_from_the_room_is_settled_at_once),
        TEST(one_that_somebody_can_still_write_waits),
        TEST(an_empty_heap_delays_it),
        TEST(it_keeps_nobody_from_joining),
        TEST(one_that_never_joined_is_set_aside_and_counted_once),
        TEST(where_room_is_short_it_is_taken_in_at_once),
        TEST(one_that_lives_counts_until_it_joins_and_then_as_a_member),
        TEST(one_that_seemed_to_have_ended_may_join),
        TEST(whoever_has_a_file_is_not_missing),
        TEST(starts_that_make_no_sense_are_none),
        TEST(an_empty_heap_delays_what_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
