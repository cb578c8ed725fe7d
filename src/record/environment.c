#include "record/environment.h"

#include <ctype.h>
#include <string.h>

/* Its place, or that of the NULL at the end. */
static size_t find(const struct environment *environment, const char *name, size_t length)
{
    size_t i = 0;
    for (; environment->words.items[i]; i++)
        if (strncmp(environment->words.items[i], name, length) == 0 && environment->words.items[i][length] == '=')
            break;
    return i;
}

/* Takes `word`, also where it fails. */
static bool place(struct environment *environment, char *word)
{
    size_t at = word ? find(environment, word, strcspn(word, "=")) : 0;
    if (!word)
        return false;
    if (environment->words.items[at]) {
        memory_release(environment->words.items[at]);
        environment->words.items[at] = word;
        return true;
    }
    environment->words.items[at] = word;
    if (vec_push(&environment->words, NULL))
        return true;
    environment->words.items[at] = NULL;
    memory_release(word);
    return false;
}

static char *join(const char *name, size_t name_length, const char *value)
{
    size_t value_length = strlen(value);
    char *word = memory_array(name_length + value_length + 2, 1);
    if (word) {
        memcpy(word, name, name_length);
        word[name_length] = '=';
        memcpy(word + name_length + 1, value, value_length + 1);
    }
    return word;
}

bool environment_copy(struct environment *environment, char *const *words)
{
    *environment = (struct environment){0};
    if (!vec_push(&environment->words, NULL))
        return false;
    for (; *words; words++)
        if (strchr(*words, '=') && !environment_put(environment, *words))
            return false;
    return true;
}

bool environment_set(struct environment *environment, const char *name, const char *value)
{
    return place(environment, join(name, strlen(name), value));
}

void environment_remove(struct environment *environment, const char *name)
{
    size_t at = find(environment, name, strlen(name));
    char **words = environment->words.items;
    if (!words[at])
        return;
    memory_release(words[at]);
    memmove(words + at, words + at + 1, (--environment->words.count - at) * sizeof *words);
}

bool environment_put(struct environment *environment, const char *word)
{
    size_t length = strcspn(word, "=");
    return place(environment, join(word, length, word + length + 1));
}

bool environment_is_assignment(const char *word)
{
    if (!isalpha((unsigned char)*word) && *word != '_')
        return false;
    while (isalnum((unsigned char)*word) || *word == '_')
        word++;
    return *word == '=';
}

const char *environment_get(const struct environment *environment, const char *name)
{
    size_t length = strlen(name);
    const char *word = environment->words.items[find(environment, name, length)];
    return word ? word + length + 1 : NULL;
}

void environment_free(struct environment *environment)
{
    for (size_t i = 0; i < environment->words.count; i++)
        memory_release(environment->words.items[i]);
    vec_free(&environment->words);
}
