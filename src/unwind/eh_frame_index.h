/* Makes the index of a module whose linker made none: in the form of the one in .eh_frame_hdr. */
#ifndef SONDE_UNWIND_EH_FRAME_INDEX_H
#define SONDE_UNWIND_EH_FRAME_INDEX_H

#include "unwind/eh_frame.h"

/* How many bytes of the table are entries: up to its terminator, or the first entry that does not fit. */
size_t eh_frame_length(const struct eh_frame_table *table);

/* How many FDEs there are at most. */
size_t eh_frame_index_count(const struct eh_frame_table *table);

/* Fills and sorts the rows, at most `room`; distances are from table->index_address. Returns how many there are. What cannot be
 * read or lies too far away is left out. */
size_t eh_frame_index_build(const struct eh_frame_table *table, struct eh_frame_index_row *rows, size_t room);

#endif
