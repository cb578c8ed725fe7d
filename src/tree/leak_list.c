#include "tree/leak_list.h"

#include "tree/allocation_life.h"
#include "tree/allocation_peak.h"

#include <errno.h>
#include <stdlib.h>

struct builder {
    struct leak_list *list;
    const struct answer *answer;
    bool with_young;
    uint32_t *row_of_node; /* INDEX_NONE until a path has its row */
};

static struct allocation_count count_as(struct allocation_rows *rows, size_t row, bool blocks)
{
    rows->blocks = blocks;
    return allocation_rows_count(rows, row);
}

static void sum_add(struct leak_sum *sum, struct allocation_rows *rows, size_t row)
{
    struct allocation_count bytes = count_as(rows, row, false), blocks = count_as(rows, row, true);
    sum->bytes += bytes.weight;
    sum->blocks += blocks.weight;
    uncertainty_add(&sum->bytes_uncertainty, bytes.uncertainty);
    uncertainty_add(&sum->blocks_uncertainty, blocks.uncertainty);
    double size = rows->size ? rows->size[row] : bytes.weight;
    sum->seen += size < bytes.weight ? size : bytes.weight;
}

/* NULL when the heap is empty. */
static struct leak *leak_of(struct builder *builder, uint32_t node)
{
    uint32_t *row = &builder->row_of_node[node];
    if (*row == INDEX_NONE) {
        *row = (uint32_t)builder->list->rows.count;
        if (!vec_push(&builder->list->rows, (struct leak){.node = node}))
            return NULL;
    }
    return &builder->list->rows.items[*row];
}

static void add_growth(const struct leak_list *list, struct leak *leak, double time, double bytes)
{
    double share = list->end > list->start ? (time - list->start) / (list->end - list->start) : 0;
    int part = (int)(share * LEAK_GROWTH);
    leak->growth[part < 0 ? 0 : part >= LEAK_GROWTH ? LEAK_GROWTH - 1 : part] += bytes;
}

static bool add_row(struct builder *builder, struct allocation_rows *rows, const struct allocation_lives *lives, size_t row)
{
    const struct answer *answer = builder->answer;
    uint32_t stack = view_sample_stack(&answer->view, rows->stack[row]);
    double bytes = rows->weight[row];
    if (stack == INDEX_NONE || !(bytes > 0))
        return true;
    struct leak *leak = leak_of(builder, answer->nodes.of_stack[stack]);
    if (!leak)
        return false;
    leak->made += count_as(rows, row, true).weight;
    if (!allocation_lives_is_left(lives, rows, row))
        return true;
    if (builder->with_young || allocation_lives_is_leak(lives, rows, row)) {
        sum_add(&leak->left, rows, row);
        sum_add(&builder->list->left, rows, row);
        add_growth(builder->list, leak, rows->time[row], bytes);
    } else {
        sum_add(&builder->list->young, rows, row);
    }
    return true;
}

static int add_table(struct builder *builder, const struct view *whole, const struct allocation_table *table,
                     const struct row_selection *selection, struct error *error)
{
    struct allocation_rows rows;
    struct allocation_lives lives = {0};
    struct leak_list *list = builder->list;
    int status = allocation_rows_read(table, selection, &rows, error);
    if (status == 0)
        status = allocation_lives_find(&rows, whole->count, list->start, list->end, &lives, error);
    list->young_from = lives.young;
    for (size_t row = rows.rows.first; row < rows.rows.end && status == 0; row++)
        if (!add_row(builder, &rows, &lives, row))
            status = error_out_of_memory(error);
    allocation_lives_free(&lives);
    allocation_rows_free(&rows);
    return status;
}

static int compare_leaks(const void *a, const void *b)
{
    const struct leak *x = a, *y = b;
    if (x->left.bytes != y->left.bytes)
        return x->left.bytes > y->left.bytes ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Paths that leak nothing go. */
static void arrange(struct leak_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->rows.count; i++)
        if (list->rows.items[i].left.bytes > 0)
            list->rows.items[kept++] = list->rows.items[i];
    list->rows.count = kept;
    if (kept > 1)
        qsort(list->rows.items, kept, sizeof *list->rows.items, compare_leaks);
}

int leak_list_build(const struct view *whole, const struct query *query, const struct answer *answer, bool with_young,
                    struct leak_list *list, struct error *error)
{
    const struct profile *profile = whole->profile;
    struct row_selection selection = query_rows(whole, query, &answer->view);
    struct builder builder = {.list = list, .answer = answer, .with_young = with_young};
    struct allocation_peak peak;
    *list = (struct leak_list){0};
    int status = allocation_peak_find(profile, &selection, &peak, error);
    list->start = allocation_span_start(&selection, &peak);
    list->end = allocation_span_end(&selection, &peak);
    builder.row_of_node = memory_array((size_t)answer->nodes.count + 1, sizeof *builder.row_of_node);
    if (status == 0 && !builder.row_of_node)
        status = error_out_of_memory(error);
    for (uint32_t node = 0; node < answer->nodes.count && status == 0; node++)
        builder.row_of_node[node] = INDEX_NONE;
    for (size_t i = 0; i < query->thread_count && status == 0; i++) {
        const struct thread *thread = &profile->threads.items[query->threads[i].i];
        if (strategy_is_of_thread(profile, thread, STRATEGY_NATIVE_LEAKED) && row_selection_has(&selection, query->threads[i]))
            status = add_table(&builder, whole, &thread->native_allocations, &selection, error);
    }
    memory_release(builder.row_of_node);
    if (status == 0)
        arrange(list);
    else
        leak_list_free(list);
    return status;
}

void leak_list_free(struct leak_list *list)
{
    vec_free(&list->rows);
    *list = (struct leak_list){0};
}

double leak_sum_least(const struct leak_sum *sum)
{
    if (uncertainty_is_few(sum->bytes_uncertainty))
        return sum->seen;
    return fmax(sum->seen, sum->bytes - uncertainty_error(sum->bytes_uncertainty));
}
