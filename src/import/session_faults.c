#include "import/session_state.h"

#include <stdlib.h>

/* Of the process that is being read. A thread that had ended meanwhile was not refused anything. */
void session_count_faults(struct session_import *import)
{
    const struct session_file_header *header = &import->process.header;
    struct session_quality *quality = &import->quality;
    if (header->fault_period > 0)
        import->faults.period = header->fault_period;
    if (header->faults_refused == 0)
        return;
    quality->faults_refused++;
    quality->faults_refused_error = header->faults_refused;
}

bool session_fault(struct session_import *import, struct session_thread *thread, const struct sample_entry *entry,
                   uint32_t stack)
{
    *(entry->clock == SAMPLE_BY_MAJOR_FAULT ? &import->faults.major : &import->faults.minor) += entry->ticks;
    return vec_push(&thread->faults, ((struct session_fault){entry->time, stack, entry->ticks}));
}

static int compare_faults(const void *a, const void *b)
{
    const struct session_fault *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

void session_finish_faults(const struct session_import *import, struct session_thread *staged, struct thread *thread)
{
    struct allocation_table *table = &thread->page_faults;
    if (staged->faults.count > 1)
        qsort(staged->faults.items, staged->faults.count, sizeof *staged->faults.items, compare_faults);
    for (size_t i = 0; i < staged->faults.count; i++) {
        const struct session_fault *fault = &staged->faults.items[i];
        column_append_index(&table->stack, fault->stack);
        column_append_number(&table->time, session_ms(import, fault->time));
        column_append_number(&table->weight, fault->count);
        column_append_number(&table->size, 1);
        table->present = true;
    }
}

bool session_put_faults(struct session_import *import, struct value_bytes *out)
{
    const struct session_faults *faults = &import->faults;
    return value_put_object(out, 3) && session_put_number(import, out, "period", faults->period) &&
           session_put_number(import, out, "minor", (double)faults->minor) &&
           session_put_number(import, out, "major", (double)faults->major);
}
