/* Standard output, as JSON or as text, and what can go wrong with it: a full disk, a closed pipe. */
#ifndef SONDE_CLI_OUTPUT_H
#define SONDE_CLI_OUTPUT_H

#include "common/json_writer.h"
#include "print/text.h"

struct json_output {
    struct json_writer *writer;
    struct byte_sink *sink;
    struct error error;
};

/* Starts the object every command prints with --json, up to and including `schema`. 0, or the exit status after the error was
 * reported. */
int json_output_open(struct json_output *output, const char *command);

/* Ends the object. The exit status. */
int json_output_close(struct json_output *output);

/* A key with its value. A number that is NaN is written as null. */
void json_put_text(struct json_output *output, const char *key, const char *text);
void json_put_slice(struct json_output *output, const char *key, struct slice text);
void json_put_slice_or_null(struct json_output *output, const char *key, struct slice text); /* empty = null */
void json_put_number(struct json_output *output, const char *key, double number);
void json_put_boolean(struct json_output *output, const char *key, bool boolean);
void json_put_null(struct json_output *output, const char *key);

/* A handle such as f-12. */
void json_put_handle(struct json_output *output, const char *key, char letter, size_t number);

/* Of a tree that is written depth first, each node an object that ends with an array of its children: ends those that are open
 * down to `depth`. */
void json_end_nodes(struct json_output *output, size_t *open, size_t depth);

/* Writes a line of text and empties it. */
void output_line(struct line *line);

/* After the last line: EXIT_OK, or EXIT_DATA after saying that not all of it could be written. `failed`: memory ran out. */
int output_finish(bool failed);

#endif
