#include "cli/options.h"

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/nearest.h"
#include "cli/report.h"
#include "common/decimal.h"
#include "common/slice.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

int usage_error(const struct command *command, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    report("%s (see 'sonde%s%s --help')", message, command ? " " : "", command ? command->name : "");
    return EXIT_USAGE;
}

/* ---- values ---- */

static bool parse_count(const char *text, size_t *value)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *value = (size_t)number;
    return *end == '\0' && errno == 0 && number <= SIZE_MAX;
}

/* A number of bytes, with a unit or without. */
static bool parse_size(const char *text, size_t *value)
{
    static const struct {
        const char *name;
        size_t bytes;
    } units[] = {
        {"", 1},          {"B", 1},           {"K", 1 << 10}, {"KiB", 1 << 10},  {"M", 1 << 20},       {"MiB", 1 << 20},
        {"G", 1ul << 30}, {"GiB", 1ul << 30}, {"KB", 1000ul}, {"MB", 1000000ul}, {"GB", 1000000000ul},
    };
    char digits[24];
    size_t length = strspn(text, "0123456789");
    if (length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcasecmp(text + length, units[i].name) == 0)
            return parse_count(digits, value) && !__builtin_mul_overflow(*value, units[i].bytes, value);
    return false;
}

static int bad_value(const struct command *command, const struct option *option, const char *value, const char *wanted)
{
    return usage_error(command, "--%s: '%s' is not %s", option->name, value, wanted);
}

static int store_choice(const struct command *command, const struct option *option, const char *value, int *target)
{
    char wanted[300] = "one of";
    struct nearest nearest;
    nearest_start(&nearest, slice_of(value));
    for (int i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], value) == 0) {
            *target = i;
            return OPTIONS_GO_ON;
        }
        nearest_offer(&nearest, slice_of(option->choices[i]));
        size_t used = strlen(wanted);
        snprintf(wanted + used, sizeof wanted - used, "%s %s", i == 0 ? "" : ",", option->choices[i]);
    }
    size_t used = strlen(wanted);
    if (nearest.best.text)
        snprintf(wanted + used, sizeof wanted - used, "; did you mean '%s'?", nearest.best.text);
    return bad_value(command, option, value, wanted);
}

static int add_text(struct text_list *list, const char *text)
{
    if (vec_push(&list->values, text))
        return OPTIONS_GO_ON;
    report("out of memory");
    return EXIT_DATA;
}

static int store(const struct command *command, const struct option *option, const char *value, void *options)
{
    void *target = (char *)options + option->target;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)target = true;
        break;
    case OPTION_TEXT:
        *(const char **)target = value;
        break;
    case OPTION_MAYBE:
        *(const char **)target = value ? value : "";
        break;
    case OPTION_LIST:
        return add_text(target, value);
    case OPTION_COUNT: {
        struct optional_count *count = target;
        count->given = true;
        if (!parse_count(value, &count->value))
            return bad_value(command, option, value, "a whole number");
        break;
    }
    case OPTION_SIZE: {
        struct optional_count *count = target;
        count->given = true;
        if (!parse_size(value, &count->value))
            return bad_value(command, option, value, "a size, such as 512MiB or 2G");
        break;
    }
    case OPTION_NUMBER: {
        struct optional_number *number = target;
        number->given = true;
        if (!parse_decimal(value, strlen(value), &number->value) || number->value < 0)
            return bad_value(command, option, value, option->wanted ? option->wanted : "a number from 0 on");
        break;
    }
    case OPTION_RANGE: {
        struct seconds_range *range = target;
        if (!range_option_parse(value, range))
            return bad_value(command, option, value, "A,B in seconds, such as 1.5,3 or ,3ms or 2s,+5ms");
        if (range_option_is_backwards(range))
            return usage_error(command, "--%s: '%s' ends before it starts", option->name, value);
        break;
    }
    case OPTION_DURATION: {
        struct optional_number *duration = target;
        duration->given = true;
        if (!duration_parse(value, 1e-3, &duration->value))
            return bad_value(command, option, value, "a time, such as 5ms, 200us or 1.5s");
        duration->value *= 1e3;
        break;
    }
    case OPTION_CHOICE:
        return store_choice(command, option, value, target);
    }
    return OPTIONS_GO_ON;
}

/* ---- names ---- */

static const struct option *find_long(const struct command *command, struct slice name)
{
    for (const struct option_group *const *group = command->groups; *group; group++)
        for (const struct option *option = (*group)->options; option->name; option++)
            if (slice_equal(slice_of(option->name), name))
                return option;
    return NULL;
}

static const struct option *find_letter(const struct command *command, char letter)
{
    for (const struct option_group *const *group = command->groups; *group; group++)
        for (const struct option *option = (*group)->options; option->name; option++)
            if (option->letter == letter)
                return option;
    return NULL;
}

static int unknown_option(const struct command *command, struct slice name)
{
    const struct command *other = command_with_option(name);
    if (other)
        return usage_error(command, "'sonde %s' has no option '--%.*s', but 'sonde %s' has", command->name, (int)name.length,
                           name.text, other->name);
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (const struct option_group *const *group = command->groups; *group; group++)
        for (const struct option *option = (*group)->options; option->name; option++)
            nearest_offer(&nearest, slice_of(option->name));
    if (nearest.best.text)
        return usage_error(command, "unknown option '--%.*s'; did you mean '--%.*s'?", (int)name.length, name.text,
                           (int)nearest.best.length, nearest.best.text);
    return usage_error(command, "unknown option '--%.*s'", (int)name.length, name.text);
}

/* ---- the command line ---- */

struct command_line {
    const struct command *command;
    char **next, **end;
    void *options;
};

/* `--name`, `--name=value` or `--name value`. */
static int parse_long(struct command_line *line, const char *text)
{
    struct slice name = slice_of(text);
    const char *value = strchr(text, '=');
    if (value)
        name.length = (size_t)(value++ - text);

    const struct option *option = find_long(line->command, name);
    if (!option)
        return unknown_option(line->command, name);
    if (option->kind == OPTION_FLAG && value)
        return usage_error(line->command, "--%s takes no value", option->name);
    if (option->kind != OPTION_FLAG && option->kind != OPTION_MAYBE && !value) {
        if (line->next == line->end)
            return usage_error(line->command, "--%s needs a value: %s", option->name, option->argument);
        value = *line->next++;
    }
    return store(line->command, option, value, line->options);
}

/* `-i`, `-ij` or `-oVALUE` or `-o VALUE`. */
static int parse_letters(struct command_line *line, const char *text)
{
    for (; *text; text++) {
        if (*text == 'h')
            return help_print_command(line->command);
        const struct option *option = find_letter(line->command, *text);
        if (!option)
            return usage_error(line->command, "unknown option '-%c'", *text);
        if (option->kind == OPTION_FLAG) {
            store(line->command, option, NULL, line->options);
            continue;
        }
        const char *value = text + 1;
        if (*value == '\0') {
            if (line->next == line->end)
                return usage_error(line->command, "-%c needs a value: %s", option->letter, option->argument);
            value = *line->next++;
        }
        return store(line->command, option, value, line->options);
    }
    return OPTIONS_GO_ON;
}

int options_parse(const struct command *command, int count, char **arguments, void *options)
{
    struct command_line line = {command, arguments, arguments + count, options};
    const char **file = options;
    char ***words = options;
    bool operands_only = false;
    while (line.next < line.end) {
        const char *argument = *line.next++;
        int status = OPTIONS_GO_ON;
        if (operands_only || argument[0] != '-' || argument[1] == '\0') {
            if (command->takes_words) {
                *words = line.next - 1;
                return OPTIONS_GO_ON;
            }
            if (command->many_files) {
                status = add_text(options, argument);
                if (status != OPTIONS_GO_ON)
                    return status;
            } else if (*file && command->second_operand && !file[1])
                file[1] = argument;
            else if (*file)
                return usage_error(command,
                                   command->second_operand ? "here is one word too many: '%s'"
                                                           : "one FILE is enough, but here is another: '%s'",
                                   argument);
            else
                *file = argument;
        } else if (strcmp(argument, "--") == 0) {
            operands_only = true;
        } else if (strcmp(argument, "--help") == 0) {
            return help_print_command(command);
        } else if (argument[1] == '-') {
            status = parse_long(&line, argument + 2);
        } else {
            status = parse_letters(&line, argument + 1);
        }
        if (status != OPTIONS_GO_ON)
            return status;
    }
    bool is_there = command->many_files ? ((const struct text_list *)options)->values.count > 0 : *file != NULL;
    if (!is_there && !command->optional_file)
        return usage_error(command, "no %s given",
                           command->takes_words ? "command"
                           : command->operand   ? command->operand
                                                : "FILE");
    if (command->second_operand && !file[1])
        return usage_error(command, "no %s given", command->second_operand);
    return OPTIONS_GO_ON;
}

void options_free(const struct command *command, void *options)
{
    if (command->many_files)
        vec_free(&((struct text_list *)options)->values);
    for (const struct option_group *const *group = command->groups; *group; group++)
        for (const struct option *option = (*group)->options; option->name; option++)
            if (option->kind == OPTION_LIST)
                vec_free(&((struct text_list *)((char *)options + option->target))->values);
}
