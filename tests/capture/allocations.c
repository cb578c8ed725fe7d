/* What is recorded of a program's allocations, held against what the program did. It is recorded twice: with a mean of one
 * byte, so that whatever is larger than some dozen bytes is certainly there; and with all of its allocations. Called with the
 * name of a scene this is the recorded program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "allocation_scenes.h"
#include "recorded_blocks.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static size_t count_of_the_scene(void)
{
    size_t count = 0;
    for (size_t i = 0; i < recorded.count; i++)
        count += recorded.items[i].size >= 5000;
    return count;
}

static void assert_nothing_is_missing(void)
{
    assert_recorded_as_told();
    assert_int_equal(header.statistics[STATISTIC_ALLOCATIONS], recorded.count);
    assert_int_equal(header.statistics[STATISTIC_ALLOCATIONS_LOST], 0);
    assert_int_equal(header.statistics[STATISTIC_FREES_MISSED], 0);
    assert_true(header.statistics[STATISTIC_ALLOCATED_BYTES] >= bytes_recorded());
}

/* Both ways, of many blocks. */
static void assert_scene_with(const char *scene, const char *variable, const char *behind, size_t of_the_scene)
{
    static const char *const ways[] = {"1", "all"};
    for (size_t i = 0; i < 2; i++) {
        scene_record(&(struct scene_recording){scene, ways[i], variable, behind, 0});
        assert_nothing_is_missing();
        if (of_the_scene)
            assert_int_equal(count_of_the_scene(), of_the_scene);
        /* Of all of them there are all. */
        if (i == 1)
            assert_int_equal(header.statistics[STATISTIC_ALLOCATED_BYTES], bytes_recorded());
        scene_forget(NULL);
    }
}

static void assert_scene(const char *scene, const char *variable, size_t of_the_scene)
{
    assert_scene_with(scene, variable, NULL, of_the_scene);
}

static void every_function_that_allocates_is_seen(void **state)
{
    (void)state;
    assert_scene("families", NULL, 0);
}

static void realloc_frees_the_old_block_and_allocates_the_new_one(void **state)
{
    (void)state;
    assert_scene("realloc", NULL, 202);
}

static void what_fails_is_no_block(void **state)
{
    (void)state;
    assert_scene("failing", NULL, 1);
}

static void blocks_are_freed_by_any_thread_at_any_time(void **state)
{
    (void)state;
    assert_scene("threads", NULL, 0);
}

static void signal_handlers_allocate(void **state)
{
    (void)state;
    assert_scene("signals", NULL, 20);
}

static void a_child_has_its_own_blocks(void **state)
{
    (void)state;
    assert_scene("fork", NULL, 2);
}

static void what_is_allocated_before_main_is_seen(void **state)
{
    (void)state;
    assert_scene("failing", "SCENE_EARLY=1", 2);
}

/* Those that are held are all there, though the first chunks are not; and none is that was freed, whose free may be gone only
 * with it. */
static void live_blocks_outlive_the_chunks_that_they_were_written_to(void **state)
{
    (void)state;
    scene_record(&(struct scene_recording){"recycled", "1", "SONDE_STARTUP_ENTRIES=1MiB", NULL, 0});
    assert_true(header.statistics[STATISTIC_CHUNKS_RECYCLED] > 50);
    assert_int_equal(header.statistics[STATISTIC_ALLOCATIONS_LOST], 0);
    for (size_t i = 0; i < told.count; i++) {
        size_t held = 0;
        for (size_t j = 0; j < recorded.count; j++)
            held += recorded.items[j].address == told.items[i].address && recorded.items[j].size == told.items[i].size &&
                    !recorded.items[j].is_freed;
        if (told.items[i].is_freed ? held != 0 : held == 0)
            fail_msg("block %zu of %lu bytes: it is held %zu times, and was %sfreed", i, told.items[i].size, held,
                     told.items[i].is_freed ? "" : "not ");
    }
    scene_forget(NULL);
}

/* --- other allocators, and the kernel --------------------------------------------------------------------------------------
 */

/* Where nobody has brought any, they come from malloc(). */
static void operators_of_libraries_that_come_later_are_seen(void **state)
{
    (void)state;
    assert_scene("operators", NULL, 0);
}

static void assert_allocator(const char *library)
{
    if (access(library, R_OK) != 0)
        skip(); /* it is not installed */
    assert_scene_with("families", "SCENE_OTHER_ALLOCATOR=1", library, 0);
    assert_scene_with("operators", "SCENE_OTHER_ALLOCATOR=1", library, 0);
    assert_scene_with("threads", "SCENE_OTHER_ALLOCATOR=1", library, 0);
    assert_scene_with("realloc", "SCENE_OTHER_ALLOCATOR=1", library, 0);
}

static void libstdcxx_is_seen(void **state)
{
    (void)state;
    assert_allocator(LIBRARIES "libstdc++.so.6");
}

static void jemalloc_is_seen(void **state)
{
    (void)state;
    assert_allocator(LIBRARIES "libjemalloc.so.2");
}

static void tcmalloc_is_seen(void **state)
{
    (void)state;
    assert_allocator(LIBRARIES "libtcmalloc_minimal.so.4");
}

static void mimalloc_is_seen(void **state)
{
    (void)state;
    assert_allocator(LIBRARIES "libmimalloc.so.2.0");
}

static void mappings_are_seen_where_they_are_wanted(void **state)
{
    (void)state;
    scene_record(&(struct scene_recording){"maps", "1000GiB,maps", NULL, NULL, 0});
    assert_recorded_as_told();
    assert_int_equal(recorded.count, told.count);
    assert_int_equal(header.statistics[STATISTIC_ALLOCATIONS], 0); /* those are of malloc() */
    scene_forget(NULL);
    scene_record(&(struct scene_recording){"maps", "1000GiB", NULL, NULL, 0});
    assert_int_equal(recorded.count, 0);
}

/* Up to the last moment. */
static void what_a_killed_program_has_allocated_is_there(void **state)
{
    (void)state;
    scene_record(&(struct scene_recording){"killed", "1", NULL, NULL, SIGKILL});
    assert_recorded_as_told();
    scene_forget(NULL);
    scene_record(&(struct scene_recording){"killed", "all", NULL, NULL, SIGKILL});
    assert_recorded_as_told();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return !allocation_scene_play(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_function_that_allocates_is_seen, scene_forget),
        cmocka_unit_test_teardown(realloc_frees_the_old_block_and_allocates_the_new_one, scene_forget),
        cmocka_unit_test_teardown(what_fails_is_no_block, scene_forget),
        cmocka_unit_test_teardown(blocks_are_freed_by_any_thread_at_any_time, scene_forget),
        cmocka_unit_test_teardown(signal_handlers_allocate, scene_forget),
        cmocka_unit_test(live_blocks_outlive_the_chunks_that_they_were_written_to),
        cmocka_unit_test_teardown(a_child_has_its_own_blocks, scene_forget),
        cmocka_unit_test_teardown(what_is_allocated_before_main_is_seen, scene_forget),
        cmocka_unit_test_teardown(operators_of_libraries_that_come_later_are_seen, scene_forget),
        cmocka_unit_test_teardown(libstdcxx_is_seen, scene_forget),
        cmocka_unit_test_teardown(jemalloc_is_seen, scene_forget),
        cmocka_unit_test_teardown(tcmalloc_is_seen, scene_forget),
        cmocka_unit_test_teardown(mimalloc_is_seen, scene_forget),
        cmocka_unit_test_teardown(mappings_are_seen_where_they_are_wanted, scene_forget),
        cmocka_unit_test_teardown(what_a_killed_program_has_allocated_is_there, scene_forget),
    };
    return cmocka_run_group_tests_name("allocations", tests, NULL, NULL);
}
