#include "machine.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];

void machine_set(const char *path, const char *text)
{
    char whole[512];
    assert_true(snprintf(whole, sizeof whole, "%s/%s", root, path) < (int)sizeof whole);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(whole, 0755);
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", text);
    fclose(file);
}

void machine_deny(const char *path)
{
    char whole[512];
    assert_true(snprintf(whole, sizeof whole, "%s/%s", root, path) < (int)sizeof whole);
    assert_int_equal(chmod(whole, geteuid() == 0 ? 0400 : 0), 0);
}

const char *machine_make(const char *name)
{
    char path[512], line[512];
    strcpy(root, "/tmp/sonde-machine-XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(chmod(root, 0755), 0);
    snprintf(path, sizeof path, "%s/machines/%s.txt", TEST_DATA, name);
    FILE *list = fopen(path, "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        char *space = strchr(line, ' ');
        assert_non_null(space);
        *space = '\0';
        machine_set(line, space + 1);
    }
    fclose(list);
    return root;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

void machine_remove(void)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
