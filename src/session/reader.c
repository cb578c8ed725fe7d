/* Bytes are copied with pread, not read through a mapping: a file that is cut short meanwhile then gives fewer bytes, not a
 * SIGBUS. The kernel copies from the same pages that the writer has mapped. */
#include "session/reader.h"

#include "common/leb128.h"
#include "common/sort.h"
#include "session/chunk.h"
#include "session/descriptor.h"
#include "session/own_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct found_chunk {
    uint64_t number; /* its place in the file */
    uint64_t sequence, owner, start_ns;
    uint32_t kind;
    uint32_t used;
};

struct found_chunks {
    struct found_chunk *items;
    size_t count, capacity;
};

struct session_file {
    int fd;
    struct session_file_header header; /* as it was when the file was opened */
    char path[PATH_MAX];
    struct found_chunks owned; /* of SESSION/looks: all chunks, by owner, as the first visit of one found them */
    bool owned_known;
    uint8_t bytes[sizeof((struct chunk *)0)->bytes];
};

static void found_free(struct found_chunks *found)
{
    own_memory_unmap(found->items, found->capacity * sizeof *found->items);
}

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
    snprintf(file->path, sizeof file->path, "%s", path);
    /* Not blocking: it could be a pipe. */
    file->fd = descriptor_move_up(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat status;
    if (file->fd < 0 || fstat(file->fd, &status) != 0)
        error_set(error, -errno, "%.300s: %s", path, error_text(errno));
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
    found_free(&file->owned);
    own_memory_unmap(file, sizeof *file);
}

const char *session_file_path(const struct session_file *file)
{
    return file->path;
}

void session_file_header(const struct session_file *file, struct session_file_header *header)
{
    if (read_at(file, 0, header, sizeof *header) < sizeof *header)
        memcpy(header, &file->header, sizeof *header);
}

/* --- which chunks there are ---------------------------------------------------------------------------------------- */

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

enum wanted_chunks { WANT_OTHERS, WANT_KEPT, WANT_ALL };

static bool is_wanted(enum wanted_chunks wanted, uint32_t kind)
{
    return wanted == WANT_ALL || (kind == CHUNK_KEPT) == (wanted == WANT_KEPT);
}

/* Looks how far each of them reaches, and leaves those out that are not wanted, and those that were recycled meanwhile;
 * returns how many of the latter. */
static size_t measure_chunks(const struct session_file *file, enum wanted_chunks wanted, struct found_chunks *found)
{
    size_t left = 0, missed = 0;
    for (size_t i = 0; i < found->count; i++) {
        struct found_chunk *chunk = &found->items[i];
        struct chunk_header header;
        if (read_at(file, chunk_offset(chunk->number), &header, sizeof header) < sizeof header ||
            header.sequence != chunk->sequence) {
            missed++;
        } else if (is_wanted(wanted, header.kind)) {
            found->items[left++] =
                (struct found_chunk){chunk->number, chunk->sequence, header.owner, header.start_ns, header.kind, header.used};
        }
    }
    found->count = left;
    return missed;
}

/* What is kept before samples, these before markers, each by sequence. */
static bool is_before(const void *a, const void *b)
{
    const struct found_chunk *first = a, *second = b;
    return first->kind != second->kind ? first->kind < second->kind : first->sequence < second->sequence;
}

static bool is_before_by_owner(const void *a, const void *b)
{
    const struct found_chunk *first = a, *second = b;
    return first->owner != second->owner ? first->owner < second->owner : is_before(a, b);
}

/* --- what is in them ----------------------------------------------------------------------------------------------- */

struct visit {
    struct session_file *file;
    const struct session_visitor *visitor;
    void *data;
    struct session_reading *reading;
    struct error *error;
    size_t done, total; /* chunks */
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
    if (chunk->kind == CHUNK_SAMPLES && visit->visitor->chunk_changed)
        visit->visitor->chunk_changed(visit->data);
    if (chunk->kind == CHUNK_MARKERS && visit->visitor->markers_changed)
        visit->visitor->markers_changed(visit->data);
    return visit_entries(visit, (size_t)length, (size_t)length == chunk->used);
}

static int visit_chunks(struct visit *visit, const struct found_chunk *chunks, size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        result = visit_chunk(visit, &chunks[i]);
        visit->done++;
        if (visit->visitor->progress)
            visit->visitor->progress(visit->data, (double)visit->done / (double)visit->total);
    }
    return result;
}

static int chunks_not_found(struct error *error, int code)
{
    return error_set(error, code, "the session's chunks: %s", error_text(-code));
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
        reading->chunks_missed = measure_chunks(file, WANT_OTHERS, &others);
        result = find_chunks(file, &kept, &missing);
        reading->bad_chunks = missing;
    }
    if (result == 0) {
        measure_chunks(file, WANT_KEPT, &kept);
        sort_items(others.items, others.count, sizeof *others.items, is_before);
        sort_items(kept.items, kept.count, sizeof *kept.items, is_before);
        visit.total = kept.count + others.count;
        result = visit_chunks(&visit, kept.items, kept.count);
        if (result == 0)
            result = visit_chunks(&visit, others.items, others.count);
    } else {
        chunks_not_found(error, result);
    }
    found_free(&others);
    found_free(&kept);
    return result;
}

/* The first chunk about `owner` or, where there is none, about whoever comes next. */
static size_t first_of_owner(const struct found_chunks *chunks, uint64_t owner)
{
    size_t low = 0, high = chunks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (chunks->items[middle].owner < owner)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int session_file_visit_owner(struct session_file *file, uint64_t owner, const struct session_visitor *visitor, void *data,
                             struct session_reading *reading, struct error *error)
{
    *reading = (struct session_reading){.oldest_ns = UINT64_MAX};
    struct visit visit = {.file = file, .visitor = visitor, .data = data, .reading = reading, .error = error};
    struct found_chunks *chunks = &file->owned;
    if (!file->owned_known) {
        uint64_t missing;
        chunks->count = 0;
        int result = find_chunks(file, chunks, &missing);
        if (result != 0)
            return chunks_not_found(error, result);
        reading->chunks_missed = measure_chunks(file, WANT_ALL, chunks);
        reading->bad_chunks = missing;
        sort_items(chunks->items, chunks->count, sizeof *chunks->items, is_before_by_owner);
        file->owned_known = true;
    }
    size_t first = first_of_owner(chunks, owner), end = first;
    while (end < chunks->count && chunks->items[end].owner == owner)
        end++;
    visit.total = end - first;
    return end > first ? visit_chunks(&visit, chunks->items + first, end - first) : 0;
}
