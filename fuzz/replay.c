/* Feeds a fuzz target known inputs: every file named on the command line, and every file of every folder named there. */
#include "target.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    /* Exactly as large as the input, so that the address sanitizer sees a read behind its end. */
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    int result = -1;
    if (file && bytes && fread(bytes, 1, size, file) == size)
        result = LLVMFuzzerTestOneInput(bytes, size);
    else
        fprintf(stderr, "%s: cannot read: %s\n", path, strerror(errno));
    free(bytes);
    if (file)
        fclose(file);
    return result;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE-OR-FOLDER...\n", argv[0]);
        return 2;
    }
    FTS *tree = fts_open(argv + 1, FTS_LOGICAL, NULL);
    unsigned replayed = 0, failed = 0;
    for (FTSENT *entry; tree && (entry = fts_read(tree));)
        if (entry->fts_info == FTS_F) {
            replayed++;
            failed += replay_file(entry->fts_accpath, (size_t)entry->fts_statp->st_size) != 0;
        }
    if (tree)
        fts_close(tree);
    printf("%u inputs\n", replayed);
    /* A corpus that is not where it should be must not look like one that passes. */
    return replayed > 0 && failed == 0 ? 0 : 1;
}
