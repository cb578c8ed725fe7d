#include "cli/browser.h"

#include "common/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 16, MOST_TEXT = 1024 };

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool browser_has_display(void)
{
    return setting("DISPLAY") || setting("WAYLAND_DISPLAY");
}

bool browser_is_there(void)
{
    return setting("BROWSER") || browser_has_display();
}

/* $BROWSER is a list of command lines, separated by colons, of which we take the first; `%s` in it is the address, which
 * otherwise comes last. `text` is cut into its words. */
static void split(char *text, char *address, char *words[MOST_WORDS + 1])
{
    size_t count = 0;
    bool placed = false;
    text[strcspn(text, ":")] = '\0';
    for (char *rest = text, *word; count < MOST_WORDS - 1 && (word = strsep(&rest, " "));) {
        if (!*word)
            continue;
        bool is_place = strcmp(word, "%s") == 0;
        placed |= is_place;
        words[count++] = is_place ? address : word;
    }
    if (!placed)
        words[count++] = address;
    words[count] = NULL;
}

/* As if it had been started from a menu: without our signals and our terminal. */
static int start(char *const words[], pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&files);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    int code = posix_spawnp(pid, words[0], &files, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return -code;
}

int browser_open(const char *address, pid_t *pid, struct error *error)
{
    char text[MOST_TEXT], *copy = strdup(address);
    char *words[MOST_WORDS + 1];
    const char *wanted = setting("BROWSER");
    if (!copy)
        return error_out_of_memory(error);
    text_copy(text, sizeof text, wanted ? wanted : "xdg-open");
    split(text, copy, words);
    int code = words[0] == copy ? -ENOENT : start(words, pid);
    if (code < 0)
        error_set(error, code, "%s: %s", words[0] == copy ? "$BROWSER" : words[0], strerror(-code));
    free(copy);
    return code;
}
