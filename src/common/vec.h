/* Growing arrays.
 *
 *     VEC(uint32_t) rows = {0};
 *     if (!vec_push(&rows, 7))
 *         return error_out_of_memory(error);
 *     vec_free(&rows);
 */
#ifndef SONDE_COMMON_VEC_H
#define SONDE_COMMON_VEC_H

#include <stdbool.h>
#include <stddef.h>

#define VEC(type)                                                                                                              \
    struct {                                                                                                                   \
        type *items;                                                                                                           \
        size_t count;                                                                                                          \
        size_t capacity;                                                                                                       \
    }

/* Room for `need` items, at least doubling; NULL when the heap is empty, `items` then stays as it was. */
void *vec_grown(void *items, size_t *capacity, size_t need, size_t item_size);

/* Exactly `count` items, or `items` as it was. */
void *vec_trimmed(void *items, size_t *capacity, size_t count, size_t item_size);

/* Room for `n` items in all. False when the heap is empty. */
#define vec_reserve(vec, n)                                                                                                    \
    __extension__({                                                                                                            \
        __auto_type vec_ = (vec);                                                                                              \
        size_t need_ = (n);                                                                                                    \
        bool fits_ = need_ <= vec_->capacity;                                                                                  \
        if (__builtin_expect(!fits_, 0)) {                                                                                     \
            void *items_ = vec_grown(vec_->items, &vec_->capacity, need_, sizeof *vec_->items);                                \
            fits_ = items_ != NULL;                                                                                            \
            if (fits_)                                                                                                         \
                vec_->items = items_;                                                                                          \
        }                                                                                                                      \
        fits_;                                                                                                                 \
    })

/* Appends; false when the heap is empty. `item` is evaluated after the array has grown. */
#define vec_push(vec, item)                                                                                                    \
    __extension__({                                                                                                            \
        __auto_type pushed_ = (vec);                                                                                           \
        bool grown_ = vec_reserve(pushed_, pushed_->count + 1);                                                                \
        if (__builtin_expect(grown_, 1))                                                                                       \
            pushed_->items[pushed_->count++] = (item);                                                                         \
        grown_;                                                                                                                \
    })

/* Gives back the room that is not used; where that fails everything stays as it is. */
#define vec_trim(vec)                                                                                                          \
    do {                                                                                                                       \
        __auto_type trimmed_ = (vec);                                                                                          \
        void *items_ = vec_trimmed(trimmed_->items, &trimmed_->capacity, trimmed_->count, sizeof *trimmed_->items);            \
        trimmed_->items = items_;                                                                                              \
    } while (0)

#define vec_free(vec)                                                                                                          \
    do {                                                                                                                       \
        __auto_type freed_ = (vec);                                                                                            \
        memory_release(freed_->items);                                                                                         \
        freed_->items = NULL;                                                                                                  \
        freed_->count = freed_->capacity = 0;                                                                                  \
    } while (0)

#include "common/memory.h"

#endif
