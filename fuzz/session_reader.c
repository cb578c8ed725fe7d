/* Any bytes as a session file: whatever is in it is visited, and every frame and value of it read, without harm.
 *
 * A file of a session is mostly empty, so an input is its chunks one after the other, each with its kind, its number, and the
 * length of what is in it (two bytes). Inputs that begin with 'f' are files as they are. */
#include "target.h"

#include "session/chunk.h"
#include "session/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

struct visit {
    uint64_t sum; /* so that nothing read is left out by the compiler */
    size_t field_count;
    uint8_t inputs[MARKER_FIELDS_MAX];
};

static void read_text(struct visit *visit, struct slice text)
{
    for (size_t i = 0; i < text.length; i++)
        visit->sum += (uint8_t)text.text[i];
}

static void read_frames(struct visit *visit, const struct frames_slice *frames)
{
    struct frame_reader reader;
    struct frame_entry frame;
    frame_reader_init(&reader, frames);
    while (frame_reader_next(&reader, &frame)) {
        visit->sum += frame.address + frame.line + frame.column + frame.category;
        read_text(visit, frame.text);
        read_text(visit, frame.file);
    }
    /* The entry was checked in full. */
    fuzz_check(reader.left == 0 && reader.rest.length == 0);
}

/* Values of the type that came last, whether it is the marker's or not. */
static void read_values(struct visit *visit, struct slice values)
{
    for (size_t i = 0; i < visit->field_count; i++) {
        struct marker_value value;
        size_t before = values.length;
        if (!marker_value_read(&values, (enum marker_input)visit->inputs[i], &value)) {
            fuzz_check(values.length == before);
            break;
        }
        fuzz_check(values.length < before);
        if (value.input == INPUT_TEXT)
            read_text(visit, value.text);
    }
}

static int visit_entry(void *data, const struct any_entry *entry, struct error *error)
{
    (void)error;
    struct visit *visit = data;
    switch (entry->kind) {
    case ENTRY_PROCESS:
        read_text(visit, entry->process.name);
        read_text(visit, entry->process.executable);
        read_text(visit, entry->process.arguments);
        break;
    case ENTRY_CONFIGURATION:
        read_text(visit, entry->configuration.feature_names);
        read_text(visit, entry->configuration.filters);
        break;
    case ENTRY_CATEGORY:
        read_text(visit, entry->category.name);
        read_text(visit, entry->category.colour);
        read_text(visit, entry->category.subcategories);
        break;
    case ENTRY_THREAD:
        read_text(visit, entry->thread.name);
        break;
    case ENTRY_THREAD_NAME:
        read_text(visit, entry->thread_name.name);
        break;
    case ENTRY_MODULE:
        read_text(visit, entry->module.path);
        read_text(visit, entry->module.build_id);
        break;
    case ENTRY_MARKER_TYPE:
        fuzz_check(entry->marker_type.field_count <= MARKER_FIELDS_MAX);
        visit->field_count = entry->marker_type.field_count;
        for (size_t i = 0; i < visit->field_count; i++) {
            fuzz_check(entry->marker_type.fields[i].input < INPUT_COUNT);
            visit->inputs[i] = entry->marker_type.fields[i].input;
            read_text(visit, entry->marker_type.fields[i].key);
        }
        break;
    case ENTRY_COUNTER:
        read_text(visit, entry->counter.name);
        read_text(visit, entry->counter.category);
        read_text(visit, entry->counter.description);
        break;
    case ENTRY_STACK:
        fuzz_check(entry->stack.shared + entry->stack.frames.count <= STACK_FRAMES_MAX);
        read_frames(visit, &entry->stack.frames);
        break;
    case ENTRY_MARKER:
        fuzz_check(entry->marker.phase <= MARKER_END);
        fuzz_check(entry->marker.phase != MARKER_INTERVAL || entry->marker.end >= entry->marker.start);
        read_text(visit, entry->marker.name);
        read_frames(visit, &entry->marker.stack);
        read_values(visit, entry->marker.values);
        break;
    default:
        fuzz_check(entry->kind > 0 && entry->kind < ENTRY_KIND_COUNT);
    }
    return 0;
}

static void write_at(int fd, uint64_t offset, const void *bytes, size_t length)
{
    fuzz_check(pwrite(fd, bytes, length, (off_t)offset) == (ssize_t)length);
}

static void write_chunks(int fd, const uint8_t *data, size_t size)
{
    struct session_file_header header = {
        .version = SESSION_VERSION, .header_bytes = SESSION_HEADER_BYTES, .chunk_bytes = CHUNK_BYTES};
    memcpy(header.magic, SESSION_MAGIC, sizeof header.magic);
    uint32_t count = 0;
    while (size >= 4) {
        struct chunk_header chunk = {.kind = data[0], .sequence = data[1], .previous = data[1] - 1u};
        size_t length = data[2] | (size_t)data[3] << 8;
        chunk.used = (uint32_t)length;
        data += 4;
        size -= 4;
        /* What the last one says may be more than there is. */
        size_t there = length < size ? length : size;
        uint64_t offset = SESSION_HEADER_BYTES + (uint64_t)count++ * CHUNK_BYTES;
        write_at(fd, offset, &chunk, sizeof chunk);
        write_at(fd, offset + sizeof chunk, data, there < sizeof((struct chunk *)0)->bytes ? there : 0);
        data += there;
        size -= there;
    }
    header.chunk_count = count;
    write_at(fd, 0, &header, sizeof header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("session", MFD_CLOEXEC);
    fuzz_check(fd >= 0);
    if (size > 0 && data[0] == 'f')
        write_at(fd, 0, data + 1, size - 1);
    else
        write_chunks(fd, data, size);
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    fuzz_check((file != NULL) == (error.code == 0));
    if (file) {
        struct visit visit = {0};
        struct session_reading reading;
        fuzz_check(session_file_visit(file, &(struct session_visitor){.entry = visit_entry}, &visit, &reading, &error) == 0);
        session_file_close(file);
    }
    close(fd);
    return 0;
}
