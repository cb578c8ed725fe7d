/* Time 0 of a process whose library is loaded with every program that it becomes: when the first of them was loaded. */
#ifndef SONDE_CAPTURE_CORE_ORIGIN_H
#define SONDE_CAPTURE_CORE_ORIGIN_H

/* Sets clock_origin. The kernel's books (clock_set_origin()) say little more, to hundredths of a second, and to open them takes
 * 30 µs: they are only asked whether files of this process id, in the session that is joined, are of this process. */
void origin_set(void);

#endif
