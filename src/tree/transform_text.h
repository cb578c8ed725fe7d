/* Transforms on the command line: `NAME:ARGUMENTS` or `NAME+MODIFIER:ARGUMENTS`, such as `focus-subtree+js:main;f-12;draw`.
 *
 * A function is its handle `f-N` or its exact name where that is unique; one whose name holds a semicolon is its handle.
 * A search is all that is after the colon, with the escapes of search_terms.h. */
#ifndef SONDE_TREE_TRANSFORM_TEXT_H
#define SONDE_TREE_TRANSFORM_TEXT_H

#include "common/text_buffer.h"
#include "tree/transform.h"

/* A function by handle or unique exact name. A name that no function has, but a resource, is the func that stands for all of
 * the resource. -EINVAL with a message that lists the handles, and where each function is, where the name is not unique, or
 * says that there is none. */
int func_parse(const struct func_list *funcs, struct slice text, uint32_t *func, struct error *error);

/* Functions separated by semicolons, appended to `path`; none for an empty text. */
int path_parse(const struct func_list *funcs, struct slice text, struct path *path, struct error *error);

/* What can be said of a transform before any profile is read: there is such a transform, its modifiers are some, and it has an
 * argument. -EINVAL with a message otherwise. */
int transform_check(struct slice text, struct error *error);

/* `implementation` is that of the view, for transforms that name none. On success `transform` is the caller's to free. */
int transform_parse(const struct func_list *funcs, struct slice text, enum implementation implementation,
                    struct transform *transform, struct error *error);

/* The same form, with handles for functions; parsing it for the same view gives the same transform. */
void transform_print(const struct transform *transform, const struct func_list *funcs, enum implementation implementation,
                     struct text_buffer *out);

/* "focus-subtree", … */
const char *transform_name(enum transform_type type);

#endif
