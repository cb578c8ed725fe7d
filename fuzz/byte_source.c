/* Any bytes as a packed file. The first byte says how the rest is cut into pieces; however it is cut, the same comes out. */
#include "target.h"

#include "common/byte_source.h"

/* Small inputs can unpack to gigabytes; this much shows all there is to see. */
enum { MOST = 1 << 20 };

static size_t unpack(struct slice packed, size_t piece, size_t capacity, char *out, struct error *error)
{
    struct byte_source *source = byte_source_memory(packed, piece, true, error);
    size_t count = 0;
    while (source && count + capacity <= MOST) {
        ssize_t got = source->read(source, out + count, capacity, error);
        fuzz_check(got == (ssize_t)error->code || got >= 0);
        if (got <= 0)
            break;
        fuzz_check((size_t)got <= capacity);
        count += (size_t)got;
    }
    byte_source_close(source);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char whole[MOST], cut[MOST];
    if (size == 0)
        return 0;
    struct slice packed = {(const char *)data + 1, size - 1};
    struct error error = {0}, cut_error = {0};
    size_t count = unpack(packed, 0, 1, whole, &error);
    size_t cut_count = unpack(packed, data[0], 1, cut, &cut_error);
    fuzz_check(error.code == cut_error.code);
    /* How much comes out before an error does depends on how much was unpacked along with it. */
    fuzz_check(error.code != 0 || count == cut_count);
    fuzz_check(memcmp(whole, cut, count < cut_count ? count : cut_count) == 0);
    return 0;
}
