/* Command lines, by table: each command lists the options it takes, and one parser serves them all.
 *
 *     sonde tree --invert --limit=20 -- FILE
 *
 * Long names are never abbreviated, so that an option added later cannot change what a script means. An option that is no
 * list and is given twice takes the last value. */
#ifndef SONDE_CLI_OPTIONS_H
#define SONDE_CLI_OPTIONS_H

#include "common/vec.h"

#include <stdbool.h>
#include <stddef.h>

enum exit_status {
    EXIT_OK = 0,
    EXIT_DATA = 1,
    EXIT_USAGE = 2,
    /* of `record`, as env has them: */
    EXIT_NOT_STARTED = 125, /* it failed itself, before the command ran */
    EXIT_CANNOT_RUN = 126,  /* the command is there but cannot be executed */
    EXIT_NOT_FOUND = 127,
};

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char *; NULL = not given */
    OPTION_LIST,   /* struct text_list: every value given, in order */
    OPTION_COUNT,  /* struct optional_count */
    OPTION_SIZE,   /* struct optional_count, of bytes: 512MiB, 2G, 100000 */
    OPTION_NUMBER, /* struct optional_number, not negative */
    OPTION_RANGE,  /* struct seconds_range */
    OPTION_CHOICE, /* int: the place of the value in `choices` */
};

struct text_list {
    VEC(const char *) values;
};

struct optional_count {
    bool given;
    size_t value;
};

struct optional_number {
    bool given;
    double value;
};

struct seconds_range {
    bool given;
    double start, end; /* infinite where that side is open */
};

struct option {
    const char *name; /* without its dashes; NULL ends a table */
    char letter;      /* the short form, 0 = none */
    enum option_kind kind;
    size_t target;        /* offset in the command's options struct */
    const char *argument; /* what its value is called in the help */
    const char *help;     /* lines are broken by hand, at 60 columns */
    const char *const *choices;
};

struct option_group {
    const char *title;
    const struct option *options;
};

enum { MAX_OPTION_GROUPS = 5 }; /* with the NULL at their end */

struct command {
    const char *name;
    const char *arguments;   /* after the name in the usage line */
    const char *summary;     /* one line, for `sonde --help` */
    const char *example;     /* one line, for `sonde --help` */
    const char *description; /* paragraphs, for `sonde COMMAND --help` and as the man page tells it */
    const char *examples;    /* lines, for `sonde COMMAND --help` */
    const struct option_group *groups[MAX_OPTION_GROUPS];
    bool takes_words;           /* its operands are a command line to run, not a FILE */
    const char *second_operand; /* what a second operand is called; NULL = there is only one */
    int (*run)(const struct command *command, int count, char **arguments);
};

/* What options_parse says when the command is to go on. */
enum { OPTIONS_GO_ON = -1 };

/* Reads `arguments` (after the command's name, up to a NULL) into `options`, a zeroed struct whose first member is `const char
 * *file`: the one operand, or the first of two, and then the second is the next member. For a command that takes words the
 * first member is `char **words`: from the first word that is no option of ours on, up to the NULL, all belongs to the command
 * that is run. OPTIONS_GO_ON, or the exit status where the command line was wrong (and that was said) or asked for the help
 * (and that was printed). */
int options_parse(const struct command *command, int count, char **arguments, void *options);

/* Gives back the lists. */
void options_free(const struct command *command, void *options);

/* `sonde: MESSAGE (see 'sonde COMMAND --help')` on standard error; `command` may be NULL. Returns EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
