/* A program that says what it does: labels, markers and a counter. It needs nothing to be linked, and without a recorder the
 * calls do nothing.
 *
 *     cc -O2 -o requests requests.c
 *     sonde record ./requests
 *     sonde markers profile.json.gz --list
 */
#include <sonde/sonde.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static SONDE_COUNTER(queue_length, "Queue length", "Queue", "Requests that wait");

SONDE_MARKER_TYPE_LOOK(http_request, "HTTP request", (.table_label = "{marker.data.status} {marker.data.url}"),
                       SONDE_FIELD_URL(url), SONDE_FIELD_INTEGER(status), SONDE_FIELD_BYTES(size));

static volatile unsigned result;

static __attribute__((noinline)) void compute(unsigned rounds)
{
    unsigned value = 1;
    for (unsigned i = 0; i < rounds * 1000; i++) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
    }
    result = value;
}

static void load_configuration(void)
{
    SONDE_LABEL("start-up", OTHER);
    SONDE_MARKER_SCOPE("load", "config.toml");
    compute(20000);
}

static void answer(int number)
{
    char url[64];
    uint64_t start = sonde_now();
    snprintf(url, sizeof url, "https://example.org/item/%d", number);
    {
        SONDE_LABEL("answer", NETWORK);
        if (number % 4 == 0) {
            sonde_marker_instant("cache miss", OTHER);
            compute(15000);
        }
        compute(5000);
    }
    SONDE_MARKER_SINCE(start, http_request, "GET", NETWORK, .url = url, .status = number % 7 == 0 ? 404 : 200,
                       .size = (uint64_t)number * 100);
}

int main(int count, char **arguments)
{
    int requests = count > 1 ? atoi(arguments[1]) : 40;
    load_configuration();
    for (int waiting = requests; waiting > 0; waiting--)
        sonde_counter_add(&queue_length, +1);
    for (int i = 1; i <= requests; i++) {
        sonde_counter_add(&queue_length, -1);
        answer(i);
        /* Until the next one comes. */
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    printf("%d requests\n", requests);
    return 0;
}
