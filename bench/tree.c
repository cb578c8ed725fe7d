/* How long the engine takes from a loaded profile to a call tree: with nothing done, inverted, and under transforms.
 *
 *     bench_tree FILE THREAD REPEATS ITEM…
 *
 * An ITEM is `plain`, `inverted` (the roots and what is below the heaviest ones), `inverted-all` (every node), or a transform
 * as on the command line. Prints a line for each: {"item": "plain", "ms": [1.2, 1.1], "nodes": 4711} */
#include "import/importer.h"
#include "tree/query.h"
#include "tree/transform_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* What a page of the tree shows: the roots, and the heaviest child of each level below the first root. */
static int expand_heaviest(struct inverted_tree *inverted, struct error *error)
{
    for (uint32_t node = 0; node < inverted->nodes.count;) {
        if (inverted_tree_expand(inverted, node, error))
            return error->code;
        if (inverted->nodes.items[node].child_count == 0)
            break;
        node = inverted->nodes.items[node].first_child;
    }
    return 0;
}

static int run_once(const struct profile *profile, struct query *query, bool all, size_t *nodes, struct error *error)
{
    struct view whole;
    struct answer answer;
    if (view_open(profile, &whole, error))
        return error->code;
    if (query_run(&whole, query, &answer, error) == 0) {
        *nodes = answer.nodes.count;
        if (query->inverted) {
            if (all)
                inverted_tree_expand_all(&answer.inverted, error);
            else
                expand_heaviest(&answer.inverted, error);
            *nodes = answer.inverted.nodes.count;
        }
        answer_free(&answer);
    }
    view_free(&whole);
    return error->code;
}

static int measure(const struct profile *profile, struct thread_index thread, const char *item, long repeats,
                   struct error *error)
{
    struct query query = query_default();
    struct transform transform = {0};
    query.threads = &thread;
    query.thread_count = 1;
    bool all = strcmp(item, "inverted-all") == 0;
    if (all || strcmp(item, "inverted") == 0) {
        query.inverted = true;
    } else if (strcmp(item, "plain") != 0) {
        struct view whole;
        if (view_open(profile, &whole, error))
            return error->code;
        int parsed = transform_parse(whole.funcs, slice_of(item), IMPLEMENTATION_COMBINED, &transform, error);
        view_free(&whole);
        if (parsed)
            return parsed;
        query.transforms = &transform;
        query.transform_count = 1;
    }
    size_t nodes = 0;
    printf("{\"item\": \"%s\", \"ms\": [", item);
    for (long i = 0; i < repeats && error->code == 0; i++) {
        double start = now_ms();
        run_once(profile, &query, all, &nodes, error);
        printf("%s%.3f", i > 0 ? ", " : "", now_ms() - start);
    }
    printf("], \"nodes\": %zu}\n", nodes);
    if (query.transform_count > 0)
        transform_free(&transform);
    return error->code;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("usage: bench_tree FILE THREAD REPEATS ITEM...\n", stderr);
        return 2;
    }
    struct error error = {0};
    struct profile profile;
    profile_init(&profile);
    if (import_file(argv[1], NULL, &profile, &error) == 0) {
        struct thread_index thread = thread_at(strtoul(argv[2], NULL, 10));
        long repeats = strtol(argv[3], NULL, 10);
        for (int i = 4; i < argc && error.code == 0; i++)
            measure(&profile, thread, argv[i], repeats, &error);
    }
    if (error.code)
        fprintf(stderr, "bench_tree: %s: %s\n", argv[1], error.message);
    profile_free(&profile);
    return error.code ? 1 : 0;
}
