#include "runtime/hotspot/debug_places.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FLAGS_MAX = 4096, ORIGIN_MASK = 15, ORIGIN_DEFAULT = 0 };

/* Of the switch at `flag`: where its value is. */
static uint64_t free_switch(struct hotspot_reader *reader, uint64_t flag)
{
    const struct runtime_layout *head = &reader->layout->head;
    uint64_t address, bits;
    uint8_t value;
    if (!hotspot_get(reader, flag, FLAG_ADDRESS, &address) || !hotspot_get(reader, flag, FLAG_BITS, &bits) ||
        (bits & ORIGIN_MASK) != ORIGIN_DEFAULT || address < head->module_start || address >= head->module_end ||
        !hotspot_read(reader, address, &value, sizeof value) || value != 0)
        return 0;
    return address;
}

uint64_t hotspot_debug_places_find(struct hotspot_reader *reader)
{
    static const char wanted[] = "DebugNonSafepoints";
    const struct hotspot_layout *layout = reader->layout;
    uint64_t flags, count, text, size = layout->size[SIZE_FLAG];
    char name[sizeof wanted + 1];
    if (!layout->variable[VARIABLE_FLAGS] || !layout->variable[VARIABLE_FLAG_COUNT] || size == 0 ||
        !hotspot_read(reader, layout->variable[VARIABLE_FLAGS], &flags, sizeof flags) ||
        !hotspot_read(reader, layout->variable[VARIABLE_FLAG_COUNT], &count, sizeof count))
        return 0;
    for (uint64_t i = 0; i < count && i < FLAGS_MAX; i++)
        if (hotspot_get(reader, flags + i * size, FLAG_NAME, &text) && text != 0 &&
            hotspot_read_text(reader, text, name, sizeof name) && strcmp(name, wanted) == 0)
            return free_switch(reader, flags + i * size);
    return 0;
}

bool hotspot_debug_places_on(uint64_t address)
{
    uint8_t on = 1;
    struct iovec from = {&on, sizeof on}, to = {(void *)(uintptr_t)address, sizeof on};
    return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == sizeof on;
}
