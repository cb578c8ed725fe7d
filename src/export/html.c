#include "export/html.h"

#include "common/byte_source.h"
#include "common/pack_sink.h"
#include "common/text_buffer.h"
#include "export/exporter.h"

static int write_template(struct slice template, struct byte_sink *sink, struct error *error)
{
    struct byte_source *source = byte_source_memory(template, 0, true, error);
    char buffer[16 << 10];
    ssize_t count = source ? 1 : error->code;
    while (count > 0) {
        count = source->read(source, buffer, sizeof buffer, error);
        if (count > 0 && byte_sink_write(sink, (struct slice){buffer, (size_t)count}, error) < 0)
            count = error->code;
    }
    byte_source_close(source);
    return (int)count;
}

/* ---- the profile ---- */

static void add_attribute(struct text_buffer *text, struct slice name, struct slice value)
{
    text_add(text, name);
    text_add(text, SLICE("=\""));
    for (size_t i = 0; i < value.length; i++) {
        switch (value.text[i]) {
        case '&':
            text_add(text, SLICE("&amp;"));
            break;
        case '"':
            text_add(text, SLICE("&quot;"));
            break;
        case '<':
            text_add(text, SLICE("&lt;"));
            break;
        case '\r': /* alone it would be read as the end of a line */
            text_add(text, SLICE("&#13;"));
            break;
        default:
            text_add_char(text, value.text[i]);
        }
    }
    text_add_char(text, '"');
}

static int write_start(struct slice class, struct slice name, struct slice view, struct byte_sink *sink, struct error *error)
{
    struct text_buffer start = {0};
    text_add(&start, SLICE("<script type=\"application/octet-stream\""));
    add_attribute(&start, SLICE(" class"), class);
    add_attribute(&start, SLICE(" data-name"), name);
    add_attribute(&start, SLICE(" data-view"), view);
    text_add_char(&start, '>');
    int failed = start.failed ? error_out_of_memory(error) : byte_sink_write(sink, text_slice(&start), error);
    text_free(&start);
    return failed;
}

static int write_profile(const struct profile *profile, struct byte_sink *sink, struct error *error)
{
    struct byte_sink *base64 = base64_sink_open(sink, error);
    struct byte_sink *packed = base64 ? gzip_sink_open(base64, error) : NULL;
    if (!packed)
        return error->code;
    int failed = export_processed(profile, packed, error);
    int closed = byte_sink_close(packed, !failed, error);
    return failed ? failed : closed;
}

int export_html(const struct html_report *report, struct byte_sink *sink, struct error *error)
{
    int failed = write_template(report->template, sink, error);
    if (!failed)
        failed = write_start(SLICE("sonde-profile"), report->name, report->view, sink, error);
    if (!failed)
        failed = write_profile(report->profile, sink, error);
    if (!failed && report->base)
        failed = byte_sink_write(sink, SLICE("</script>\n"), error);
    if (!failed && report->base)
        failed = write_start(SLICE("sonde-base"), report->base_name, SLICE(""), sink, error);
    if (!failed && report->base)
        failed = write_profile(report->base, sink, error);
    return failed ? failed : byte_sink_write(sink, SLICE("</script>\n</body>\n</html>\n"), error);
}
