/* The text of a source file, line by line. */
#ifndef SONDE_CLI_SOURCE_TEXT_H
#define SONDE_CLI_SOURCE_TEXT_H

#include "profile/profile.h"
#include "symbols/source_file.h"

struct source_text {
    struct source_file file; /* empty where the text is the profile's or unknown */
    VEC(struct slice) lines; /* without their ends; empty where the text is unknown */
    uint32_t first_line;     /* the number of lines[0] */
    bool changed;            /* the file is newer than the recording: lines may have moved */
};

/* The text that the profile brings, else that of the file, if it is a regular file that can be read. What cannot be found is
 * no error: there are no lines then. */
void source_text_find(struct source_text *source, const struct source_search *search, const struct profile *profile,
                      uint32_t source_index);

/* The same of a file that debug information names. */
void source_text_read(struct source_text *source, const struct source_search *search, const struct profile *profile,
                      struct slice path);

void source_text_free(struct source_text *source);

/* A line by its number; `text` is NULL where it is unknown. */
struct slice source_text_line(const struct source_text *source, uint32_t line);

#endif
