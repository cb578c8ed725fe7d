/* A process that is supplied with chunks from outside, and writes anything into its file: whoever supplies stays whole, gives
 * no chunk out that is not there, and reads which threads there are without harm.
 *
 * The input is a list of steps, each a byte that says what is done and the bytes that it needs. */
#include "session/supply.h"
#include "record/kept_threads.h"
#include "target.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNKS = 24, FILE_BYTES = SESSION_HEADER_BYTES + CHUNKS * CHUNK_BYTES };

struct input {
    const uint8_t *at, *end;
};

static uint8_t take_byte(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static uint64_t take_number(struct input *input, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)take_byte(input) << 8 * i;
    return number;
}

static int make_file(void)
{
    struct session_file_header header = {.magic = SESSION_MAGIC,
                                         .version = SESSION_VERSION,
                                         .header_bytes = SESSION_HEADER_BYTES,
                                         .chunk_bytes = CHUNK_BYTES,
                                         .chunk_count = 1,
                                         .chunks_most = CHUNKS};
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_check(fd >= 0 && ftruncate(fd, FILE_BYTES) == 0 && pwrite(fd, &header, sizeof header, 0) == sizeof header);
    return fd;
}

/* The process writes into its own file, wherever it likes. It is not made shorter, which nobody survives who has it mapped. */
static void write_anything(int fd, struct input *input, uint64_t offset)
{
    size_t length = take_byte(input);
    length = length < (size_t)(input->end - input->at) ? length : (size_t)(input->end - input->at);
    if (length > 0 && offset + length <= FILE_BYTES)
        fuzz_check(pwrite(fd, input->at, length, (off_t)offset) == (ssize_t)length);
    input->at += length;
}

/* As chunk_manager_take_supplied() does it. */
static void take_chunk(const struct supply *supply, struct input *input)
{
    _Atomic uint32_t *slot = &supply->view.header->supplied[take_byte(input) % SUPPLIED];
    uint32_t number = atomic_exchange(slot, 0);
    if (number == 0 || number > CHUNKS)
        return;
    struct chunk_header *header = &supply->view.chunks[number - 1].header;
    atomic_store(&header->kind, CHUNK_SAMPLES);
    if (take_byte(input) % 2)
        atomic_store(&header->done_ns, take_byte(input));
}

static void note_kept(void *data, const struct any_entry *entry)
{
    if (entry->kind == ENTRY_THREAD)
        *(uint64_t *)data += (uint64_t)entry->thread.tid + entry->thread.labels;
    else
        *(uint64_t *)data += entry->runtime.layout.length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    struct supply supply;
    struct kept_threads threads = {0};
    uint64_t sum = 0;
    int fd = make_file();
    if (take_byte(&input) % 8 == 0)
        write_anything(fd, &input, take_byte(&input)); /* it may be no session at all */
    if (supply_open(&supply, dup(fd)) != 0) {
        close(fd);
        return 0;
    }
    while (input.at < input.end) {
        switch (take_byte(&input) % 8) {
        case 0:
            supply.limit = take_number(&input, 3);
            break;
        case 1:
            write_anything(fd, &input, take_number(&input, 2) % SESSION_HEADER_BYTES);
            break;
        case 2:
            write_anything(fd, &input, SESSION_HEADER_BYTES + take_byte(&input) % CHUNKS * (uint64_t)CHUNK_BYTES);
            break;
        case 3:
            atomic_store(&supply.view.header->chunk_count, (uint32_t)take_number(&input, 1));
            break;
        case 4:
            atomic_store(&supply.view.header->supplied[take_byte(&input) % SUPPLIED], (uint32_t)take_number(&input, 1));
            break;
        case 5:
            take_chunk(&supply, &input);
            break;
        case 6:
            kept_threads_read(&threads, &supply, note_kept, &sum);
            fuzz_check(threads.chunk < CHUNKS && threads.offset <= CHUNK_BYTES);
            break;
        default:
            supply_turn(&supply);
            fuzz_check(supply.done_bytes <= supply.held && supply.held <= CHUNKS * CHUNK_BYTES);
        }
    }
    supply_end(&supply);
    close(fd);
    return 0;
}
