/* Makes the known inputs of the fuzz targets that read sessions:
 *
 *     ninja -C build tests/session/session_seeds && build/tests/session/session_seeds fuzz/corpus */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "session/chunk.h"
#include "support/session_draw.h"

#define KEPT                                                                                                                   \
    "process app executable=/bin/app arguments=\"app --fast\"\n"                                                               \
    "configuration interval=1ms feature-bits=3 features=stackwalk,cpu filters=Main capacity=1000 duration=10s\n"               \
    "category 0 Other colour=grey subcategories=Other\n"                                                                       \
    "category 2 Layout colour=purple subcategories=Other,Reflow\n"                                                             \
    "thread 1 Main tid=101 main sampled cpu=1ms labels=0x7000\n"                                                               \
    "thread 2 Worker tid=102 sampled time=1ms\n"                                                                               \
    "thread-name 1 New time=5ms\n"                                                                                             \
    "thread-end 2 time=90ms cpu=4ms\n"                                                                                         \
    "module 1 /bin/app 0x1000-0x5000 bias=0x1000 build-id=c0ffee00 time=3ms\n"                                                 \
    "module 2 /lib/b.so 0x4000-0x9000 bias=0x4000 time=4ms\n"                                                                  \
    "module-end 1 time=9ms\n"                                                                                                  \
    "counter 1 malloc category=Memory description=heap time=2ms\n"
#define SAMPLES                                                                                                                \
    "sample 1 1ms 0x1000 0x1010 label:a@2/1 js:fn@file.js:10:2@3+js 0x7fffffff0000 truncated\n"                                \
    "sample 1 2ms 0x1000 0x1010 label:b event call delay=2ms\n"                                                                \
    "look 101 3ms waiting cpu=2ms ready=500us runs=3 0x1000 0x1010\n"                                                          \
    "look 101 4ms waiting cpu=2ms ready=500us runs=3 0x1000 0x1010\n"                                                          \
    "look 101 5ms running cpu=3ms ready=500us runs=4\n"                                                                        \
    "look 102 6ms waiting cpu=2ms runs=2 label:w\n"                                                                            \
    "look 102 7ms waiting cpu=2ms runs=9\n"                                                                                    \
    "look 102 8ms ended cpu=2ms\n"                                                                                             \
    "count 1 -4096 number=3 time=1ms\n"                                                                                        \
    "count 1 4096 number=4 time=2ms\n"                                                                                         \
    "pause 5ms\nresume 6ms\npause-sampling 7ms\nresume-sampling 8ms\n"                                                         \
    "chunk samples\n"                                                                                                          \
    "sample 1 9ms 0x1\n"                                                                                                       \
    "chunk samples\n"                                                                                                          \
    "sample 1 10ms 0xffffffffffffffff 0x1\n"
#define MARKERS                                                                                                                \
    "type 1 All chart={marker.data.a} display=marker-chart stack-based\n"                                                      \
    "field a input=text format=url label=A\n"                                                                                  \
    "field b input=unsigned format=integer hidden\n"                                                                           \
    "field c input=signed\nfield d input=double\nfield e input=boolean\nfield f input=time\nfield g input=flow\n"              \
    "marker 1 one interval=1ms-2ms type=1 category=2/1 a=http://a/ b=200 c=-5 d=0.25 e=true f=17 g=123456789\n"                \
    "marker 1 two instant=1ms stack=0x1000,label:a,js:f@f:1 stack-time=1ms stack-thread=2\n"                                   \
    "marker 0 three start=3ms\n"                                                                                               \
    "marker 2 three end=4ms\n"
#define TWICE                                                                                                                  \
    "type 1 Same\nfield a input=text\nfield a input=text\ntype 2 Same\nfield b input=text\nmarker 1 m instant=1 type=2 b=x\n"
#define LOOKS                                                                                                                  \
    "owner 10-0\nlook 101 20ms waiting cpu=3ms ready=1ms runs=5 0x4100\nmodule 1000 /lib/late.so 0x10000-0x20000\n"            \
    "owner 11-0\nlook 101 20ms waiting cpu=3ms ready=1ms runs=5 0x1000\ncounter 9 cpu category=CPU\ncount 9 5 time=1ms\n"      \
    "pause 1ms\nresume 2ms\n"
/* Clocks and times that nobody would believe. */
#define WILD                                                                                                                   \
    "thread 1 Main tid=101 main sampled cpu=0xffffffffffffffff\n"                                                              \
    "sample 1 0xffffffffffffffff 0x1\nsample 1 1 0x1 event\n"                                                                  \
    "look 101 0xfffffffffffffff0 waiting cpu=0xffffffffffffffff ready=0xffffffffffffffff runs=0xffffffffffffffff 0x1\n"        \
    "look 101 5 waiting runs=3 0x2\npause 0xffffffffffffffff\nresume 1\n"

struct seed {
    const char *target, *name;
    const char *first, *second, *looks; /* drawings; the latter two in a folder */
    bool same_process;
};

static const struct seed seeds[] = {
    {"session_reader", "kept", KEPT, NULL, NULL, false},
    {"session_reader", "samples", SAMPLES, NULL, NULL, false},
    {"session_reader", "markers", MARKERS, NULL, NULL, false},
    {"session_reader", "looks", LOOKS, NULL, NULL, false},
    {"export_gecko", "everything", KEPT MARKERS SAMPLES, NULL, NULL, false},
    {"export_gecko", "types-of-one-name", KEPT TWICE, NULL, NULL, false},
    {"export_gecko", "clocks-that-make-no-sense", WILD, NULL, NULL, false},
    {"import_session", "every-kind-of-entry", KEPT MARKERS SAMPLES, NULL, NULL, false},
    {"import_session", "clocks-that-make-no-sense", WILD, NULL, NULL, false},
    {"session_folder", "two-processes", KEPT MARKERS SAMPLES, KEPT SAMPLES, LOOKS, false},
    {"session_folder", "two-images-of-one-process", KEPT SAMPLES, KEPT SAMPLES, LOOKS, true},
    {"session_folder", "a-field-key-that-comes-twice", KEPT TWICE, KEPT MARKERS, "", false},
    {"session_folder", "categories-that-the-first-process-has-not", "thread 1 Main tid=101 main sampled\n", KEPT SAMPLES, LOOKS,
     false},
    {"session_folder", "looks-alone", "thread 1 Main tid=101 main sampled\n", "", LOOKS, false},
    {"session_folder", "nothing-in-both", "", "", "", false},
    {"session_folder", "clocks-that-make-no-sense", WILD, WILD, WILD, false},
};

/* Each chunk as session_bytes.h has it. */
static void put_chunks(FILE *session, FILE *out)
{
    static struct chunk chunk;
    fseek(session, SESSION_HEADER_BYTES, SEEK_SET);
    while (fread(&chunk, sizeof chunk, 1, session) == 1)
        if (chunk.header.sequence != 0) {
            uint8_t owner = chunk.header.owner > 0 ? (uint8_t)((chunk.header.owner >> 32) - 9) : 0;
            size_t used = chunk.header.used;
            uint8_t front[4] = {(uint8_t)(chunk.header.kind | (uint32_t)owner << 4), (uint8_t)chunk.header.sequence,
                                (uint8_t)used, (uint8_t)(used >> 8)};
            fwrite(front, sizeof front, 1, out);
            fwrite(chunk.bytes, used, 1, out);
        }
}

/* Entries of the three kinds, as import_session.c has them: those of the first two kinds have their lengths in front. */
static void put_entries(FILE *session, FILE *out)
{
    static struct chunk chunk;
    static uint8_t bytes[CHUNK_MARKERS + 1][CHUNK_BYTES];
    size_t lengths[CHUNK_MARKERS + 1] = {0};
    fseek(session, SESSION_HEADER_BYTES, SEEK_SET);
    while (fread(&chunk, sizeof chunk, 1, session) == 1)
        if (chunk.header.sequence != 0 && lengths[chunk.header.kind] == 0) {
            lengths[chunk.header.kind] = chunk.header.used;
            memcpy(bytes[chunk.header.kind], chunk.bytes, chunk.header.used);
        }
    for (int kind = CHUNK_KEPT; kind < CHUNK_MARKERS; kind++) {
        fputc((int)(lengths[kind] & 255), out);
        fputc((int)(lengths[kind] >> 8), out);
    }
    for (int kind = CHUNK_KEPT; kind <= CHUNK_MARKERS; kind++)
        fwrite(bytes[kind], lengths[kind], 1, out);
}

/* A file as it is, cut off behind the first entries. */
static void put_file(FILE *session, FILE *out)
{
    static uint8_t bytes[SESSION_HEADER_BYTES + CHUNK_HEADER_BYTES + 200];
    fseek(session, 0, SEEK_SET);
    fputc('f', out);
    if (fread(bytes, sizeof bytes, 1, session) == 1)
        fwrite(bytes, sizeof bytes, 1, out);
}

static void put_drawing(const char *drawing, void (*put)(FILE *session, FILE *out), FILE *out)
{
    char folder[64], path[PATH_MAX];
    session_draw(session_folder_make(folder), drawing, path);
    FILE *session = fopen(path, "rb");
    if (session) {
        put(session, out);
        fclose(session);
    }
    session_folder_remove(folder);
}

static void put_length(const char *drawing, FILE *out)
{
    FILE *apart = tmpfile();
    put_drawing(drawing, put_chunks, apart);
    long length = ftell(apart);
    fclose(apart);
    fputc((int)(length & 255), out);
    fputc((int)(length >> 8), out);
}

static int make_seed(const char *corpus, const struct seed *seed)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/%s", corpus, seed->target, seed->name);
    FILE *out = fopen(path, "wb");
    if (!out)
        return 1;
    if (strcmp(seed->target, "import_session") == 0) {
        put_drawing(seed->first, put_entries, out);
    } else if (seed->second) {
        fputc(seed->same_process ? 1 : 2, out);
        put_length(seed->first, out);
        put_length(seed->second, out);
        put_drawing(seed->first, put_chunks, out);
        put_drawing(seed->second, put_chunks, out);
        put_drawing(seed->looks, put_chunks, out);
    } else {
        put_drawing(seed->first, put_chunks, out);
    }
    return fclose(out);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    int failed = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        failed |= make_seed(argv[1], &seeds[i]);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/session_reader/file", argv[1]);
    FILE *out = fopen(path, "wb");
    if (!out)
        return 1;
    put_drawing(KEPT, put_file, out);
    return failed | fclose(out);
}
