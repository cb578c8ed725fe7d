/* Names of functions without template arguments, which are most of what makes them long.
 *
 *     std::map<int, std::string>::find(int const&)         std::map<…>::find(int const&)
 *     <Vec<u8> as Iterator>::next                          <Vec<…> as Iterator>::next
 *     core::ptr::drop_in_place::<Vec<u8>>                  core::ptr::drop_in_place::<…>
 *     operator<, foo->bar, <anonymous>, a<b                as they are: nothing is an argument there */
#ifndef SONDE_TREE_NAME_FOLD_H
#define SONDE_TREE_NAME_FOLD_H

#include "common/text_buffer.h"

/* Whether there are any. */
bool name_has_templates(struct slice name);

/* Adds the name with … in their place. */
void name_fold(struct slice name, struct text_buffer *out);

#endif
