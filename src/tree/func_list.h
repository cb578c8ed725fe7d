/* The functions that trees are made of: those of the profile, and one reserved func for each resource, which stands for all
 * functions of a library or site once they are collapsed.
 *
 *     0 … own_count - 1                     rows of the profile's func table
 *     own_count … count - 1                 own_count + R stands for resource R
 *
 * Plain arrays, made once for a profile. */
#ifndef SONDE_TREE_FUNC_LIST_H
#define SONDE_TREE_FUNC_LIST_H

#include "common/string_table.h"
#include "profile/profile.h"

/* Which frames are shown. */
enum implementation { IMPLEMENTATION_COMBINED, IMPLEMENTATION_JS, IMPLEMENTATION_CPP };

/* "combined", "js", "cpp" */
const char *implementation_name(enum implementation implementation);
bool implementation_parse(struct slice name, enum implementation *implementation);

struct func_list {
    const struct profile *profile;
    uint32_t own_count, count;
    uint32_t *name;     /* string */
    uint32_t *resource; /* INDEX_NONE = none */
    uint32_t *source;   /* INDEX_NONE = none */
    uint8_t *shown;     /* bit I: implementation I shows it */

    struct string_table groups; /* in place of functions: the names of what stands for them (grouping.h); usually empty */
};

/* Shared by all views of a profile, as the arrays of shared.h are: kept and dropped. NULL when the heap is empty. */
struct func_list *func_list_create(const struct profile *profile);
/* Groups in place of functions: func N has the Nth of these names, and neither library nor file. Takes the table over unless
 * the heap is empty. */
struct func_list *func_list_of_groups(const struct profile *profile, struct string_table *names);
static inline bool func_list_is_grouped(const struct func_list *funcs)
{
    return string_table_count(&funcs->groups) > 0;
}
struct func_list *func_list_keep(struct func_list *funcs);
void func_list_drop(struct func_list *funcs);

static inline bool func_list_shows(const struct func_list *funcs, enum implementation implementation, uint32_t func)
{
    return funcs->shown[func] >> implementation & 1;
}

/* Texts of a func; empty where it has none. `func` may be INDEX_NONE. */
struct slice func_list_name(const struct func_list *funcs, uint32_t func);
struct slice func_list_resource_name(const struct func_list *funcs, uint32_t func);
struct slice func_list_filename(const struct func_list *funcs, uint32_t func);

/* The reserved func of a resource. */
static inline uint32_t func_list_collapsed(const struct func_list *funcs, uint32_t resource)
{
    return funcs->own_count + resource;
}

#endif
