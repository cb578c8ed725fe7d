#include "symbols/fetch.h"

#include "common/vec.h"
#include "profile/module_ids.h"
#include "symbols/elf_file.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct wish {
    char build_id[MODULE_ID_BYTES];
    size_t length;
    size_t number;
    enum fetch_state state;
};

struct fetch {
    void *library;
    debuginfod_client *client; /* the thread's */
    __typeof__(debuginfod_end) *end;
    __typeof__(debuginfod_find_debuginfo) *find;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock: */
    VEC(struct wish) wishes;
    size_t next_done; /* what fetch_wait() says next */
    bool ending;
    /* The library asks from inside a download. Relaxed: nothing else is read by it. */
    atomic_bool stop;
};

/* ---- the library ---- */

/* Of the library: what it calls while it waits knows only the client. Set before there is a thread. */
static __typeof__(debuginfod_get_user_data) *get_user_data;

static int go_on(debuginfod_client *client, long done, long total)
{
    struct fetch *fetch = get_user_data(client);
    (void)done, (void)total;
    return atomic_load_explicit(&fetch->stop, memory_order_relaxed);
}

static bool load_library(struct fetch *fetch)
{
    fetch->library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!fetch->library)
        return false;
    __typeof__(debuginfod_begin) *begin = (__typeof__(begin))dlsym(fetch->library, "debuginfod_begin");
    __typeof__(debuginfod_set_progressfn) *set_progress =
        (__typeof__(set_progress))dlsym(fetch->library, "debuginfod_set_progressfn");
    __typeof__(debuginfod_set_user_data) *set_user_data =
        (__typeof__(set_user_data))dlsym(fetch->library, "debuginfod_set_user_data");
    get_user_data = (__typeof__(get_user_data))dlsym(fetch->library, "debuginfod_get_user_data");
    fetch->end = (__typeof__(fetch->end))dlsym(fetch->library, "debuginfod_end");
    fetch->find = (__typeof__(fetch->find))dlsym(fetch->library, "debuginfod_find_debuginfo");
    if (!begin || !set_progress || !set_user_data || !get_user_data || !fetch->end || !fetch->find)
        return false;
    fetch->client = begin();
    if (!fetch->client)
        return false;
    set_user_data(fetch->client, fetch);
    set_progress(fetch->client, go_on);
    return true;
}

/* ---- the thread ---- */

/* *path is to be freed. */
static enum fetch_state find(struct fetch *fetch, struct slice build_id, char **path)
{
    *path = NULL;
    int fd = fetch->find(fetch->client, (const unsigned char *)build_id.text, (int)build_id.length, path);
    if (fd >= 0) {
        close(fd);
        return FETCH_FOUND;
    }
    return fd == -ENOENT ? FETCH_NOT_THERE : FETCH_NO_ANSWER;
}

/* With what dwz took out of it, without which most names are missing. */
static enum fetch_state fetch_one(struct fetch *fetch, struct slice build_id)
{
    char *path, *other;
    struct elf_file *file;
    struct error ignored = {0};
    struct slice link, alternate;
    enum fetch_state state = find(fetch, build_id, &path);
    if (state == FETCH_FOUND && elf_file_open(NULL, path, &file, &ignored) == 0) {
        if (elf_file_alternate_link(file, &link, &alternate) && alternate.length > 0) {
            find(fetch, alternate, &other);
            free(other);
        }
        elf_file_close(file);
    }
    free(path);
    return state;
}

static void *run(void *data)
{
    struct fetch *fetch = data;
    bool no_answer = false;
    pthread_mutex_lock(&fetch->lock);
    for (size_t i = 0; !fetch->ending;) {
        if (i == fetch->wishes.count) {
            pthread_cond_wait(&fetch->changed, &fetch->lock);
            continue;
        }
        struct wish wish = fetch->wishes.items[i];
        pthread_mutex_unlock(&fetch->lock);
        wish.state = no_answer ? FETCH_NO_ANSWER : fetch_one(fetch, (struct slice){wish.build_id, wish.length});
        no_answer = wish.state == FETCH_NO_ANSWER;
        pthread_mutex_lock(&fetch->lock);
        fetch->wishes.items[i++].state = wish.state;
        pthread_cond_broadcast(&fetch->changed);
    }
    pthread_mutex_unlock(&fetch->lock);
    return NULL;
}

/* ---- its owner ---- */

static void free_all(struct fetch *fetch)
{
    if (fetch->client)
        fetch->end(fetch->client);
    /* The library stays loaded: what it loaded itself does not like to go. */
    vec_free(&fetch->wishes);
    pthread_mutex_destroy(&fetch->lock);
    pthread_cond_destroy(&fetch->changed);
    memory_release(fetch);
}

struct fetch *fetch_begin(void)
{
    const char *servers = getenv(DEBUGINFOD_URLS_ENV_VAR);
    struct fetch *fetch = servers && *servers ? memory_zeroed(1, sizeof *fetch) : NULL;
    if (!fetch)
        return NULL;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&fetch->lock, NULL);
    pthread_cond_init(&fetch->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (load_library(fetch) && pthread_create(&fetch->thread, NULL, run, fetch) == 0)
        return fetch;
    free_all(fetch);
    return NULL;
}

bool fetch_add(struct fetch *fetch, struct slice build_id, size_t number)
{
    struct wish wish = {.number = number};
    wish.length = build_id.length < MODULE_ID_BYTES ? build_id.length : MODULE_ID_BYTES;
    memcpy(wish.build_id, build_id.text, wish.length);
    pthread_mutex_lock(&fetch->lock);
    bool added = vec_push(&fetch->wishes, wish);
    pthread_cond_broadcast(&fetch->changed);
    pthread_mutex_unlock(&fetch->lock);
    return added;
}

bool fetch_wait(struct fetch *fetch, unsigned most_ms, size_t *number, enum fetch_state *state)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += most_ms / 1000;
    until.tv_nsec += (long)(most_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&fetch->lock);
    bool any = fetch->next_done < fetch->wishes.count;
    if (any) {
        size_t i = fetch->next_done;
        while (fetch->wishes.items[i].state == FETCH_WAITING &&
               pthread_cond_timedwait(&fetch->changed, &fetch->lock, &until) != ETIMEDOUT)
            ;
        *number = fetch->wishes.items[i].number;
        *state = fetch->wishes.items[i].state;
        fetch->next_done += *state != FETCH_WAITING;
    }
    pthread_mutex_unlock(&fetch->lock);
    return any;
}

void fetch_end(struct fetch *fetch)
{
    if (!fetch)
        return;
    atomic_store_explicit(&fetch->stop, true, memory_order_relaxed); /* see `stop` */
    pthread_mutex_lock(&fetch->lock);
    fetch->ending = true;
    pthread_cond_broadcast(&fetch->changed);
    pthread_mutex_unlock(&fetch->lock);
    pthread_join(fetch->thread, NULL);
    free_all(fetch);
}

bool fetch_cache_folder(char path[], size_t size)
{
    const char *own = getenv(DEBUGINFOD_CACHE_PATH_ENV_VAR), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (own && own[0] == '/')
        length = snprintf(path, size, "%s", own);
    else if (base && base[0] == '/')
        length = snprintf(path, size, "%s/debuginfod_client", base);
    else if (home && home[0] == '/')
        length = snprintf(path, size, "%s/.cache/debuginfod_client", home);
    return length > 0 && (size_t)length < size;
}
