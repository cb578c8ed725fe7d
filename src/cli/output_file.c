#include "cli/output_file.h"

#include "cli/report.h"

#include <string.h>

const char *output_file_name(const char *output)
{
    return strcmp(output, "-") == 0 ? "standard output" : output;
}

int output_file_write(const char *output, int (*write)(const void *data, struct byte_sink *sink, struct error *error),
                      const void *data)
{
    struct error error = {0};
    struct byte_sink *sink = byte_sink_create(output, byte_packing_of_name(output), &error);
    int status = -1;
    if (sink) {
        status = write(data, sink, &error);
        int closed = byte_sink_close(sink, status == 0, &error);
        if (status == 0)
            status = closed;
    }
    return status == 0 ? EXIT_OK : report_file(output_file_name(output), &error);
}
