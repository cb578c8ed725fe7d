#include "api/export.h"

#include "api/export_rows.h"

#include <errno.h>
#include <stdio.h>

static const struct {
    const char *type;
    int (*write)(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error); /* of the tree */
} formats[EXPORT_FORMATS] = {
    [EXPORT_SVG] = {"image/svg+xml", export_svg},
    [EXPORT_FOLDED] = {"text/plain; charset=utf-8", export_folded_stacks},
    [EXPORT_CSV] = {"text/csv; charset=utf-8", export_tree_rows},
    [EXPORT_JSON] = {"application/json", export_tree_rows},
    [EXPORT_TEXT] = {"text/plain; charset=utf-8", export_text_tree},
};

const char *export_type(enum export_format format)
{
    return formats[format].type;
}

int export_write(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error)
{
    if (ask->of == ROWS_OF_MARKERS)
        return export_markers(asking, ask, sink, error);
    int status = asking_answer(asking);
    if (status != 0)
        return status;
    status = ask->of == ROWS_OF_FUNCTIONS ? export_functions(asking, ask, sink, error)
                                          : formats[ask->format].write(asking, ask, sink, error);
    /* More rows than there can be: that is known before the first one. */
    return status == -E2BIG ? asking_failed(asking, error) : status;
}

/* Among the asks of a request an export has no place: its reply is no JSON. */
int ask_export(struct asking *asking, const struct ask *ask)
{
    (void)ask;
    char field[32];
    snprintf(field, sizeof field, "asks[%zu].ask", asking->number);
    return fault_set(asking->fault, "invalid", field, "%s: an export has an address of its own", field);
}
