#include "print/style.h"

struct slice terminal_style(const struct terminal *terminal, enum style style)
{
    static const struct slice codes[STYLE_COUNT] = {
        [STYLE_PLAIN] = SLICE("\x1b[0m"),  [STYLE_HEADING] = SLICE("\x1b[1m"), [STYLE_DIM] = SLICE("\x1b[2m"),
        [STYLE_HOT] = SLICE("\x1b[1;31m"), [STYLE_WARM] = SLICE("\x1b[33m"),
    };
    return terminal->colour ? codes[style] : SLICE("");
}
