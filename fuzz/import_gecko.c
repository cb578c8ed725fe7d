/* Any bytes as a profile of a format to be recognised, mostly Gecko's: an error or a profile whose tables are in order, the
 * same for every way of cutting the bytes. */
#include "import_target.h"

#include "import/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_target(import_profile, data, size);
    return 0;
}
