/* asker PROFILE: answers the requests on standard input, one a line. Each reply is written twice, after the number of its
 * bytes in a line: as JSON, and binary. With --once only JSON is written, a line each. */
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

int main(int count, char **arguments)
{
    struct profile profile;
    struct error error = {0};
    profile_init(&profile);
    bool once = count == 3 && strcmp(arguments[2], "--once") == 0;
    struct api *api = NULL;
    if (count < 2 || import_file(arguments[1], NULL, &profile, &error) != 0 || !(api = api_open(&profile, 1, &error)))
        fprintf(stderr, "asker: %s\n", error.message);
    int status = api ? answer(api, once) : 1;
    api_close(api);
    profile_free(&profile);
    return status;
}
