/* Text that is longer than the terminal goes through a pager, as of git: $SONDE_PAGER, else $PAGER, else less, else more.
 *
 * Lines are kept until there are more than the terminal has. Where there are not, they are written as they are, whatever the
 * pager; else the pager gets all of them. It is for terminals: files and pipes get the text at once. */
#ifndef SONDE_CLI_PAGER_H
#define SONDE_CLI_PAGER_H

#include <stdbool.h>

/* From now on standard output is kept back, where it is a terminal that can be paged. Colours are passed on to the pager, so
 * the terminal is to be looked at before. Once is enough; `wanted` false does nothing. */
void pager_begin(bool wanted);

/* Writes what is left, and waits until the pager was left. */
void pager_end(void);

#endif
