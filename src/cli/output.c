#include "cli/output.h"

#include "cli/exit_status.h"
#include "cli/report.h"

#include <errno.h>
#include <stdio.h>

static int report_output(const struct error *error)
{
    return report_file("standard output", error);
}

int json_output_open(struct json_output *output, const char *command)
{
    *output = (struct json_output){0};
    output->sink = byte_sink_create("-", PACKING_NONE, &output->error);
    if (output->sink)
        output->writer = json_writer_open(output->sink, 0, &output->error);
    if (!output->writer) {
        struct error second = {0};
        byte_sink_close(output->sink, false, &second);
        return report_output(&output->error);
    }
    char schema[60];
    snprintf(schema, sizeof schema, "sonde/%s/1", command);
    json_write_begin_object(output->writer);
    json_put_text(output, "schema", schema);
    return EXIT_OK;
}

int json_output_close(struct json_output *output)
{
    json_write_end_object(output->writer);
    int status = json_writer_close(output->writer);
    if (status == 0)
        status = byte_sink_write(output->sink, SLICE("\n"), &output->error);
    int closed = byte_sink_close(output->sink, status == 0, &output->error);
    return status == 0 && closed == 0 ? EXIT_OK : report_output(&output->error);
}

void json_put_text(struct json_output *output, const char *key, const char *text)
{
    json_write_key(output->writer, key);
    json_write_text(output->writer, text);
}

void json_put_slice(struct json_output *output, const char *key, struct slice text)
{
    json_write_key(output->writer, key);
    json_write_string(output->writer, text);
}

void json_put_slice_or_null(struct json_output *output, const char *key, struct slice text)
{
    if (text.length > 0)
        json_put_slice(output, key, text);
    else
        json_put_null(output, key);
}

void json_put_number(struct json_output *output, const char *key, double number)
{
    json_write_key(output->writer, key);
    json_write_number(output->writer, number);
}

void json_put_boolean(struct json_output *output, const char *key, bool boolean)
{
    json_write_key(output->writer, key);
    json_write_boolean(output->writer, boolean);
}

void json_put_null(struct json_output *output, const char *key)
{
    json_write_key(output->writer, key);
    json_write_null(output->writer);
}

void json_put_handle(struct json_output *output, const char *key, char letter, size_t number)
{
    char handle[32];
    snprintf(handle, sizeof handle, "%c-%zu", letter, number);
    json_put_text(output, key, handle);
}

void json_end_nodes(struct json_output *output, size_t *open, size_t depth)
{
    for (; *open > depth; --*open) {
        json_write_end_array(output->writer);
        json_write_end_object(output->writer);
    }
}

void output_line(struct line *line)
{
    if (line->bytes.count > 0)
        fwrite(line->bytes.items, 1, line->bytes.count, stdout);
    putchar('\n');
    line_clear(line);
}

int output_finish(bool failed)
{
    struct error error = {0};
    if (fflush(stdout) != 0 || ferror(stdout))
        error_set(&error, -errno, "%s", strerror(errno));
    else if (failed)
        error_out_of_memory(&error);
    return error.code == 0 ? EXIT_OK : report_output(&error);
}
