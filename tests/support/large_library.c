#include "large_library.h"
#include "large_tables.h"

const void *large_library(void)
{
    static const char here;
    return &here;
}
