/* Any bytes as the text of perf script: an error or a profile whose tables are in order, the same for every way of cutting the
 * bytes. */
#include "import_target.h"

#include "import/perf_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_target(perf_script_import, data, size);
    return 0;
}
