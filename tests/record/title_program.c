/* Sets a title for `ps`, as servers do: over its words and what is behind them. Says that it has, and waits to be killed. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
    /* The environment begins behind the last word; it is not needed any more. */
    static const char title[] = "server: ready for /all/ work";
    char *end = words[count - 1] + strlen(words[count - 1]) + 1;
    char *last = environ[0] ? environ[0] : end;
    for (char **variable = environ; *variable; variable++)
        if (*variable == last)
            last += strlen(last) + 1;
    if ((size_t)(last - words[0]) < sizeof title)
        return 1;
    memset(words[0], 0, (size_t)(end - words[0]));
    memcpy(words[0], title, sizeof title);
    puts("ready");
    fflush(stdout);
    pause();
    return 0;
}
