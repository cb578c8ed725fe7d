/* What answers about a selection have in common, as JSON and for people. */
#ifndef SONDE_CLI_SELECTION_OUTPUT_H
#define SONDE_CLI_SELECTION_OUTPUT_H

#include "cli/selection.h"

/* The keys that all answers about samples start with: file (as `key_of_file`), thread, weightType, sampleCount, rootTotal,
 * inverted, transforms, and with --select selected. */
void json_put_selection(struct json_output *output, const struct selection *selection, const struct answer *answer,
                        const char *key_of_file);

/* The last two of these. */
void json_put_transforms(struct json_output *output, const struct selection *selection, const struct path *selected);

/* The keys func, name and lib of a function; of a group (--group) the name alone is known. */
void json_put_func(struct json_output *output, const struct func_list *funcs, uint32_t func);
/* Behind a number: `KEYError`, two standard errors (about 95 % are within); null where it has too few samples to tell. */
void json_put_uncertainty(struct json_output *output, const char *key, struct uncertainty uncertainty);
/* `tiers`, the shares of a function's tiers; nothing where it has none. */
void json_put_tiers(struct json_output *output, const struct tier_list *tiers, uint32_t func);

/* The head of an answer for people: which threads, what was filtered, and of an answer about samples (else NULL) how many. */
void print_selection(const struct selection *selection, const struct answer *answer, const struct terminal *terminal);

/* Of these the lines that say what was filtered. `line` is empty before and after. */
void print_filters(const struct selection *selection, struct line *line, const struct terminal *terminal);

/* The end of an answer for people: what became of the path of --select, where one was given. */
void print_selected(const struct selection *selection, const struct path *selected);

#endif
