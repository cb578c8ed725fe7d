/* asker PROFILE[+BASE]: answers the requests on standard input, one a line. Each reply is written twice, after the number of
 * its bytes in a line: as JSON, and binary. With --once only JSON is written, a line each. BASE is what the profile is compared
 * with. */
#include "api/api.h"
#include "import/importer.h"

#include <stdio.h>
#include <stdlib.h>

static void put(struct api *api, struct slice request, enum api_format format, bool once)
{
    struct text_buffer reply = {0};
    if (api_ask(api, request, format, &reply) != 0)
        abort();
    if (!once)
        printf("%zu\n", reply.bytes.count);
    fwrite(reply.bytes.items, 1, reply.bytes.count, stdout);
    if (once)
        putchar('\n');
    text_free(&reply);
}

static int answer(struct api *api, bool once)
{
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        struct slice request = {line, (size_t)length - (line[length - 1] == '\n')};
        put(api, request, API_JSON, once);
        if (!once)
            put(api, request, API_BINARY, once);
        fflush(stdout);
    }
    free(line);
    return 0;
}

/* NULL with `error` filled. */
static struct api *open_api(char *file, struct profile *profile, struct profile *base, struct error *error)
{
    char *plus = strchr(file, '+');
    if (plus)
        *plus = '\0';
    if (import_file(file, NULL, profile, error) != 0 || (plus && import_file(plus + 1, NULL, base, error) != 0))
        return NULL;
    struct api *api = api_open(profile, 1, error);
    const char *name = plus ? strrchr(plus + 1, '/') : NULL;
    if (!api || !plus || api_compare_with(api, base, name ? name + 1 : plus + 1, error) == 0)
        return api;
    api_close(api);
    return NULL;
}

int main(int count, char **arguments)
{
    struct profile profile, base;
    struct error error = {0};
    profile_init(&profile);
    profile_init(&base);
    bool once = count == 3 && strcmp(arguments[2], "--once") == 0;
    struct api *api = count > 1 ? open_api(arguments[1], &profile, &base, &error) : NULL;
    if (!api)
        fprintf(stderr, "asker: %s\n", error.message);
    int status = api ? answer(api, once) : 1;
    api_close(api);
    profile_free(&base);
    profile_free(&profile);
    return status;
}
