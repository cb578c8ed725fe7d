/* Draws a session, for the fixtures of other tests:
 *
 *     draw_session DRAWING FOLDER                     DRAWING: as in support/session_draw.h, of one process that has ended */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/memory.h"
#include "support/import_text.h"
#include "support/session_draw.h"

#include <errno.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: draw_session DRAWING FOLDER\n");
        return 2;
    }
    struct slice drawing = read_test_data(argv[1]);
    struct session_draw *draw = session_draw_open(argv[2]);
    session_draw_text(draw, drawing.text);
    struct session_file_header *header = session_draw_header(draw);
    header->state = SESSION_ENDED;
    header->end_ns = 1000000000;
    header->clock = SESSION_CLOCK_TICKS;
    header->clock_refused = EACCES;
    header->tick_ns = 4000000;
    header->statistics[STATISTIC_SAMPLES_TICK] = 8;
    header->statistics[STATISTIC_LOOKS] = 6;
    session_draw_close(draw);
    memory_release((char *)drawing.text);
    return 0;
}
