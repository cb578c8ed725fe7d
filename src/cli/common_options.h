/* Options that several commands share. Each command's options struct starts with these. */
#ifndef SONDE_CLI_COMMON_OPTIONS_H
#define SONDE_CLI_COMMON_OPTIONS_H

#include "cli/options.h"

struct common_options {
    const char *file;
    const char *operand; /* the second one, of commands that have it */

    /* what to look at: see selection.h */
    struct text_list threads;
    struct seconds_range range;
    const char *during;
    int implementation;
    const char *search;
    struct text_list transforms;
    bool invert;
    bool exclude_idle;
    const char *select;
    int strategy;
    const char *at;
    bool blocks;
    struct optional_number younger_than;
    bool thin;
    const char *event;
    int group; /* enum grouping */

    /* how to show it */
    struct optional_count limit, depth;
    struct optional_number min;
    struct optional_count width;
    bool json;
    int percent; /* enum percent_of */
    bool full_names;
    int colour; /* enum colour_choice */
    bool no_pager;
};

enum percent_of { PERCENT_OF_TOTAL, PERCENT_OF_PARENT };

#define OPTION_ENTRY_RANGE                                                                                                     \
    {                                                                                                                          \
        .name = "range", .letter = 'r', .kind = OPTION_RANGE, .target = offsetof(struct common_options, range),                \
        .argument = "A,B",                                                                                                     \
        .help = "from A to B seconds after the start of the profile, or as\n"                                                  \
                "5ms, 200us; either side may be empty; -A: before the end;\n"                                                  \
                "A,+B: for as long as B"                                                                                       \
    }

#define OPTION_ENTRY_DURING(text)                                                                                              \
    {                                                                                                                          \
        .name = "during", .kind = OPTION_TEXT, .target = offsetof(struct common_options, during), .argument = "MARKER",        \
        .help = text                                                                                                           \
    }

#define OPTION_ENTRY_IMPLEMENTATION                                                                                            \
    {                                                                                                                          \
        .name = "implementation", .kind = OPTION_CHOICE, .target = offsetof(struct common_options, implementation),            \
        .argument = "I", .choices = implementation_choices, .help = "which frames: combined (all, default), js, cpp"           \
    }

#define OPTION_ENTRY_EXCLUDE_IDLE                                                                                              \
    {                                                                                                                          \
        .name = "exclude-idle", .kind = OPTION_FLAG, .target = offsetof(struct common_options, exclude_idle),                  \
        .help = "leave out samples whose leaf category is idle"                                                                \
    }

#define OPTION_ENTRY_JSON                                                                                                      \
    {                                                                                                                          \
        .name = "json", .kind = OPTION_FLAG, .target = offsetof(struct common_options, json),                                  \
        .help = "print JSON, complete unless a cut is asked for"                                                               \
    }

#define OPTION_ENTRY_THIN                                                                                                      \
    {                                                                                                                          \
        .name = "thin", .kind = OPTION_FLAG, .target = offsetof(struct common_options, thin),                                  \
        .help = "of V8 profiles and Chrome traces only samples 0.5 ms apart,\neach counted once, as the Firefox Profiler does" \
    }

#define OPTION_ENTRY_EVENT                                                                                                     \
    {                                                                                                                          \
        .name = "event", .kind = OPTION_TEXT, .target = offsetof(struct common_options, event), .argument = "NAME",            \
        .help =                                                                                                                \
            "of `perf script` text with several events, and of pprof\nprofiles with several types, the samples of this one"    \
    }

#define OPTION_ENTRY_LIMIT(text)                                                                                               \
    {                                                                                                                          \
        .name = "limit", .kind = OPTION_COUNT, .target = offsetof(struct common_options, limit), .argument = "N", .help = text \
    }

#define OPTION_ENTRY_GROUP                                                                                                     \
    {                                                                                                                          \
        .name = "group", .kind = OPTION_CHOICE, .target = offsetof(struct common_options, group), .argument = "BY",            \
        .choices = grouping_names,                                                                                             \
        .help = "library, file, category or class (or namespace) in place\nof functions: calls within one of them are "        \
                "merged; or\nthread; of allocations also size: how large blocks are"                                           \
    }

#define OPTION_ENTRY_FULL_NAMES                                                                                                \
    {                                                                                                                          \
        .name = "full-names", .kind = OPTION_FLAG, .target = offsetof(struct common_options, full_names),                      \
        .help = "names of functions with their template arguments"                                                             \
    }

extern const char *const colour_choices[];
#define OPTION_ENTRY_COLOUR                                                                                                    \
    {                                                                                                                          \
        .name = "color", .kind = OPTION_CHOICE, .target = offsetof(struct common_options, colour), .argument = "WHEN",         \
        .choices = colour_choices, .help = "auto (default: on a terminal, unless NO_COLOR is set),\nalways or never"           \
    }

/* --width, --color and --no-pager: of all that is text for people. */
#define OPTION_ENTRIES_TERMINAL                                                                                                \
    {.name = "width",                                                                                                          \
     .kind = OPTION_COUNT,                                                                                                     \
     .target = offsetof(struct common_options, width),                                                                         \
     .argument = "COLUMNS",                                                                                                    \
     .help = "shorten lines to this width, 0 = never (the terminal's\nwidth, else $COLUMNS, else 120)"},                       \
        OPTION_ENTRY_COLOUR,                                                                                                   \
    {                                                                                                                          \
        .name = "no-pager", .kind = OPTION_FLAG, .target = offsetof(struct common_options, no_pager),                          \
        .help = "write long text to the terminal, not through $PAGER"                                                          \
    }

#endif
