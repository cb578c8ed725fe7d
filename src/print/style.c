#include "print/style.h"

#include <math.h>

struct slice terminal_style(const struct terminal *terminal, enum style style)
{
    static const struct slice codes[2][STYLE_COUNT] = {
        {
            [STYLE_PLAIN] = SLICE("\x1b[0m"),
            [STYLE_HEADING] = SLICE("\x1b[1m"),
            [STYLE_DIM] = SLICE("\x1b[2m"),
            [STYLE_HOTTEST] = SLICE("\x1b[1;31m"),
            [STYLE_HOT] = SLICE("\x1b[31m"),
            [STYLE_WARM] = SLICE("\x1b[33m"),
            [STYLE_BETTER] = SLICE("\x1b[32m"),
        },
        {
            [STYLE_PLAIN] = SLICE("\x1b[0m"),
            [STYLE_HEADING] = SLICE("\x1b[1m"),
            [STYLE_DIM] = SLICE("\x1b[2m"),
            [STYLE_HOTTEST] = SLICE("\x1b[1;38;5;196m"),
            [STYLE_HOT] = SLICE("\x1b[38;5;208m"),
            [STYLE_WARM] = SLICE("\x1b[38;5;178m"),
            [STYLE_BETTER] = SLICE("\x1b[38;5;34m"),
        },
    };
    return terminal->colour ? codes[terminal->many_colours][style] : SLICE("");
}

enum style style_of_share(double part, double whole)
{
    static const double hottest = 0.2, hot = 0.05, warm = 0.01;
    double share = whole != 0 ? fabs(part / whole) : 0;
    if (part == 0)
        return STYLE_DIM;
    return share >= hottest ? STYLE_HOTTEST : share >= hot ? STYLE_HOT : share >= warm ? STYLE_WARM : STYLE_PLAIN;
}
