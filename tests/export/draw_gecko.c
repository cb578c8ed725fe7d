/* Writes the Gecko profile of a drawn session, for other programs to read:
 *
 *     draw_gecko DRAWING OUT.json                     DRAWING: as in support/session_draw.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/memory.h"
#include "support/gecko_document.h"
#include "support/import_text.h"

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: draw_gecko DRAWING OUT.json\n");
        return 2;
    }
    struct slice drawing = read_test_data(argv[1]);
    struct gecko_document document;
    struct error error = {0};
    gecko_document_draw(&document, drawing.text, NULL);
    struct byte_sink *out = byte_sink_create(argv[2], PACKING_NONE, &error);
    int result = out ? byte_sink_write(out, gecko_document_text(&document), &error) : error.code;
    if (out && byte_sink_close(out, result == 0, &error) != 0)
        result = error.code;
    if (result != 0)
        fprintf(stderr, "draw_gecko: %s: %s\n", argv[2], error.message);
    gecko_document_close(&document);
    memory_release((char *)drawing.text);
    return result != 0;
}
