/* In place of the packed page, where it could not be built. */
#include "server/page_files.h"

const struct page_files page_files = {NULL, 0};
