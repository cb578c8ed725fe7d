/* The environment of a program that is to be started: a copy of ours, with changes. */
#ifndef SONDE_RECORD_ENVIRONMENT_H
#define SONDE_RECORD_ENVIRONMENT_H

#include "common/vec.h"

struct environment {
    VEC(char *) words; /* NAME=VALUE; the last one is NULL, as execve wants it */
};

/* Those that return a bool: false when the heap is empty. The environment is to be freed in any case. */
bool environment_copy(struct environment *environment, char *const *words);
bool environment_set(struct environment *environment, const char *name, const char *value);

void environment_remove(struct environment *environment, const char *name);

/* `word` is NAME=VALUE. */
bool environment_put(struct environment *environment, const char *word);

/* True where `word` is NAME=VALUE with a name that a shell would take, too. */
bool environment_is_assignment(const char *word);

/* NULL where it is not there. Lives until the variable is changed. */
const char *environment_get(const struct environment *environment, const char *name);

void environment_free(struct environment *environment);

#endif
