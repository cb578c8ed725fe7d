/* What class or namespace the name of a function says it is in.
 *
 *     std::vector<int>::push_back(int const&)      std::vector<int>
 *     net/http.(*conn).serve                       net/http.(*conn)
 *     java.util.HashMap.put                        java.util.HashMap
 *     -[NSString length]                           NSString
 *     memcpy, foo.cold, run(a::b)                  none */
#ifndef SONDE_TREE_CLASS_NAME_H
#define SONDE_TREE_CLASS_NAME_H

#include "common/slice.h"

/* A part of `name`; empty where there is none. */
struct slice class_of_name(struct slice name);

#endif
