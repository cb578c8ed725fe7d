/* Labels and categories: what the program says it does, in the stacks of samples and markers. */
#define SONDE_LINKED_BASE
#include "stack/labels.h"
#include "capture/markers/labels.h"
#include "recording.h"
#include "sonde/sonde.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A marker with the labels that are there now, for a look at them that needs no luck. */
static void mark(const char *name)
{
    struct sonde_marker_options options = {.phase = SONDE_INSTANT, .capture = SONDE_LABEL_STACK};
    sonde_marker_add(NULL, name, SONDE_CATEGORY_OTHER, &options, NULL);
}

/* Uses CPU time: ten of the kernel's slowest ticks. */
static void work_until_sampled(void)
{
    enum { ENOUGH_NS = 100000000 };
    struct timespec start, now;
    volatile unsigned sink = 0;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        for (unsigned i = 0; i < 100000; i++)
            sink += i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < ENOUGH_NS);
}

static void samples_show_labels_from_before_and_after_the_start(void **state)
{
    (void)state;
    SONDE_LABEL("before the start", OTHER);
    recording_start(NULL, NULL);
    {
        SONDE_LABEL("after the start", NETWORK);
        work_until_sampled();
    }
    char *text = recording_stop();
    assert_line(text, "sample 1 *label:\"before the start\"@1*");
    /* It may share the first with a stack before. */
    assert_line(text, "sample 1 *label:\"after the start\"@3*");
    free(text);
}

static void samples_show_work_of_our_own_on_a_thread_of_the_program(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    uint32_t own = label_push_own(__builtin_frame_address(0));
    work_until_sampled();
    label_pop(own);
    mark("behind");
    char *text = recording_stop();
    assert_line(text, "sample 1 *label:\"(profiler start)\"@11*");
    assert_line(text, "marker 1 behind *");
    assert_null(strstr(strstr(text, "marker 1 behind"), "profiler start"));
    free(text);
}

static void a_label_ends_with_its_block(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    SONDE_LABEL("outer", OTHER);
    {
        SONDE_LABEL("inner", OTHER);
        mark("within");
    }
    mark("behind");
    char *text = recording_stop();
    assert_line(text, "marker 1 within * stack=label:outer@1,label:inner@1 *");
    assert_line(text, "marker 1 behind * stack=label:outer@1 *");
    free(text);
}

static void a_hot_label_is_there_only_while_recording(void **state)
{
    (void)state;
    SONDE_LABEL_HOT("too early", OTHER);
    recording_start(NULL, NULL);
    SONDE_LABEL_HOT("hot", OTHER);
    mark("here");
    char *text = recording_stop();
    assert_line(text, "marker 1 here * stack=label:hot@1 *");
    free(text);
}

static void flags_say_how_a_label_is_shown(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    {
        SONDE_LABEL_DYNAMIC("load", "page.html", OTHER);
        SONDE_LABEL_FLAGS("Document", "write", OTHER, SONDE_LABEL_METHOD | SONDE_LABEL_RELEVANT_FOR_JS);
        SONDE_LABEL_FLAGS("Document", "title", OTHER, SONDE_LABEL_GETTER);
        SONDE_LABEL_FLAGS("Document", "title", OTHER, SONDE_LABEL_SETTER);
        SONDE_LABEL_FLAGS("", "only dynamic", OTHER, 0);
        SONDE_LABEL_FLAGS("", NULL, NETWORK, SONDE_LABEL_FROM_CATEGORY);
        mark("here");
    }
    char *text = recording_stop();
    assert_line(text,
                "marker 1 here * stack=label:\"load page.html\"@1,label:Document.write@1+js,label:\"get Document.title\"@1,"
                "label:\"set Document.title\"@1,label:\"only dynamic\"@1,label:Network@3 *");
    free(text);
}

static void recurse(int depth)
{
    SONDE_LABEL("deep", OTHER);
    if (depth > 1)
        recurse(depth - 1);
    else
        mark("deepest");
}

static void labels_beyond_the_room_are_counted_but_not_kept(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    recurse(LABEL_STACK_ROOM + 50);
    mark("back");
    char *text = recording_stop();
    const char *line = line_like(text, "marker 1 deepest * stack=*");
    assert_non_null(line);
    size_t labels = 0;
    for (const char *at = line; (at = strstr(at, "label:deep")); at++)
        labels++;
    assert_int_equal(labels, LABEL_STACK_ROOM);
    assert_no_line(text, "marker 1 back * stack=label*");
    free(text);
}

static jmp_buf target;

static void jump_away(void)
{
    SONDE_LABEL("jumped over", OTHER);
    longjmp(target, 1);
}

static void within_a_label(void)
{
    SONDE_LABEL("around the jump", OTHER);
    if (setjmp(target) == 0)
        jump_away();
}

static void a_label_that_was_jumped_over_goes_with_the_one_around_it(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    within_a_label();
    mark("behind");
    char *text = recording_stop();
    assert_no_line(text, "marker 1 behind * stack=label*");
    free(text);
}

static void *label_and_register(void *argument)
{
    SONDE_LABEL("nobody sees it", OTHER);
    sonde_thread_register("late");
    mark("registered");
    sonde_thread_unregister();
    return argument;
}

static void a_label_from_before_the_registration_does_no_harm(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, label_and_register, NULL);
    pthread_join(thread, NULL);
    char *text = recording_stop();
    assert_line(text, "marker * registered *");
    assert_no_line(text, "*nobody sees it*");
    free(text);
}

/* --- categories -------------------------------------------------------------------------------------------------------- */

static sonde_category mine, part;
#define SONDE_CATEGORY_MINE mine
#define SONDE_CATEGORY_PART part

static void a_program_has_categories_of_its_own(void **state)
{
    (void)state;
    mine = sonde_category_register("Mine", "magenta");
    assert_int_equal(sonde_category_register("Mine", "red"), mine);
    recording_start(NULL, NULL);
    sonde_marker_instant("mine", MINE);
    part = sonde_subcategory_register(mine, "Part");
    assert_int_equal(sonde_subcategory_register(mine, "Part"), part);
    sonde_marker_instant("part", PART);
    SONDE_LABEL_FLAGS("", NULL, PART, SONDE_LABEL_FROM_CATEGORY);
    mark("labelled");
    char *text = recording_stop();
    char pattern[128];
    assert_line(text, "category * Mine colour=magenta subcategories=Other");
    assert_line(text, "category * Mine colour=magenta subcategories=Other,Part");
    snprintf(pattern, sizeof pattern, "marker 1 mine instant=* category=%u", mine);
    assert_line(text, pattern);
    snprintf(pattern, sizeof pattern, "marker 1 part instant=* category=%u/1", mine);
    assert_line(text, pattern);
    snprintf(pattern, sizeof pattern, "marker 1 labelled * stack=label:Part@%u/1 *", mine);
    assert_line(text, pattern);
    free(text);
}

static void the_categories_of_the_header_are_told_first(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    char *text = recording_stop();
    assert_line(text, "category 0 Idle colour=transparent subcategories=Other");
    assert_line(text, "category 1 Other colour=grey subcategories=Other");
    assert_line(text, "category 11 Profiler colour=lightred subcategories=Other");
    free(text);
}

static void an_unknown_colour_is_grey_and_too_many_categories_are_other(void **state)
{
    (void)state;
    recording_start(NULL, NULL);
    sonde_category_register("Odd", "darkgray");
    sonde_category last = SONDE_CATEGORY_OTHER;
    for (int i = 0; i < 200; i++) {
        char name[32];
        snprintf(name, sizeof name, "category %d", i);
        last = sonde_category_register(name, "red");
    }
    assert_int_equal(last, SONDE_CATEGORY_OTHER);
    sonde_category other = SONDE_CATEGORY_OTHER;
    for (int i = 0; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "subcategory %d", i);
        last = sonde_subcategory_register(other, name);
    }
    assert_int_equal(last, other);
    assert_int_equal(sonde_subcategory_register(9999, "nowhere"), 9999);
    char *text = recording_stop();
    assert_line(text, "category * Odd colour=grey subcategories=Other");
    free(text);
}

int main(void)
{
    alarm(300);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_show_labels_from_before_and_after_the_start),
        cmocka_unit_test(samples_show_work_of_our_own_on_a_thread_of_the_program),
        cmocka_unit_test(a_label_ends_with_its_block),
        cmocka_unit_test(a_hot_label_is_there_only_while_recording),
        cmocka_unit_test(flags_say_how_a_label_is_shown),
        cmocka_unit_test(labels_beyond_the_room_are_counted_but_not_kept),
        cmocka_unit_test(a_label_that_was_jumped_over_goes_with_the_one_around_it),
        cmocka_unit_test(a_label_from_before_the_registration_does_no_harm),
        cmocka_unit_test(a_program_has_categories_of_its_own),
        cmocka_unit_test(the_categories_of_the_header_are_told_first),
        cmocka_unit_test(an_unknown_colour_is_grey_and_too_many_categories_are_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
