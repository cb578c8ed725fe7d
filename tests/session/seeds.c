/* Makes the known inputs of fuzz/session_reader.c:
 *
 *     ninja -C build tests/session/session_seeds && build/tests/session/session_seeds fuzz/corpus/session_reader */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "session/chunk.h"
#include "support/session_draw.h"

static const struct {
    const char *name, *drawing;
} seeds[] = {
    {"kept", "process app executable=/bin/app arguments=\"app --fast\"\n"
             "configuration interval=1ms feature-bits=3 features=stackwalk,cpu filters=Main capacity=1000 duration=10s\n"
             "category 2 Layout colour=purple subcategories=Other,Reflow\n"
             "thread 1 Main tid=101 main sampled\n"
             "thread-name 1 New time=5ms\n"
             "thread-end 1 time=9ms\n"
             "module 1 /bin/app 0x1000-0x5000 bias=0x1000 build-id=c0ffee00 time=3ms\n"
             "module-end 1 time=9ms\n"
             "counter 1 malloc category=Memory description=heap time=2ms\n"},
    {"samples", "tick 1ms\n"
                "stack 1 0x1000 0x1010 label:a@2/1 js:fn@file.js:10:2@3+js 0x7fffffff0000 truncated\n"
                "sample 1 cpu=1ms delay=2ms after=10us\n"
                "tick 2ms\n"
                "stack 1 0x1000 0x1010 label:b\n"
                "count 1 -4096 number=3 time=1ms\n"
                "pause 5ms\nresume 6ms\npause-sampling 7ms\nresume-sampling 8ms\n"
                "overhead 9ms locking=1 cleaning=2 counters=3 threads=4\n"
                "chunk samples\n"
                "gap\n"
                "tick 3ms\n"
                "chunk samples\n"
                "stack 1 0xffffffffffffffff 0x1\n"},
    {"markers", "type 1 All chart={marker.data.a} display=marker-chart stack-based\n"
                "field a input=text format=url label=A\n"
                "field b input=unsigned format=integer hidden\n"
                "field c input=signed\nfield d input=double\nfield e input=boolean\nfield f input=time\nfield g input=flow\n"
                "marker 1 one interval=1ms-2ms type=1 category=2/1 a=http://a/ b=200 c=-5 d=0.25 e=true f=17 g=123456789\n"
                "marker 1 two instant=1ms stack=0x1000,label:a,js:f@f:1 stack-time=1ms stack-thread=2\n"
                "marker 0 three start=3ms\n"
                "marker 2 three end=4ms\n"},
};

/* Each chunk as its kind, its number, the length of what is in it, and that. */
static int make_seed(FILE *session, FILE *out)
{
    static struct chunk chunk;
    fseek(session, SESSION_HEADER_BYTES, SEEK_SET);
    while (fread(&chunk, sizeof chunk, 1, session) == 1)
        if (chunk.header.sequence != 0) {
            size_t used = chunk.header.used;
            uint8_t front[4] = {(uint8_t)chunk.header.kind, (uint8_t)chunk.header.sequence, (uint8_t)used,
                                (uint8_t)(used >> 8)};
            fwrite(front, sizeof front, 1, out);
            fwrite(chunk.bytes, used, 1, out);
        }
    return ferror(session) || ferror(out);
}

/* A file as it is, cut off behind the first entries. */
static int make_file_seed(FILE *session, FILE *out)
{
    static uint8_t bytes[SESSION_HEADER_BYTES + CHUNK_HEADER_BYTES + 200];
    fseek(session, 0, SEEK_SET);
    fputc('f', out);
    return fread(bytes, sizeof bytes, 1, session) != 1 || fwrite(bytes, sizeof bytes, 1, out) != 1;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    int failed = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        char folder[64], path[PATH_MAX];
        session_draw(session_folder_make(folder), seeds[i].drawing, path);
        FILE *session = fopen(path, "rb");
        snprintf(path, sizeof path, "%s/%s", argv[1], seeds[i].name);
        FILE *out = fopen(path, "wb");
        failed |= !session || !out || make_seed(session, out) || fclose(out);
        if (i == 0 && session) {
            snprintf(path, sizeof path, "%s/file", argv[1]);
            out = fopen(path, "wb");
            failed |= !out || make_file_seed(session, out) || fclose(out);
        }
        if (session)
            fclose(session);
        session_folder_remove(folder);
    }
    return failed;
}
