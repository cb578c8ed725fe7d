#include "session/trim.h"

#include "session/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 4096 };

/* A range to be given back, that grows while it meets its neighbours: each call costs as much as a large one. */
struct hole {
    uint64_t start, end;
};

static void punch(int fd, const struct hole *hole)
{
    /* Where the file system cannot do it the space stays taken, which does no harm. */
    if (hole->end > hole->start)
        (void)!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)hole->start, (off_t)(hole->end - hole->start));
}

static void add_to_hole(int fd, struct hole *hole, uint64_t start, uint64_t end)
{
    if (start != hole->end) {
        punch(fd, hole);
        hole->start = start;
    }
    hole->end = end;
}

static uint64_t chunk_offset(uint64_t number)
{
    return SESSION_HEADER_BYTES + number * CHUNK_BYTES;
}

/* How many chunks are there; or a negative errno. */
static int64_t count_chunks(int fd)
{
    struct session_file_header header;
    struct stat status;
    if (pread(fd, &header, sizeof header, 0) != sizeof header || fstat(fd, &status) != 0 ||
        memcmp(header.magic, SESSION_MAGIC, sizeof header.magic) != 0 || header.version != SESSION_VERSION ||
        header.header_bytes != SESSION_HEADER_BYTES || header.chunk_bytes != CHUNK_BYTES)
        return -EINVAL;
    uint64_t size = (uint64_t)status.st_size;
    uint64_t there = size <= SESSION_HEADER_BYTES ? 0 : (size - SESSION_HEADER_BYTES) / CHUNK_BYTES;
    return (int64_t)(header.chunk_count < there ? header.chunk_count : there);
}

/* The first chunk from `number` on that has disk space: a file can say that it is huge and be empty. */
static uint64_t skip_hole(int fd, uint64_t number, uint64_t count)
{
    off_t data = lseek(fd, (off_t)chunk_offset(number), SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? count : number;
    uint64_t chunk = (uint64_t)data < SESSION_HEADER_BYTES ? 0 : ((uint64_t)data - SESSION_HEADER_BYTES) / CHUNK_BYTES;
    return chunk > number ? chunk : number;
}

int session_trim(int fd, void (*each)(void *data, const struct trimmed_chunk *chunk), void *data)
{
    int64_t count = count_chunks(fd);
    if (count < 0)
        return (int)count;
    struct hole hole = {0, 0};
    for (uint64_t number = 0; number < (uint64_t)count; number++) {
        struct chunk_header header;
        uint64_t offset = chunk_offset(number), end = offset + CHUNK_BYTES;
        if (pread(fd, &header, sizeof header, (off_t)offset) != sizeof header)
            break;
        bool empty = header.sequence == 0 || header.kind == CHUNK_FREE || header.kind > CHUNK_MARKERS;
        if (empty) {
            uint64_t next = skip_hole(fd, number, (uint64_t)count);
            if (next > number)
                number = next - 1;
            else
                add_to_hole(fd, &hole, offset, end);
            continue;
        }
        uint64_t used = CHUNK_HEADER_BYTES + (uint64_t)header.used;
        used = used < CHUNK_BYTES ? (used + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES : CHUNK_BYTES;
        if (used < CHUNK_BYTES)
            add_to_hole(fd, &hole, offset + used, end);
        if (each)
            each(data, &(struct trimmed_chunk){(uint32_t)number, header.kind, used, header.start_ns, header.done_ns});
    }
    punch(fd, &hole);
    return 0;
}

void session_trim_chunk(int fd, uint32_t number)
{
    uint64_t none = 0, offset = chunk_offset(number);
    /* First the number, as whoever recycles a chunk does: a reader that copied half of what was there notices. */
    if (pwrite(fd, &none, sizeof none, (off_t)offset) == sizeof none)
        punch(fd, &(struct hole){offset, offset + CHUNK_BYTES});
}
