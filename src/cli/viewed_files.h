/* The files that `sonde view` serves: each is read when somebody asks for it, the first at once. */
#ifndef SONDE_CLI_VIEWED_FILES_H
#define SONDE_CLI_VIEWED_FILES_H

#include "cli/command.h"
#include "cli/symbol_options.h"
#include "server/profiles.h"

struct viewed_file;

struct viewed_files {
    struct viewed_file *items;
    struct profile_listing *listings; /* for the server */
    size_t count;
};

/* What is to be known about reading them; stays until they are freed. */
struct view_search {
    const struct symbol_options *symbols;
    const struct text_list *source_folders;
    bool at_once; /* also sessions have their symbols before they are shown */
};

/* Looks at files (`-` = standard input), and reads the first. To be freed in any case, after the server has stopped. EXIT_OK,
 * or EXIT_DATA after saying what is wrong. */
int viewed_files_open(const char *const *paths, size_t count, const struct view_search *search, struct viewed_files *files);

/* The first beside the second, which is read for that. EXIT_OK, or EXIT_DATA after saying what is wrong. */
int viewed_files_compare(struct viewed_files *files);

/* Before the server is stopped: ends what changes profiles. False where that takes too long; then all stays as it is. */
bool viewed_files_stop(struct viewed_files *files);
void viewed_files_free(struct viewed_files *files);

#endif
