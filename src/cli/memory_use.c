#include "cli/memory_use.h"

#include "cli/selection_output.h"
#include "print/estimate.h"

#include <math.h>
#include <stdio.h>

int memory_use_find(const struct profile *profile, double zero, struct memory_use *use, struct error *error)
{
    VEC(struct thread_index) threads = {0};
    bool fits = true;
    for (size_t i = 0; i < profile->threads.count && fits; i++)
        fits = vec_push(&threads, thread_at(i));
    struct row_selection all = {
        .threads = threads.items,
        .thread_count = threads.count,
        .range = {-INFINITY, INFINITY},
        .preview = {-INFINITY, INFINITY},
    };
    *use = (struct memory_use){.facts = allocation_facts_of(profile), .zero = zero};
    int status = fits ? allocation_peak_find(profile, &all, &use->peak, error) : error_out_of_memory(error);
    bool is_exact = use->facts.allocated_bytes > 0;
    use->allocated = is_exact ? use->facts.allocated_bytes : use->peak.allocated.bytes;
    vec_free(&threads);
    return status;
}

static double per_second(const struct memory_use *use)
{
    return use->peak.end > use->peak.start ? use->allocated / (use->peak.end - use->peak.start) * 1000 : NAN;
}

/* One block is recorded for so many bytes, on average. */
static double bytes_each(const struct memory_use *use)
{
    return use->facts.recorded > 0 ? use->allocated / use->facts.recorded : NAN;
}

static double cost_share(const struct memory_use *use)
{
    return use->facts.cpu_ms > 0 ? use->facts.cost_ms / use->facts.cpu_ms : NAN;
}

/* ---- text ---- */

static void add_bytes(struct line *line, const struct allocation_sum *sum)
{
    struct estimate_text text = estimate_text(sum->bytes, sum->uncertainty, WEIGHT_BYTES, false);
    line_add(line, slice_of(text.text), text.width);
}

static void print_peak(const struct memory_use *use, struct line *line)
{
    line_print(line, "memory     ");
    add_bytes(line, &use->peak.at);
    line_print(line, " at the peak, after %s; ", number_duration(use->peak.time - use->zero).text);
    add_bytes(line, &use->peak.left);
    line_print(line, " left at the end");
    output_line(line);
    line_print(line, "allocated  %s", number_bytes(use->allocated).text);
    if (isfinite(per_second(use)))
        line_print(line, ", %s/s", number_bytes(per_second(use)).text);
    output_line(line);
}

static void print_facts(const struct memory_use *use, struct line *line)
{
    const struct allocation_facts *facts = &use->facts;
    line_print(line, "recorded   ");
    if (slice_is(facts->mode, "all"))
        line_print(line, "every allocation");
    else if (isfinite(bytes_each(use)))
        line_print(line, "%s allocations, one for %s", number_grouped(facts->recorded, 0).text,
                   number_bytes(bytes_each(use)).text);
    else
        line_print(line, "some allocations");
    if (slice_is(facts->mode, "fixed"))
        line_print(line, " (%s wanted)", number_bytes(facts->mean).text);
    if (cost_share(use) > 0 && !slice_is(facts->mode, "all")) {
        line_print(line, "; it took %s %% of the CPU time", number_grouped(100 * cost_share(use), 1).text);
        if (slice_is(facts->mode, "adaptive") && facts->budget > 0)
            line_print(line, " (%s %% allowed)", number_grouped(100 * facts->budget, 1).text);
    }
    output_line(line);
}

void memory_use_print(const struct memory_use *use)
{
    struct line line = {0};
    if (use->peak.any)
        print_peak(use, &line);
    if (use->facts.present)
        print_facts(use, &line);
    line_free(&line);
}

/* ---- JSON ---- */

static void put_sum(struct json_output *output, const struct allocation_sum *sum)
{
    json_put_number(output, "bytes", sum->bytes);
    json_put_uncertainty(output, "bytes", sum->uncertainty);
    json_put_number(output, "blocks", sum->blocks);
}

void memory_use_put(struct json_output *output, const struct memory_use *use)
{
    const struct allocation_facts *facts = &use->facts;
    if (!memory_use_is_known(use)) {
        json_put_null(output, "allocations");
        return;
    }
    json_write_key(output->writer, "allocations");
    json_write_begin_object(output->writer);
    json_put_slice_or_null(output, "mode", facts->mode);
    json_put_number(output, "mean", facts->mean);
    json_put_number(output, "bytesPerRecorded", bytes_each(use));
    json_put_number(output, "recorded", facts->recorded);
    json_put_number(output, "lost", facts->lost);
    json_put_number(output, "freesMissed", facts->frees_missed);
    json_put_number(output, "costShare", cost_share(use));
    json_put_number(output, "budget", facts->budget);
    json_put_number(output, "unseenAllocators", facts->unseen);
    json_put_slice_or_null(output, "allocator", facts->allocator);
    json_put_number(output, "allocatedBytes", use->allocated);
    json_put_number(output, "bytesPerSecond", per_second(use));
    json_write_key(output->writer, "peak");
    json_write_begin_object(output->writer);
    json_put_number(output, "time", use->peak.time - use->zero);
    put_sum(output, &use->peak.at);
    json_write_end_object(output->writer);
    json_write_key(output->writer, "left");
    json_write_begin_object(output->writer);
    put_sum(output, &use->peak.left);
    json_write_end_object(output->writer);
    json_write_end_object(output->writer);
}
