#include "recorded.h"

#include "support/session_draw.h"
#include "support/session_dump.h"

#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char folder[64];
static bool there;

void recorded_start(struct sonde_start_options *options)
{
    session_folder_make(folder);
    there = true;
    options->size = sizeof *options;
    options->session = folder;
    assert_int_equal(sonde_api_1.start(options), 0);
}

char *recorded_text(void)
{
    char path[PATH_MAX] = "";
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));)
        if (strstr(entry->d_name, ".sonde"))
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    closedir(stream);
    assert_true(path[0]);
    return session_dump(path, NULL);
}

unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

void recorded_end(void)
{
    sonde_api_1.stop();
    if (there)
        session_folder_remove(folder);
    there = false;
}
