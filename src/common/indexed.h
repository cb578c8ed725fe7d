/* Typed row numbers: the index of a func cannot be used where that of a frame is wanted.
 *
 *     DEFINE_INDEX(func);   gives   struct func_index { uint32_t i; }, func_none(), func_exists(x), func_same(a, b), func_at(i)
 */
#ifndef SONDE_COMMON_INDEXED_H
#define SONDE_COMMON_INDEXED_H

#include <stdbool.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

#define DEFINE_INDEX(name)                                                                                                     \
    struct name##_index {                                                                                                      \
        uint32_t i;                                                                                                            \
    };                                                                                                                         \
    static inline struct name##_index name##_at(size_t i)                                                                      \
    {                                                                                                                          \
        return (struct name##_index){(uint32_t)i};                                                                             \
    }                                                                                                                          \
    static inline struct name##_index name##_none(void)                                                                        \
    {                                                                                                                          \
        return (struct name##_index){INDEX_NONE};                                                                              \
    }                                                                                                                          \
    static inline bool name##_exists(struct name##_index index)                                                                \
    {                                                                                                                          \
        return index.i != INDEX_NONE;                                                                                          \
    }                                                                                                                          \
    static inline bool name##_same(struct name##_index a, struct name##_index b)                                               \
    {                                                                                                                          \
        return a.i == b.i;                                                                                                     \
    }                                                                                                                          \
    struct name##_index

#endif
