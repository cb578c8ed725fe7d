#include "api/export_out.h"
#include "api/export_rows.h"

#include <math.h>

/* Call nodes stand depth first: a path is that of the node before, cut to the depth and with one name more. */
struct folded {
    const struct answer *answer;
    const struct func_list *funcs;
    struct export_out path; /* never written: names joined by ; */
    VEC(size_t) lengths;    /* of the path at each depth */
    struct export_out *lines;
};

static bool go_to(struct folded *folded, uint32_t node)
{
    uint32_t depth = folded->answer->nodes.depth[node];
    folded->lengths.count = depth;
    text_cut(&folded->path.text, depth > 0 ? folded->lengths.items[depth - 1] : 0);
    if (depth > 0)
        text_add_char(&folded->path.text, ';');
    export_name(&folded->path, func_list_name(folded->funcs, folded->answer->nodes.func[node]), NAME_FOLDED);
    return vec_push(&folded->lengths, folded->path.text.bytes.count) && !folded->path.text.failed;
}

static int put_lines(struct folded *folded, struct error *error)
{
    const struct answer *answer = folded->answer;
    double unit = answer->weights.type == WEIGHT_TRACING_MS ? 1000 : 1;
    for (uint32_t node = 0; node < answer->nodes.count; node++) {
        double weight = answer->tree.self[node] * unit;
        if (!go_to(folded, node))
            return error_out_of_memory(error);
        if (!answer->tree.shown[node] || !(weight >= 0.5) || isinf(weight))
            continue;
        text_add(&folded->lines->text, text_slice(&folded->path.text));
        export_print(folded->lines, " %.0f\n", weight);
        if (export_flush(folded->lines) != 0)
            return error->code;
    }
    return 0;
}

int export_folded_stacks(struct asking *asking, const struct ask *ask, struct byte_sink *sink, struct error *error)
{
    (void)ask;
    struct export_out lines = {.sink = sink, .error = error};
    struct folded folded = {.answer = &asking->kept->answer, .funcs = asking->whole->funcs, .lines = &lines};
    int status = put_lines(&folded, error);
    text_free(&folded.path.text);
    vec_free(&folded.lengths);
    int written = export_end(&lines);
    return status != 0 ? status : written;
}
