#include "recording.h"

#define SONDE_LINKED_BASE
#include "session/reader.h"
#include "sonde/sonde.h"
#include "support/session_dump.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64], path[4096];
static struct session_file_header last_header;

void recording_start_with(struct sonde_start_options *options)
{
    strcpy(folder, "/tmp/sonde-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    options->size = sizeof *options;
    options->session = folder;
    assert_int_equal(sonde_start(options), 0);
}

void recording_start(const char *features, const char *threads)
{
    recording_start_with(&(struct sonde_start_options){.interval_ms = 1, .features = features, .threads = threads});
}

static int remember_path(void *data, const char *file, struct error *error)
{
    (void)data, (void)error;
    snprintf(path, sizeof path, "%s", file);
    return 0;
}

/* The latest file in the folder: a test may have started several sessions there. */
static void find_path(void)
{
    struct error error = {0};
    path[0] = '\0';
    session_folder_visit(folder, remember_path, NULL, &error);
}

char *recording_text(void)
{
    find_path();
    assert_string_not_equal(path, "");
    return session_dump(path, NULL);
}

void recording_end(void)
{
    sonde_stop();
    if (!folder[0])
        return;
    for (find_path(); path[0]; find_path())
        unlink(path);
    rmdir(folder);
    folder[0] = '\0';
}

char *recording_stop(void)
{
    sonde_stop();
    char *text = recording_text();
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    assert_non_null(file);
    session_file_header(file, &last_header);
    session_file_close(file);
    recording_end();
    return text;
}

uint64_t recording_statistic(int statistic)
{
    return last_header.statistics[statistic];
}

struct pass {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done;
};

static void pass_done(void *data, enum sonde_sampling state)
{
    (void)state;
    struct pass *pass = data;
    pthread_mutex_lock(&pass->mutex);
    pass->done = true;
    pthread_cond_signal(&pass->changed);
    pthread_mutex_unlock(&pass->mutex);
}

void wait_for_loop(void)
{
    static struct pass pass;
    pass = (struct pass){PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    assert_true(sonde_after_sampling(pass_done, &pass));
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 60;
    pthread_mutex_lock(&pass.mutex);
    while (!pass.done)
        assert_int_equal(pthread_cond_timedwait(&pass.changed, &pass.mutex, &deadline), 0);
    pthread_mutex_unlock(&pass.mutex);
}
