/* The code that language runtimes made, as CODE and CODE_MOVED entries tell of it: what was at an address, or had a number,
 * at a time. For the importer and the Gecko exporter. */
#ifndef SONDE_ROWS_CODE_INDEX_H
#define SONDE_ROWS_CODE_INDEX_H

#include "common/string_table.h"
#include "common/time_ranges.h"
#include "common/vec.h"
#include "session/entry.h"

/* As in the entry. Code that moved has a row for each place. */
struct known_code {
    uint64_t since, start, size;
    struct string_index name, file; /* of code_index.strings */
    uint32_t line, column;
    size_t lines; /* where they begin in code_index.lines … */
    uint32_t lines_length;
    uint8_t runtime, tier;
    bool was_there;
};

struct code_move {
    struct code_moved_entry entry;
    size_t before; /* how many rows had been added */
};

struct code_index {
    VEC(struct known_code) rows;
    VEC(struct code_move) moves; /* until it is finished */
    struct string_table strings;
    VEC(char) lines; /* of all rows */
    struct time_ranges places, numbers;
    VEC(uint32_t) place_rows, number_rows; /* which rows these are of */
    bool finished;
};

/* A zeroed index is empty. Entries are added in any order; what is added after the index is finished is left out. Functions
 * that return bool say false when the heap is empty. */
bool code_index_add(struct code_index *index, const struct code_entry *entry);
bool code_index_move(struct code_index *index, const struct code_moved_entry *entry);
bool code_index_finish(struct code_index *index);

/* The row of the code that was at the address, or whose frames say this number, at that time; INDEX_NONE = none. Code that was
 * there before it was told of counts from when the code before it was told of. */
uint32_t code_index_at(const struct code_index *index, uint64_t address, uint64_t time);
uint32_t code_index_numbered(const struct code_index *index, enum runtime_kind runtime, uint64_t number, uint64_t time);

/* Where a numbered frame is: its row, and the offset of its line. */
struct code_place {
    uint32_t row; /* INDEX_NONE = not known */
    uint32_t offset;
};
struct code_place code_index_frame(const struct code_index *index, const struct frame_entry *frame, uint64_t time);

/* The line at an offset in the code; 0 = not known. */
uint32_t code_index_line(const struct code_index *index, uint32_t row, uint64_t offset);

/* A function of the program, not something that belongs to the runtime. */
static inline bool known_code_is_function(const struct known_code *code)
{
    return code->tier != TIER_BUILTIN;
}

void code_index_free(struct code_index *index);

#endif
