/* Command lines, by table: each command lists the options it takes, and one parser serves them all.
 *
 *     sonde tree --invert --limit=20 -- FILE
 *
 * Long names are never abbreviated, so that an option added later cannot change what a script means. An option that is no
 * list and is given twice takes the last value. */
#ifndef SONDE_CLI_OPTIONS_H
#define SONDE_CLI_OPTIONS_H

#include "cli/command.h"
#include "cli/exit_status.h"

/* What options_parse says when the command is to go on. */
enum { OPTIONS_GO_ON = -1 };

/* Reads `arguments` (after the command's name, up to a NULL) into `options`, a zeroed struct whose first member is `const char
 * *file`: the one operand, or the first of two, and then the second is the next member. For a command of many files
 * the first member is a `struct text_list` of them. For a command that takes words the
 * first member is `char **words`: from the first word that is no option of ours on, up to the NULL, all belongs to the command
 * that is run. OPTIONS_GO_ON, or the exit status where the command line was wrong (and that was said) or asked for the help
 * (and that was printed). */
int options_parse(const struct command *command, int count, char **arguments, void *options);

/* Gives back the lists. */
void options_free(const struct command *command, void *options);

/* `sonde: MESSAGE (see 'sonde COMMAND --help')` on standard error; `command` may be NULL. Returns EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
