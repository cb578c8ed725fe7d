#include "report/template.h"

struct slice report_template(void)
{
    return SLICE("");
}
