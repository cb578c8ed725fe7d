/* The categories of the process: those of api.h and those that the program registers. They live as long as the process; every
 * session is told all of them at its start, and new ones as they come (CATEGORY; a later entry of the same number, with more
 * subcategories, replaces an earlier one). */
#ifndef SONDE_CAPTURE_MARKERS_CATEGORIES_H
#define SONDE_CAPTURE_MARKERS_CATEGORIES_H

#include "capture/core/core.h"

enum { CATEGORIES_MAX = 128, SUBCATEGORIES_MAX = 64, CATEGORY_NAME_ROOM = 48 };

/* Behind the table of sonde/api.h. The same name gives the same category. Names are cut to their room; where there are too
 * many, Other or the category itself takes their place. An unknown colour is grey. */
sonde_category category_register(const char *name, const char *colour);
sonde_category subcategory_register(sonde_category category, const char *name);

/* A sonde_category is a pair. */
static inline uint32_t category_main(sonde_category category)
{
    return category & 0xffff;
}

static inline uint32_t category_sub(sonde_category category)
{
    return category >> 16;
}

/* The name of the subcategory, or of the category where it is the first ("Other"). "?" where there is none. Lives as long as
 * the process. */
const char *category_label(sonde_category category);

/* A session begins: writes anew, into CHUNK_KEPT, what its entries will refer to. Under the core lock. */
void categories_begin(const struct core_locked *locked);

#endif
