/* What a command is: its name, its help and the options that it takes, as tables. */
#ifndef SONDE_CLI_COMMAND_H
#define SONDE_CLI_COMMAND_H

#include "cli/range_option.h"
#include "common/vec.h"

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char *; NULL = not given */
    OPTION_MAYBE,    /* const char *; NULL = not given, "" = without a value, which can only stand behind a = */
    OPTION_LIST,     /* struct text_list: every value given, in order */
    OPTION_COUNT,    /* struct optional_count */
    OPTION_SIZE,     /* struct optional_count, of bytes: 512MiB, 2G, 100000 */
    OPTION_NUMBER,   /* struct optional_number, not negative */
    OPTION_RANGE,    /* struct seconds_range */
    OPTION_DURATION, /* struct optional_number, in ms */
    OPTION_CHOICE,   /* int: the place of the value in `choices` */
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

struct option {
    const char *name; /* without its dashes; NULL ends a table */
    char letter;      /* the short form, 0 = none */
    enum option_kind kind;
    size_t target;        /* offset in the command's options struct */
    const char *argument; /* what its value is called in the help */
    const char *help;     /* lines are broken by hand, at 60 columns */
    const char *const *choices;
    const char *wanted; /* of a number: what a value has to be; NULL = a number from 0 on */
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
    bool optional_file;         /* it does without a FILE, too */
    bool many_files;            /* it takes any number of them */
    const char *operand;        /* what its FILE is called; NULL = FILE */
    const char *second_operand; /* what a second operand is called; NULL = there is only one */
    int (*run)(const struct command *command, int count, char **arguments);
    bool searches_otherwise; /* its --search is not that of samples (tree/search_terms.h) */
};

#endif
