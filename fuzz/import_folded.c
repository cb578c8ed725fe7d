/* Any bytes as folded stacks: an error or a profile whose tables are in order, the same for every way of cutting the bytes. */
#include "import_target.h"

#include "import/folded.h"

/* Millions of samples would take most of the time and show nothing that a thousand do not. */
static int import(struct byte_source *source, struct profile *profile, struct error *error)
{
    return folded_import_up_to(1000, source, profile, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_target(import, data, size);
    return 0;
}
