/* Walks through open rows: what they open, and how they change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask_text.h"

#include "support/text_profile.h"

#include <stdio.h>

static struct profile profile;
static struct api *api;

/* A and its children B, C; in B are D and E; F is a root, too. Funcs are numbered A 0, B 1, D 2, E 3, C 4, F 5. */
static int set_up(void **state)
{
    (void)state;
    struct error error = {0};
    text_profile(&profile, "A  A  A  A  F\nB  B  B  C\nD  D  E\n");
    api = api_open(&profile, 1, &error);
    return api ? 0 : -1;
}

static int take_down(void **state)
{
    (void)state;
    api_close(api);
    profile_free(&profile);
    return 0;
}

static void assert_rows(const char *open, const char *rows)
{
    char request[400];
    snprintf(request, sizeof request, "{'v':1,'asks':[{'ask':'rows','after':50,'open':%s}]}", open);
    assert_reply_has(api, request, rows);
}

static void a_walk_opens_rows(void **state)
{
    (void)state;
    assert_rows("[]", "'func':[0,5]");
    assert_rows("[0]", "'func':[0,1,4,5]");
    assert_rows("[0,1]", "'func':[0,1,2,3,4,5]");
    assert_rows("[0,1,2,-2,4,-2,5]", "'func':[0,1,2,3,4,5]");
    assert_rows("['*']", "'func':[0,1,2,3,4,5]");
    assert_rows("[0,'*',1,'-']", "'func':[0,1,4,5]");
    assert_rows("['*',0,'-',1]", "'func':[0,5]");
    assert_rows("[77,78,-1,79]", "'func':[0,5]");
}

static void assert_changed(const char *ask, const char *open, const char *path, const char *changed)
{
    char request[400];
    snprintf(request, sizeof request, "{'v':1,'asks':[{'ask':'%s','after':50,'open':%s,'path':%s}]}", ask, open, path);
    assert_reply_has(api, request, changed);
}

static void toggling_changes_the_walk(void **state)
{
    (void)state;
    assert_changed("toggle", "[]", "[0]", "'open':[0],");
    assert_changed("toggle", "[0]", "[0]", "'open':[],");
    assert_changed("toggle", "[0]", "[0,1]", "'open':[0,1],");
    /* What is open below a closed row stays for when it is opened again. */
    assert_changed("toggle", "[0,1]", "[0]", "'open':[0,'-',1],");
    assert_changed("toggle", "[0,'-',1]", "[0]", "'open':[0,1],");
    assert_changed("toggle", "[0,1,-1,4,-2,5]", "[0,1]", "'open':[0,4,-2,5],");
    assert_changed("toggle", "['*']", "[0,1]", "'open':['*',0,1,'-'],");
    assert_changed("toggle", "['*',0,1,'-']", "[0,1]", "'open':['*',0,1],");
    assert_changed("open_all", "[0,1]", "[0]", "'open':[0,'*'],");
    assert_changed("open_all", "[0,'-',1]", "[]", "'open':['*'],");
}

static void the_heavy_path_ends_where_it_splits(void **state)
{
    (void)state;
    assert_changed("open_heavy", "[]", "[]", "'open':[0,1,2],'path':[0,1,2]");
    assert_changed("open_heavy", "[5]", "[0,4]", "'open':[5,-1,0,4],'path':[0,4]");
    assert_changed("open_heavy", "[]", "[9]", "'path':[9]");
}

static void rows_are_followed_through_new_transforms(void **state)
{
    (void)state;
    static const struct {
        const char *transforms, *ask, *piece;
    } followed[] = {
        {"'merge-function:B'", "'since':0,'open':[0,1],'anchor':[0,1,2]", "'open':[0],'path':[0,2],"},
        {"'focus-function:B'", "'since':0,'open':[0,1,-1,4],'anchor':[0,1,3]", "'open':[1],'path':[1,3],"},
        {"'focus-function:B'", "'since':0,'open':[0],'anchor':[0,4]", "'open':[],'path':[],"},
        {"'merge-function:A','merge-function:D'", "'since':1,'open':[1],'anchor':[1,2]", "'open':[1],'path':[1],"},
        {"'merge-function:A'", "'since':1,'open':[1],'anchor':[1,2]", "'open':[1],'path':[1,2],"},
        {"'merge-function:B'", "'since':0,'open':['*',0,'-',1,'*']", "'open':['*',0,'*'],'path':[],"},
    };
    for (size_t i = 0; i < sizeof followed / sizeof *followed; i++) {
        char request[400];
        snprintf(request, sizeof request, "{'v':1,'state':{'transforms':[%s]},'asks':[{'ask':'rows',%s}]}",
                 followed[i].transforms, followed[i].ask);
        assert_reply_has(api, request, followed[i].piece);
    }
    assert_request_refused(api, "{'v':1,'asks':[{'ask':'rows','since':1}]}", "unavailable",
                           "asks[0].since: there are no more than 0 transforms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_opens_rows),
        cmocka_unit_test(toggling_changes_the_walk),
        cmocka_unit_test(the_heavy_path_ends_where_it_splits),
        cmocka_unit_test(rows_are_followed_through_new_transforms),
    };
    return cmocka_run_group_tests(tests, set_up, take_down);
}
