#include "api/machine.h"

uint32_t machine_cpus(const struct profile *profile)
{
    const struct value_bytes *meta = &profile->meta.whole;
    struct string_index key = string_table_find(&profile->strings, SLICE("logicalCPUs"));
    const uint8_t *at = meta->bytes.count > 0 ? value_find(meta->bytes.items, key) : NULL;
    struct value value = at ? value_read(at) : (struct value){.kind = VALUE_NULL};
    enum { MOST = 1 << 20 };
    return value.kind == VALUE_INTEGER && value.integer > 0 && value.integer <= MOST ? (uint32_t)value.integer : 0;
}
