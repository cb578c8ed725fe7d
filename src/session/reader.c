/* Bytes are copied with pread, not read through a mapping: a file that is cut short meanwhile then gives fewer bytes, not a
 * SIGBUS. The kernel copies from the same pages that the writer has mapped. */
#include "session/reader.h"

#include "common/leb128.h"
#include "session/chunk.h"
#include "session/descriptor.h"
#include "session/own_memory.h"
#include "session/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct session_file {
    int fd;
    struct session_file_header header; /* as it was when the file was opened */
    uint8_t bytes[sizeof((struct chunk *)0)->bytes];
};

/* How many bytes there were. */
static size_t read_at(const struct session_file *file, uint64_t offset, void *out, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t got = pread(file->fd, (char *)out + done, length - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    /* Acquire: what is read next is not older than this. The fence also holds for what the kernel copied for us. */
    atomic_thread_fence(memory_order_acquire);
    return done;
}

static int check_header(const struct session_file *file, const char *path, size_t length, struct error *error)
{
    static const char nothing[sizeof SESSION_MAGIC - 1];
    const struct session_file_header *header = &file->header;
    if (length == 0 || (length >= sizeof nothing && memcmp(header->magic, nothing, sizeof nothing) == 0))
        return error_set(error, -ENODATA, "%.300s: nothing was recorded into it", path);
    if (length < sizeof *header || memcmp(header->magic, SESSION_MAGIC, sizeof header->magic) != 0)
        return error_set(error, -EINVAL, "%.300s: not a session file", path);
    if (header->version != SESSION_VERSION || header->header_bytes != SESSION_HEADER_BYTES ||
        header->chunk_bytes != CHUNK_BYTES)
        return error_set(error, -EINVAL, "%.300s: a session file of version %u, this reads version %d", path, header->version,
                         SESSION_VERSION);
    return 0;
}

struct session_file *session_file_open(const char *path, struct error *error)
{
    struct session_file *file = own_memory_map(sizeof *file);
    if (!file) {
        error_out_of_memory(error);
        return NULL;
    }
    /* Not blocking: it could be a pipe. */
    file->fd = descriptor_move_up(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat status;
    if (file->fd < 0 || fstat(file->fd, &status) != 0)
        error_set(error, -errno, "%.300s: %s", path, strerrordesc_np(errno));
    else if (!S_ISREG(status.st_mode))
        error_set(error, -EINVAL, "%.300s: not a session file", path);
    else if (check_header(file, path, read_at(file, 0, &file->header, sizeof file->header), error) == 0)
        return file;
    session_file_close(file);
    return NULL;
}

void session_file_close(struct session_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    own_memory_unmap(file, sizeof *file);
}

void session_file_header(const struct session_file *file, struct session_file_header *header)
{
    if (read_at(file, 0, header, sizeof *header) < sizeof *header)
        memcpy(header, &file->header, sizeof *header);
}

/* --- which chunks there are ---------------------------------------------------------------------------------------- */

struct found_chunk {
    uint64_t number; /* its place in the file */
    uint64_t sequence, previous, start_ns;
    uint32_t kind;
    uint32_t used;
};

struct found_chunks {
    struct found_chunk *items;
    size_t count, capacity;
};

static uint64_t chunk_offset(uint64_t number)
{
    return SESSION_HEADER_BYTES + number * CHUNK_BYTES;
}

static bool add_found(struct found_chunks *found, const struct found_chunk *chunk)
{
    if (found->count == found->capacity) {
        size_t size = sizeof *found->items, capacity = found->capacity > 0 ? found->capacity * 2 : 1024;
        void *items = own_memory_grow(found->items, found->capacity * size, capacity * size);
        if (!items)
            return false;
        found->items = items;
        found->capacity = capacity;
    }
    found->items[found->count++] = *chunk;
    return true;
}

/* The first chunk from `number` on that is not in a hole of the file: a file can say that it is huge and be empty. */
static uint64_t skip_hole(const struct session_file *file, uint64_t number, uint64_t count)
{
    off_t data = lseek(file->fd, (off_t)chunk_offset(number), SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? count : number;
    uint64_t chunk = (uint64_t)data < SESSION_HEADER_BYTES ? 0 : ((uint64_t)data - SESSION_HEADER_BYTES) / CHUNK_BYTES;
    return chunk > number ? chunk : number;
}

/* Adds all chunks that are in use, so far only by their sequence numbers. `*missing` gets how many there should be that the
 * file is too short for. */
static int find_chunks(const struct session_file *file, struct found_chunks *found, uint64_t *missing)
{
    struct session_file_header header;
    struct stat status;
    session_file_header(file, &header);
    if (fstat(file->fd, &status) != 0)
        return -errno;
    uint64_t count = header.chunk_count, size = (uint64_t)status.st_size;
    /* One that is cut off counts, too. */
    uint64_t there = size <= SESSION_HEADER_BYTES ? 0 : (size - SESSION_HEADER_BYTES + CHUNK_BYTES - 1) / CHUNK_BYTES;
    *missing = count > there ? count - there : 0;
    count -= *missing;
    for (uint64_t number = 0; number < count; number++) {
        struct found_chunk chunk = {.number = number};
        size_t length = sizeof chunk.sequence;
        if (read_at(file, chunk_offset(number), &chunk.sequence, length) < length || chunk.sequence == 0) {
            uint64_t next = skip_hole(file, number, count);
            number = next > number ? next - 1 : number;
        } else if (!add_found(found, &chunk)) {
            return -ENOMEM;
        }
    }
    return 0;
}

/* Looks how far each of them reaches, and leaves those out that are CHUNK_KEPT, or are not, and those that were recycled
 * meanwhile; returns how many of the latter. */
static size_t measure_chunks(const struct session_file *file, bool kept, struct found_chunks *found)
{
    size_t left = 0, missed = 0;
    for (size_t i = 0; i < found->count; i++) {
        struct found_chunk *chunk = &found->items[i];
        struct chunk_header header;
        if (read_at(file, chunk_offset(chunk->number), &header, sizeof header) < sizeof header ||
            header.sequence != chunk->sequence) {
            missed++;
        } else if ((header.kind == CHUNK_KEPT) == kept) {
            found->items[left++] = (struct found_chunk){chunk->number,   chunk->sequence, header.previous,
                                                        header.start_ns, header.kind,     header.used};
        }
    }
    found->count = left;
    return missed;
}

/* Samples before markers, each by sequence. */
static bool is_before(const void *a, const void *b)
{
    const struct found_chunk *first = a, *second = b;
    return first->kind != second->kind ? first->kind < second->kind : first->sequence < second->sequence;
}

/* --- what is in them ----------------------------------------------------------------------------------------------- */

struct visit {
    struct session_file *file;
    const struct session_visitor *visitor;
    void *data;
    struct session_reading *reading;
    struct error *error;
    uint64_t last_samples; /* sequence number of the chunk of samples read last; 0 = none yet */
    size_t done, total;    /* chunks */
};

/* Copies what the chunk held when it was looked at; returns how many bytes, or -1 where it was recycled meanwhile. */
static ssize_t copy_chunk(struct session_file *file, const struct found_chunk *chunk)
{
    uint64_t offset = chunk_offset(chunk->number), sequence;
    size_t wanted = chunk->used < sizeof file->bytes ? chunk->used : sizeof file->bytes;
    size_t got = read_at(file, offset + CHUNK_HEADER_BYTES, file->bytes, wanted);
    if (read_at(file, offset, &sequence, sizeof sequence) < sizeof sequence || sequence != chunk->sequence)
        return -1;
    return (ssize_t)got;
}

static int visit_entries(struct visit *visit, size_t length, bool whole)
{
    const uint8_t *at = visit->file->bytes, *end = at + length;
    while (at < end) {
        uint64_t size;
        size_t prefix = leb128_read(at, end, &size);
        struct any_entry entry;
        if (prefix == 0 || size > (uint64_t)(end - at) - prefix ||
            !entry_read((struct slice){(const char *)at + prefix, (size_t)size}, &entry)) {
            visit->reading->bad_entries++;
            return 0;
        }
        int result = visit->visitor->entry(visit->data, &entry, visit->error);
        if (result != 0)
            return result;
        at += prefix + size;
    }
    visit->reading->bad_entries += !whole;
    return 0;
}

static int visit_chunk(struct visit *visit, const struct found_chunk *chunk)
{
    struct session_reading *reading = visit->reading;
    ssize_t length = copy_chunk(visit->file, chunk);
    if (length >= 0 && (chunk->kind == CHUNK_FREE || chunk->kind > CHUNK_MARKERS)) {
        reading->bad_chunks++;
        return 0;
    }
    if (length < 0) {
        reading->chunks_missed++;
        return 0;
    }
    reading->chunks_read++;
    reading->bytes_read += (uint64_t)length;
    if (chunk->kind != CHUNK_KEPT && chunk->start_ns < reading->oldest_ns)
        reading->oldest_ns = chunk->start_ns;
    if (chunk->kind == CHUNK_SAMPLES) {
        if (visit->visitor->chunk_changed)
            visit->visitor->chunk_changed(visit->data, chunk->previous != visit->last_samples);
        visit->last_samples = chunk->sequence;
    }
    return visit_entries(visit, (size_t)length, (size_t)length == chunk->used);
}

static int visit_chunks(struct visit *visit, const struct found_chunks *chunks)
{
    int result = 0;
    for (size_t i = 0; i < chunks->count && result == 0; i++) {
        result = visit_chunk(visit, &chunks->items[i]);
        visit->done++;
        if (visit->visitor->progress)
            visit->visitor->progress(visit->data, (double)visit->done / (double)visit->total);
    }
    return result;
}

int session_file_visit(struct session_file *file, const struct session_visitor *visitor, void *data,
                       struct session_reading *reading, struct error *error)
{
    *reading = (struct session_reading){.oldest_ns = UINT64_MAX};
    struct visit visit = {.file = file, .visitor = visitor, .data = data, .reading = reading, .error = error};
    /* A thread's chunks are seen up to one moment, although it goes on: how far they reach is settled when all were found, so
     * if one is among them the one before it was full by then. And it is settled before the kept chunks are looked for, so
     * everything that samples and markers refer to is among those: it was written first. */
    struct found_chunks others = {0}, kept = {0};
    uint64_t missing;
    int result = find_chunks(file, &others, &missing);
    if (result == 0) {
        reading->chunks_missed = measure_chunks(file, false, &others);
        result = find_chunks(file, &kept, &missing);
        reading->bad_chunks = missing;
    }
    if (result == 0) {
        measure_chunks(file, true, &kept);
        sort_items(others.items, others.count, sizeof *others.items, is_before);
        sort_items(kept.items, kept.count, sizeof *kept.items, is_before);
        visit.total = kept.count + others.count;
        result = visit_chunks(&visit, &kept);
        if (result == 0)
            result = visit_chunks(&visit, &others);
    } else {
        error_set(error, result, "the session's chunks: %s", strerrordesc_np(-result));
    }
    own_memory_unmap(others.items, others.capacity * sizeof *others.items);
    own_memory_unmap(kept.items, kept.capacity * sizeof *kept.items);
    return result;
}
