/* The strings, frames and stacks of one thread, each once, as the Gecko format has them.
 *
 * Every stack starts at the frame `(root)`: row 0 of all three tables. The text of a native frame is its address; it is made
 * when the tables are written, behind the other strings, and takes no memory before. */
#ifndef SONDE_EXPORT_GECKO_STACKS_H
#define SONDE_EXPORT_GECKO_STACKS_H

#include "common/json_writer.h"
#include "common/string_table.h"
#include "common/text_buffer.h"
#include "rows/code_index.h"

enum { GECKO_ROOT = 0 };

struct gecko_frame {
    uint64_t address;  /* of a native frame */
    uint32_t location; /* string; of a native frame: how many native ones came before it */
    uint32_t line, column;
    uint32_t category, subcategory;
    uint32_t implementation; /* string, or UINT32_MAX */
    uint8_t runtime;         /* enum runtime_kind: the category is that of its frames; 0 = none */
    bool native, relevant_for_js;
    bool idle;        /* the thread waits there: it is of the category Idle … */
    uint32_t idle_of; /* … and otherwise this frame */
};

struct gecko_stack {
    uint32_t prefix, frame;
};

struct gecko_stacks {
    struct string_table strings;
    VEC(struct gecko_frame) frames;
    VEC(struct gecko_stack) stacks;
    struct map frame_rows, stack_rows;
    uint32_t native_count;
    struct text_buffer scratch;
    const struct code_index *code; /* finished; NULL = no runtime told of code */
};

/* The row of a whole stack, oldest frame first, as the frames above each other: what the next stack may share. */
struct gecko_path {
    VEC(uint32_t) stacks;
    uint64_t chunk; /* where it was stated: it is of no use to other chunks */
};

/* A zeroed struct has no root yet; this makes it, unless it is there. False when the heap is empty. */
bool gecko_stacks_begin(struct gecko_stacks *stacks);

/* The stack of the first `shared` frames of `path` and then `frames` at that time; `path` becomes it. -EINVAL where the path is
 * not that long or the frames are no frames (the path is then empty), -ENOMEM. */
int gecko_stacks_add(struct gecko_stacks *stacks, struct gecko_path *path, uint32_t shared, const struct frames_slice *frames,
                     uint64_t time, uint32_t *stack);

/* The same stack, but that its youngest frame is idle. False when out of memory, as below. */
bool gecko_stacks_idle(struct gecko_stacks *stacks, uint32_t stack, uint32_t *idle);

/* The stack with one more frame, which is no code. */
bool gecko_stacks_label(struct gecko_stacks *stacks, uint32_t stack, struct slice label, uint32_t category, uint32_t *labelled);

/* How many categories there are, and subcategories of each: others are not written. */
struct gecko_categories;

/* The keys `stackTable`, `frameTable` and `stringTable`. */
void gecko_stacks_write(const struct gecko_stacks *stacks, const struct gecko_categories *categories, struct json_writer *w);

void gecko_stacks_free(struct gecko_stacks *stacks);

#endif
