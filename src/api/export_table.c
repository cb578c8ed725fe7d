#include "api/export_table.h"

#include "common/number_text.h"

#include <math.h>

int export_table_begin(struct export_table *table, const char *const *columns, bool as_json, struct byte_sink *sink,
                       struct error *error)
{
    *table = (struct export_table){.columns = columns, .out = {.sink = sink, .error = error}};
    if (!as_json)
        return 0;
    table->json = json_writer_open(sink, 0, error);
    if (!table->json)
        return error->code;
    json_write_begin_object(table->json);
    return 0;
}

void export_table_rows(struct export_table *table)
{
    if (table->json) {
        json_write_key(table->json, "rows");
        json_write_begin_array(table->json);
        return;
    }
    for (size_t i = 0; table->columns[i]; i++)
        export_print(&table->out, "%s%s", i > 0 ? "," : "", table->columns[i]);
    export_print(&table->out, "\r\n");
}

static void begin_cell(struct export_table *table)
{
    if (table->json && table->column == 0)
        json_write_begin_object(table->json);
    if (table->json)
        json_write_key(table->json, table->columns[table->column]);
    else if (table->column > 0)
        text_add_char(&table->out.text, ',');
    table->column++;
}

void export_table_text(struct export_table *table, struct slice text)
{
    begin_cell(table);
    if (!table->json)
        export_name(&table->out, text, NAME_CSV);
    else if (text.length > 0)
        json_write_string(table->json, text);
    else
        json_write_null(table->json);
}

void export_table_number(struct export_table *table, double number)
{
    char digits[NUMBER_TEXT_SIZE];
    begin_cell(table);
    if (table->json)
        json_write_number(table->json, number);
    else if (isfinite(number))
        text_add(&table->out.text, (struct slice){digits, number_text(number, digits)});
}

void export_table_count(struct export_table *table, uint32_t number)
{
    export_table_number(table, number);
}

bool export_table_next(struct export_table *table)
{
    table->column = 0;
    if (table->json) {
        json_write_end_object(table->json);
        return json_writer_ok(table->json);
    }
    export_print(&table->out, "\r\n");
    return export_flush(&table->out) == 0;
}

int export_table_end(struct export_table *table, int status)
{
    int written;
    if (table->json) {
        json_write_end_array(table->json);
        json_write_end_object(table->json);
        written = json_writer_close(table->json);
    } else {
        written = export_end(&table->out);
    }
    return status != 0 ? status : written;
}
