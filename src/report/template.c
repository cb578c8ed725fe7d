#include "report/template.h"

/* Of template_data.S. */
extern const char report_template_start[], report_template_end[];

struct slice report_template(void)
{
    return (struct slice){report_template_start, (size_t)(report_template_end - report_template_start)};
}
