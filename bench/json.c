/* How fast a JSON file is read: walks every value of it, some times over, and prints the best speed.
 *
 *     bench_json FILE [TIMES]
 *
 * Numbers become doubles, strings and keys are unescaped and looked at, all is checked; bench_simdjson does the same work. */
#include "common/json_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct sums {
    double numbers;
    uint64_t values;
    uint64_t text_bytes;
};

static void walk(struct json_reader *r, struct sums *sums)
{
    struct slice text;
    sums->values++;
    switch (json_peek(r)) {
    case JSON_OBJECT:
        json_begin_object(r);
        while (json_next_key(r, &text)) {
            sums->text_bytes += text.length;
            walk(r, sums);
        }
        break;
    case JSON_ARRAY:
        json_begin_array(r);
        while (json_next_item(r))
            walk(r, sums);
        break;
    case JSON_STRING:
        sums->text_bytes += json_string(r).length;
        break;
    case JSON_NUMBER:
        sums->numbers += json_number(r);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_boolean(r);
        break;
    case JSON_NULL:
        json_null(r);
        break;
    case JSON_FAILED:
        break;
    }
}

/* Seconds, or a negative number after an error. */
static double read_once(const char *path, bool skip, struct sums *sums, uint64_t *bytes)
{
    struct timespec start, end;
    struct error error = {0};
    *sums = (struct sums){0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    struct byte_source *source = byte_source_open(path, NULL, &error);
    struct json_reader *r = source ? json_reader_open(source, &error) : NULL;
    if (r) {
        json_allow_repeated_keys(r, getenv("BENCH_REPEATED_KEYS") != NULL);
        if (skip)
            json_skip(r);
        else
            walk(r, sums);
        json_finish(r);
        *bytes = json_offset(r);
    }
    json_reader_close(r);
    byte_source_close(source);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (error.code != 0) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        return -1;
    }
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [TIMES]\n", argv[0]);
        return 2;
    }
    int times = argc > 2 ? atoi(argv[2]) : 20;
    for (int skip = 0; skip < 2; skip++) {
        struct sums sums = {0};
        uint64_t bytes = 0;
        double best = -1;
        for (int i = 0; i < times; i++) {
            double seconds = read_once(argv[1], skip, &sums, &bytes);
            if (seconds < 0)
                return 1;
            best = best < 0 || seconds < best ? seconds : best;
        }
        printf("%s  %7.1f MB/s  %8.3f ms  %llu values  %llu bytes of text  sum %.17g\n", skip ? "skip" : "walk",
               (double)bytes / 1e6 / best, best * 1e3, (unsigned long long)sums.values, (unsigned long long)sums.text_bytes,
               sums.numbers);
    }
    return 0;
}
