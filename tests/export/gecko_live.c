/* A session that is still being written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/gecko_document.h"
#include "support/session_draw.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct recording {
    struct session_draw *draw;
    atomic_bool stop;
};

/* A thread that is sampled and marks, and now and then is looked at. */
static void *record(void *data)
{
    struct recording *recording = data;
    for (uint64_t i = 1; !atomic_load(&recording->stop) && i < 5000000; i++) {
        uint8_t bytes[64];
        uint64_t previous = 0;
        size_t length = frame_write(bytes, sizeof bytes, &(struct frame_entry){.address = 0x1000 + i % 100}, &previous);
        struct stack_part stack = {.frames = {{(const char *)bytes, length}, 1}};
        struct sample_entry sample = {.thread = 1, .time = i * 1000, .stack = stack};
        struct look_entry look = {.tid = 101, .time = i * 1000, .state = LOOK_WAITING, .cpu_ns = i * 900, .stack = stack};
        session_draw_entry(recording->draw, &(struct any_entry){.kind = ENTRY_SAMPLE, .sample = sample});
        if (i % 10 == 0)
            session_draw_entry(recording->draw, &(struct any_entry){.kind = ENTRY_LOOK, .look = look});
        struct marker_entry marker = {.thread = 1, .start = i * 1000, .name = SLICE("marker")};
        session_draw_entry(recording->draw, &(struct any_entry){.kind = ENTRY_MARKER, .marker = marker});
    }
    return NULL;
}

static void a_session_is_exported_while_it_is_recorded_and_recycled(void **state)
{
    (void)state;
    char folder[64];
    session_folder_make(folder);
    struct recording recording = {.draw = session_draw_open_with(&(struct chunk_manager_options){
                                      .folder = folder, .pid = 4711, .limit_bytes = 0, .interval_ns = 1000})};
    session_draw_text(recording.draw, "thread 1 Main tid=101 main sampled\n");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, record, &recording), 0);
    const struct session_file_header *header = session_draw_header(recording.draw);
    uint64_t rows = 0;
    for (int i = 0, late = 0; late < 10 && i < 5000; i++) {
        struct gecko_document document;
        late += header->statistics[STATISTIC_CHUNKS_RECYCLED] > 0;
        usleep(1000);
        gecko_document_open(&document, session_draw_path(recording.draw), NULL);
        assert_gecko(&document, "profilingLog/4711/reading/badEntries", "0");
        uint32_t count;
        json_items(gecko_at(&document, "threads/0/samples/data"), &count);
        rows += count;
        gecko_document_close(&document);
    }
    atomic_store(&recording.stop, true);
    pthread_join(thread, NULL);
    assert_true(header->statistics[STATISTIC_CHUNKS_RECYCLED] > 0);
    assert_true(rows > 0);
    session_draw_close(recording.draw);
    session_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_is_exported_while_it_is_recorded_and_recycled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
