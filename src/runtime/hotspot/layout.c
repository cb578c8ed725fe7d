#include "runtime/hotspot/layout.h"

#include <string.h>

bool hotspot_layout_check(const struct hotspot_layout *layout)
{
    if (layout->head.kind != RUNTIME_HOTSPOT || layout->head.length != sizeof *layout ||
        layout->head.name[RUNTIME_NAME_ROOM - 1] != '\0')
        return false;
    for (size_t i = 0; i < HOTSPOT_FIELD_COUNT; i++) {
        const struct hotspot_field_place *place = &layout->field[i];
        uint8_t is_signed;
        memcpy(&is_signed, &place->is_signed, sizeof is_signed);
        if (place->offset > 4096 || is_signed > 1 ||
            !(place->bytes == 0 || place->bytes == 1 || place->bytes == 2 || place->bytes == 4 || place->bytes == 8))
            return false;
    }
    for (size_t i = 0; i < HOTSPOT_SIZE_COUNT; i++)
        if (layout->size[i] > 4096)
            return false;
    return true;
}
