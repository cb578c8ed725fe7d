/* A library that marks (with LIBRARY defined) and a program that marks, too, and looks for what the library found. */
#include "sonde/sonde.h"

bool library_found(void);

#ifdef LIBRARY
bool library_found(void)
{
    sonde_marker_instant("from a library", OTHER);
    return sonde_now() != 0;
}
#else
/* A constructor can use it already. */
static bool found_early;

__attribute__((constructor)) static void early(void)
{
    sonde_marker_instant("before main", OTHER);
    found_early = sonde_now() != 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    bool expected = strcmp(argv[1], "absent") != 0;
    return found_early == expected && library_found() == expected ? 0 : 1;
}
#endif
