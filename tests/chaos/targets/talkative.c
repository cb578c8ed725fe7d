/* A program that tells much about itself: markers, labels and counters from four threads. Whether there is a recorder, and
 * whether that has room for any of it, changes nothing.
 *
 *     talkative [MARKERS]        by each thread */
#include "check.h"

#include "sonde/sonde.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4 };

static unsigned long markers = 40000;

static SONDE_COUNTER(items, "Items", "Work", "Items that were worked on");

SONDE_MARKER_TYPE(item, "Item", SONDE_FIELD_STRING(what), SONDE_FIELD_INTEGER(number));

static uint32_t work(unsigned number, uint32_t value)
{
    SONDE_LABEL("work", OTHER);
    SONDE_MARKER_SCOPE("work", "an item like all the others, whose text takes some room in the recording");
    sonde_counter_add(&items, 1);
    SONDE_MARKER(item, "item", OTHER, .what = "one of many", .number = (int)number);
    return compute(value, 500);
}

static void *talk(void *argument)
{
    uint32_t value = (uint32_t)(uintptr_t)argument;
    sonde_thread_register("talkative");
    for (unsigned i = 0; i < markers; i++) {
        SONDE_LABEL_DYNAMIC("turn", i % 2 ? "odd" : "even", OTHER);
        value = work(i, value);
    }
    sonde_thread_unregister();
    return (void *)(uintptr_t)value;
}

int main(int argc, char **argv)
{
    alarm(240);
    if (argc > 1)
        markers = strtoul(argv[1], NULL, 10);
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, talk, (void *)(uintptr_t)i) == 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *value;
        check(pthread_join(threads[i], &value) == 0);
        printf("%08x\n", (unsigned)(uintptr_t)value);
    }
    return 0;
}
