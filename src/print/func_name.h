/* Names of functions in the columns that there are: their ends say most.
 *
 *     std::_Rb_tree<int, std::pair<int const, long>>::insert(int const&)
 *     std::_Rb_tree<…>::insert(int const&)         without template arguments (tree/name_fold.h), where that is wanted
 *     std::_Rb_tree<…>::insert(…)                  without parameters, where there are not enough columns
 *     std::_Rb…::insert(…)                         with a cut in the middle
 */
#ifndef SONDE_PRINT_FUNC_NAME_H
#define SONDE_PRINT_FUNC_NAME_H

#include "common/text_buffer.h"
#include "print/style.h"
#include "print/text.h"

/* The name as it is shown where there are columns enough. Lives as long as `scratch` is not used again, or as the name. */
struct slice func_name_shown(const struct terminal *terminal, struct slice name, struct text_buffer *scratch);

/* Adds it in at most `room` columns. */
void line_add_func_name(struct line *line, struct slice name, size_t room);

/* Both. */
void line_add_func(struct line *line, const struct terminal *terminal, struct slice name, size_t room);

#endif
