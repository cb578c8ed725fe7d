#include "common/time_ranges.h"

#include "common/memory.h"
#include "common/sort.h"

/* Some reach to the end of memory, which is no number. */
static bool has_end(const struct time_range *range)
{
    return range->size <= UINT64_MAX - range->start;
}

static bool is_less(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y;
}

struct by_time {
    uint64_t since;
    uint32_t number;
};

static bool is_before(const void *a, const void *b)
{
    const struct by_time *x = a, *y = b;
    return x->since != y->since ? x->since < y->since : x->number < y->number;
}

/* How many of `count` ascending numbers are not above `wanted`. */
static size_t count_up_to(const uint64_t *numbers, size_t count, uint64_t wanted)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (numbers[middle] <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_points(struct time_ranges *ranges, const struct time_range *given, size_t count)
{
    size_t kept = 0;
    ranges->points = memory_array(2 * count, sizeof *ranges->points);
    if (!ranges->points)
        return false;
    for (size_t i = 0; i < count; i++) {
        ranges->points[2 * i] = given[i].start;
        ranges->points[2 * i + 1] = given[i].start + (has_end(&given[i]) ? given[i].size : 0);
    }
    sort_items(ranges->points, 2 * count, sizeof *ranges->points, is_less);
    for (size_t i = 0; i < 2 * count; i++)
        if (kept == 0 || ranges->points[i] != ranges->points[kept - 1])
            ranges->points[kept++] = ranges->points[i];
    ranges->point_count = kept;
    return true;
}

static bool sort_by_time(struct time_ranges *ranges, const struct time_range *given, size_t count)
{
    struct by_time *order = memory_array(count, sizeof *order);
    ranges->since = memory_array(count, sizeof *ranges->since);
    ranges->numbers = memory_array(count, sizeof *ranges->numbers);
    bool done = order && ranges->since && ranges->numbers;
    for (size_t i = 0; done && i < count; i++)
        order[i] = (struct by_time){given[i].since, (uint32_t)i};
    if (done)
        sort_items(order, count, sizeof *order, is_before);
    for (size_t i = 0; done && i < count; i++) {
        ranges->since[i] = order[i].since;
        ranges->numbers[i] = order[i].number;
    }
    memory_release(order);
    return done;
}

/* The leaf of the piece with the address; 0 = there is none. Node i is above 2i and 2i + 1, the leaves begin at `point_count`,
 * and the last of them reaches to the end of memory. */
static size_t leaf_of(const struct time_ranges *ranges, uint64_t address)
{
    size_t before = count_up_to(ranges->points, ranges->point_count, address);
    return before == 0 ? 0 : before - 1 + ranges->point_count;
}

/* Visits the nodes that together cover the range. With `put` each of them gets the rank, otherwise they are counted. */
static uint64_t cover(struct time_ranges *ranges, const struct time_range *range, uint32_t rank, bool put)
{
    uint64_t visited = 0;
    size_t low = leaf_of(ranges, range->start), high = 2 * ranges->point_count;
    if (has_end(range))
        high = leaf_of(ranges, range->start + range->size);
    for (; low < high; low /= 2, high /= 2) {
        size_t nodes[2], count = 0;
        if (low & 1)
            nodes[count++] = low++;
        if (high & 1)
            nodes[count++] = --high;
        for (size_t i = 0; i < count; i++, visited++) {
            if (put)
                ranges->ranks[ranges->first[nodes[i]]++] = rank;
            else
                ranges->first[nodes[i] + 1]++;
        }
    }
    return visited;
}

static bool make_nodes(struct time_ranges *ranges, const struct time_range *given, size_t count)
{
    size_t nodes = 2 * ranges->point_count;
    uint64_t all = 0;
    ranges->first = memory_zeroed(nodes + 1, sizeof *ranges->first);
    if (!ranges->first)
        return false;
    for (size_t i = 0; i < count; i++)
        all += cover(ranges, &given[i], 0, false);
    ranges->ranks = all < UINT32_MAX ? memory_array(all + 1, sizeof *ranges->ranks) : NULL;
    if (!ranges->ranks)
        return false;
    for (size_t i = 0; i < nodes; i++)
        ranges->first[i + 1] += ranges->first[i];
    for (size_t i = 0; i < count; i++)
        cover(ranges, &given[ranges->numbers[i]], (uint32_t)i, true);
    /* Each has gone on to where the next one begins. */
    for (size_t i = nodes; i > 0; i--)
        ranges->first[i] = ranges->first[i - 1];
    ranges->first[0] = 0;
    return true;
}

bool time_ranges_build(struct time_ranges *ranges, const struct time_range *given, size_t count)
{
    *ranges = (struct time_ranges){0};
    if (count == 0)
        return true;
    if (count < UINT32_MAX / 2 && make_points(ranges, given, count) && sort_by_time(ranges, given, count) &&
        make_nodes(ranges, given, count))
        return true;
    time_ranges_free(ranges);
    return false;
}

/* In a node, how many of its ranges are not younger than `time`. */
static uint32_t count_in_node(const struct time_ranges *ranges, size_t node, uint64_t time)
{
    const uint32_t *ranks = ranges->ranks + ranges->first[node];
    uint32_t low = 0, high = ranges->first[node + 1] - ranges->first[node];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranges->since[ranks[middle]] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t time_ranges_newest(const struct time_ranges *ranges, uint64_t address, uint64_t time)
{
    uint32_t best = 0;
    for (size_t node = leaf_of(ranges, address); node > 0; node /= 2) {
        uint32_t count = count_in_node(ranges, node, time);
        uint32_t rank = count > 0 ? ranges->ranks[ranges->first[node] + count - 1] + 1 : 0;
        best = rank > best ? rank : best;
    }
    return best > 0 ? ranges->numbers[best - 1] : UINT32_MAX;
}

uint32_t time_ranges_next(const struct time_ranges *ranges, uint64_t address, uint64_t time)
{
    uint32_t best = UINT32_MAX;
    for (size_t node = leaf_of(ranges, address); node > 0; node /= 2) {
        uint32_t at = ranges->first[node] + count_in_node(ranges, node, time);
        if (at < ranges->first[node + 1] && ranges->ranks[at] < best)
            best = ranges->ranks[at];
    }
    return best != UINT32_MAX ? ranges->numbers[best] : UINT32_MAX;
}

void time_ranges_free(struct time_ranges *ranges)
{
    memory_release(ranges->points);
    memory_release(ranges->since);
    memory_release(ranges->numbers);
    memory_release(ranges->first);
    memory_release(ranges->ranks);
    *ranges = (struct time_ranges){0};
}
