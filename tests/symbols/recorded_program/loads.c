/* loads FOLDER: a program to be recorded that loads two libraries and spends its time in one of them. Both are exchanged for
 * copies as soon as they are loaded, and then FOLDER/loaded appears: whoever opens them from there on is not the loader. */
#include "parts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static unsigned nothing(unsigned value)
{
    return value;
}

int main(int count, char **arguments)
{
    if (count != 2 || chdir(arguments[1]) != 0)
        return 2;
    char path[500];
    snprintf(path, sizeof path, "%s/used.so", arguments[1]);
    void *used = dlopen(path, RTLD_NOW);
    snprintf(path, sizeof path, "%s/unused.so", arguments[1]);
    void *unused = dlopen(path, RTLD_NOW);
    unsigned (*part)(unsigned, part_callback *) =
        used ? (unsigned (*)(unsigned, part_callback *))dlsym(used, "first_part") : NULL;
    if (!part || !unused || rename("used.copy", "used.so") != 0 || rename("unused.copy", "unused.so") != 0)
        return 2;
    FILE *loaded = fopen("loaded", "w");
    if (!loaded || fclose(loaded) != 0)
        return 2;
    unsigned value = 1;
    while (clock() < CLOCKS_PER_SEC / 2)
        value = part(value, nothing);
    return value == 12345 ? puts("unlikely") : 0;
}
