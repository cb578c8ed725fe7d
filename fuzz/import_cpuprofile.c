/* Any bytes as a V8 CPU profile: an error or a profile whose tables are in order, the same for every way of cutting the bytes.
 */
#include "import_target.h"

#include "import/cpuprofile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_target(cpuprofile_import, data, size);
    return 0;
}
