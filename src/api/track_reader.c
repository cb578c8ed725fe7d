#include "api/track_reader.h"

#include "api/node_places.h"
#include "tree/cpu.h"
#include "tree/sample_stacks.h"

#include <errno.h>
#include <string.h>

/* For each category whether the ask wants its samples by library; NULL where it wants none so. */
static int read_by_library(struct asking *asking, const struct ask *ask, const bool **by_library)
{
    size_t count = asking->profile->categories.rows.count;
    bool *marks = asking_array(asking, count, sizeof *marks);
    if (!marks)
        return -ENOMEM;
    memset(marks, 0, count * sizeof *marks);
    for (size_t i = 0; i < ask->by_library.count; i++) {
        if (ask->by_library.items[i] >= count)
            return asking_refuse(asking, "by_library", "there is no category %u", ask->by_library.items[i]);
        marks[ask->by_library.items[i]] = true;
    }
    *by_library = ask->by_library.count > 0 ? marks : NULL;
    return 0;
}

int track_reader_begin(struct asking *asking, const struct ask *ask, struct track_reader *reader)
{
    const struct call_node_table *nodes = &asking->kept->answer.nodes;
    struct error error = {0};
    *reader = (struct track_reader){
        .asking = asking,
        .scale = {.whole = asking->whole, .range = asking_range(asking, false), .width = ask->width},
    };
    int status = read_by_library(asking, ask, &reader->scale.by_library);
    if (status != 0)
        return status;
    if (range_is_empty(reader->scale.range))
        return asking_refuse(asking, NULL, "the range is empty, there is nothing to be drawn");
    uint8_t *places = asking_array(asking, nodes->count, 1);
    if (!places || cpu_reference_per_ms(asking->profile, &reader->scale.reference, &error) != 0)
        return -ENOMEM;
    node_places_find(nodes, &ask->path, asking->state.inverted, places);
    reader->places = places;
    return 0;
}

static int read_states(const struct track_reader *reader, struct thread_index thread, struct arena *arena,
                       struct read_track *track)
{
    static const uint8_t state_of[] = {
        [NODE_BEFORE] = ACTIVITY_BEFORE, [NODE_SELECTED] = ACTIVITY_SELECTED, [NODE_AFTER] = ACTIVITY_AFTER};
    struct asking *asking = reader->asking;
    size_t count = sample_count(&asking->profile->threads.items[thread.i].samples);
    const struct answer *answer = &asking->kept->answer;
    uint32_t *stacks = track->stacks = arena_allocate(arena, (count + 1) * sizeof *stacks);
    uint8_t *states = track->states = arena_allocate(arena, count + 1);
    struct error error = {0};
    if (!stacks || !states)
        return -ENOMEM;
    if (count == 0)
        return 0;
    if (sample_stacks_read(asking->whole, &answer->view, thread, asking->state.query.exclude_idle, stacks, &error) != 0)
        return asking_failed(asking, &error);
    for (size_t i = 0; i < count; i++)
        states[i] = stacks[i] == INDEX_NONE ? ACTIVITY_FILTERED : state_of[reader->places[answer->nodes.of_stack[stacks[i]]]];
    return 0;
}

int track_reader_read(const struct track_reader *reader, struct thread_index thread, struct arena *arena,
                      struct read_track *track)
{
    int status = read_states(reader, thread, arena, track);
    if (status == 0 && !track_samples_read(reader->asking->profile, thread, reader->scale.reference, arena, &track->samples))
        status = -ENOMEM;
    return status;
}
