/* A library (with LIBRARY defined) that is loaded before the program, and a program that does nothing. Whether the recording
 * has begun when the library begins, and has not ended when the library ends, is its exit status: 0 where both are so. */
#include "sonde/sonde.h"

#include <unistd.h>

int library_is_there(void);

#ifdef LIBRARY
static bool was_recording;

__attribute__((constructor)) static void begin(void)
{
    was_recording = sonde_is_recording();
}

__attribute__((destructor)) static void end(void)
{
    if (!was_recording)
        _exit(2);
    if (!sonde_is_recording())
        _exit(3);
}

int library_is_there(void)
{
    return 1;
}
#else
int main(void)
{
    return library_is_there() == 1 ? 0 : 1;
}
#endif
