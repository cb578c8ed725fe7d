/* The profiles that a server has. The caller lists them; each is opened by the first who asks for it, in a work thread of its
 * own, so that a large one holds up nobody who looks at another.
 *
 *     listed ──▶ open
 *        └─────▶ failed */
#ifndef SONDE_SERVER_PROFILES_H
#define SONDE_SERVER_PROFILES_H

#include "api/api.h"
#include "server/sockets.h"
#include "server/source_store.h"
#include "server/work.h"
#include "symbols/api_scope.h"

#include <stdint.h>

/* What an open profile is asked. All of it is the caller's, and stays until the server has stopped. */
struct opened_profile {
    struct api *api;                  /* by one thread at a time */
    const struct symbol_api *symbols; /* by several at the same time */
    struct source_store *sources;     /* the api's; NULL = it has none */
};

struct served_profile;

/* A profile as the caller lists it; what it points to stays until the server has stopped. */
struct profile_listing {
    const char *name, *path; /* `path` NULL = it is in no file */
    uint64_t bytes;
    int64_t modified_ms;                 /* since 1970 */
    const struct opened_profile *opened; /* NULL = it is opened when somebody asks */
    /* 0, or a negative errno with `error` filled. Called once, by any thread. */
    int (*open)(void *data, struct opened_profile *opened, struct error *error);
    /* The profile as browsers fetch it (profile_file.h): a descriptor, which is the server's then, or a negative errno. Called
     * after `asked`, once at most if it does not fail, in a thread of another queue than its own. */
    int (*pack)(void *data, struct error *error);
    /* Somebody asks the first question, or wants it packed; called once, by the thread that answers. NULL = nobody cares. */
    void (*asked)(void *data, struct served_profile *profile);
    void *data;
};

enum profile_state { PROFILE_LISTED, PROFILE_OPEN, PROFILE_FAILED };

struct served_profile {
    const struct profile_listing *listing;
    struct profiles *all;
    struct work_queue work; /* one thread, from the first ask on */
    bool works;
    bool asked;              /* of the one thread of `work` */
    pthread_mutex_t opening; /* of `opened`, by work threads only; held while it is opened */
    struct opened_profile opened;
    pthread_mutex_t packing;  /* of `packed`, by threads of other queues only; held while it is packed */
    int packed;               /* -1 = not yet */
    enum profile_state state; /* with `error`: of the lock of all profiles */
    struct error error;
};

struct profiles {
    pthread_mutex_t lock; /* of states, and of the start of threads; held for moments */
    bool ends;
    struct sockets *sockets; /* of all that look; set before anybody can ask */
    struct served_profile *items;
    size_t count;
};

/* `profiles` must not move. 0 or -ENOMEM. */
int profiles_init(struct profiles *profiles, const struct profile_listing *listings, size_t count, struct error *error);

/* Cancels what waits, and waits for what runs, `milliseconds` at most. False where something still runs. */
bool profiles_end(struct profiles *profiles, unsigned milliseconds);

/* After that. */
void profiles_free(struct profiles *profiles);

/* NULL where there are not so many. */
struct served_profile *profiles_at(struct profiles *profiles, size_t number);

/* What takes long about this profile is to be done here. NULL where the server ends, or no thread can be started. */
struct work_queue *profile_queue(struct served_profile *profile);

/* In a work thread: opens it unless that was done. NULL with `error` filled. */
const struct opened_profile *profile_open(struct served_profile *profile, struct error *error);

/* The same for who asks its api, in the thread of the profile's own queue. */
const struct opened_profile *profile_open_to_ask(struct served_profile *profile, struct error *error);

/* There, too: appends the reply to a request of the query API, also where the profile cannot be opened. 0, -ENOMEM, or -EAGAIN
 * where profile_look() has to come first. */
int profile_ask(struct served_profile *profile, struct slice request, enum api_format format, struct text_buffer *reply);

/* In a work thread of another queue: looks for the sources that the api could not find yet. */
void profile_look(struct served_profile *profile);

/* Runs something between two requests to the profile's api, in the thread that answers them, and waits for it. By any other
 * thread. False where the server ends: it did not run then. */
bool profile_run(struct served_profile *profile, void (*run)(void *data), void *data);

/* Sends a JSON text to all pages that are connected. By any thread. */
void profile_push(struct served_profile *profile, struct slice json);

size_t profile_number(const struct served_profile *profile);

/* In a work thread of another queue: the packed profile, or a negative errno. The descriptor stays the server's. */
int profile_packed(struct served_profile *profile, struct error *error);

/* Appends the list of all, as JSON. False when the heap is empty. */
bool profiles_list(struct profiles *profiles, struct text_buffer *json);

#endif
