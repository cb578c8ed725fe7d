/* Transforms as text.
 *
 * On the command line: `NAME:ARGUMENTS` or `NAME+MODIFIER:ARGUMENTS`, such as `focus-subtree+js:main;f-12;draw`. A function is
 * its handle `f-N` or its exact name where that is unique.
 * In addresses of the Firefox Profiler: tuples such as `f-js-1w3-i`, joined by `~`. */
#ifndef SONDE_TREE_TRANSFORM_TEXT_H
#define SONDE_TREE_TRANSFORM_TEXT_H

#include "common/byte_sink.h"
#include "tree/transform.h"

/* A function by handle or unique exact name; the collapsed func of a library where no function but one resource has the name.
 * -EINVAL with a message that lists the handles where it is not unique, or says that there is none. */
int func_parse(const struct func_list *funcs, struct slice text, uint32_t *func, struct error *error);

/* Functions separated by semicolons, appended to `path`. */
int path_parse(const struct func_list *funcs, struct slice text, struct path *path, struct error *error);

/* `implementation` is that of the view, for transforms that name none. On success `transform` is the caller's to free. */
int transform_parse(const struct func_list *funcs, struct slice text, enum implementation implementation,
                    struct transform *transform, struct error *error);

struct text {
    VEC(char) bytes;
};
void text_free(struct text *text);

/* The command line's form, with handles for functions; parsing it gives the same transform. False when the heap is empty. */
bool transform_print(const struct transform *transform, const struct func_list *funcs, struct text *out);

/* "focus-subtree", … */
const char *transform_name(enum transform_type type);

/* ---- addresses ---- */

/* Lists of func indices, such as `vB7x0wx3`. Decoding stops at the first character that cannot be one. */
bool uint_list_encode(const uint32_t *numbers, size_t count, struct text *out);
bool uint_list_decode(struct slice text, struct path *out);

/* All transforms of a thread. What cannot be read is left out, as the Firefox Profiler does; -EINVAL only for sample filters of
 * an unknown kind. */
bool transform_list_encode(const struct transform *transforms, size_t count, struct text *out);
int transform_list_decode(struct slice text, struct transform_list *out, struct error *error);

#endif
