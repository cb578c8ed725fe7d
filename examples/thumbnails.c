/* Work of several kinds on several threads: makes small pictures of large ones, and tells the profile what it does with
 * categories of its own, labels, markers and counters.
 *
 *     cc -O2 -g -o thumbnails thumbnails.c -lz -lpthread
 *     sonde record ./thumbnails
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sonde/sonde.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { WORKERS = 2, WIDTH = 640, HEIGHT = 480, SCALE = 4, PIXELS = WIDTH * HEIGHT };
enum { SMALL_WIDTH = WIDTH / SCALE, SMALL_HEIGHT = HEIGHT / SCALE, SMALL_PIXELS = SMALL_WIDTH * SMALL_HEIGHT, QUEUE = 8 };

static sonde_category category_decode, category_filter, category_encode;
#define SONDE_CATEGORY_DECODE category_decode
#define SONDE_CATEGORY_FILTER category_filter
#define SONDE_CATEGORY_ENCODE category_encode

SONDE_MARKER_TYPE_LOOK(thumbnail_marker, "Thumbnail", (.table_label = "{marker.data.name}"), SONDE_FIELD_STRING(name),
                       SONDE_FIELD_BYTES(packed), SONDE_FIELD_INTEGER(radius));

static SONDE_COUNTER(queue_length, "Pictures that wait", "Queue", "Pictures that no worker has begun");

/* A picture of one colour, packed with zlib. */
struct picture {
    int number;
    uLongf size;
    unsigned char bytes[];
};

static struct picture *queue[QUEUE];
static int first_waiting, waiting;
static bool is_complete;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Atomic unsigned long written;

static struct picture *pack(const unsigned char *pixels, uLong count, int level, int number)
{
    uLongf size = compressBound(count);
    struct picture *picture = malloc(sizeof *picture + size);
    if (!picture || compress2(picture->bytes, &size, pixels, count, level) != Z_OK)
        abort();
    picture->number = number;
    picture->size = size;
    return picture;
}

/* --- the filters ------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) int by_value(const void *one, const void *other)
{
    return *(const unsigned char *)one - *(const unsigned char *)other;
}

static __attribute__((noinline)) unsigned char median_around(const unsigned char *pixels, int x, int y, int radius)
{
    unsigned char near[49];
    size_t count = 0;
    for (int row = y - radius; row <= y + radius; row++)
        for (int column = x - radius; column <= x + radius; column++)
            if (row >= 0 && row < SMALL_HEIGHT && column >= 0 && column < SMALL_WIDTH)
                near[count++] = pixels[row * SMALL_WIDTH + column];
    qsort(near, count, 1, by_value);
    return near[count / 2];
}

static __attribute__((noinline)) void remove_noise(unsigned char *pixels, int radius)
{
    unsigned char before[SMALL_PIXELS];
    memcpy(before, pixels, sizeof before);
    for (int y = 0; y < SMALL_HEIGHT; y++)
        for (int x = 0; x < SMALL_WIDTH; x++)
            pixels[y * SMALL_WIDTH + x] = median_around(before, x, y, radius);
}

static __attribute__((noinline)) void sharpen(unsigned char *pixels)
{
    for (int i = SMALL_WIDTH; i < SMALL_PIXELS - SMALL_WIDTH; i++) {
        int around = (pixels[i - 1] + pixels[i + 1] + pixels[i - SMALL_WIDTH] + pixels[i + SMALL_WIDTH]) / 4;
        int value = pixels[i] + (pixels[i] - around) / 2;
        pixels[i] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

static __attribute__((noinline)) void scale(unsigned char *small, const unsigned char *large)
{
    for (int y = 0; y < SMALL_HEIGHT; y++)
        for (int x = 0; x < SMALL_WIDTH; x++) {
            unsigned sum = 0;
            for (int row = 0; row < SCALE; row++)
                for (int column = 0; column < SCALE; column++)
                    sum += large[(y * SCALE + row) * WIDTH + x * SCALE + column];
            small[y * SMALL_WIDTH + x] = (unsigned char)(sum / (SCALE * SCALE));
        }
}

/* --- what a worker does with a picture --------------------------------------------------------------------------------- */

static __attribute__((noinline)) unsigned char *decode(const struct picture *picture)
{
    SONDE_LABEL("decode", DECODE);
    SONDE_MARKER_SCOPE_IN(DECODE, "decode", NULL);
    unsigned char *pixels = malloc(PIXELS);
    uLongf size = PIXELS;
    if (!pixels || uncompress(pixels, &size, picture->bytes, picture->size) != Z_OK)
        abort();
    return pixels;
}

static __attribute__((noinline)) void filter(unsigned char *small, const unsigned char *large, int radius)
{
    SONDE_LABEL("filter", FILTER);
    SONDE_MARKER_SCOPE_IN(FILTER, "filter", NULL);
    scale(small, large);
    remove_noise(small, radius);
    sharpen(small);
}

static __attribute__((noinline)) struct picture *encode(const unsigned char *small, int number)
{
    SONDE_LABEL("encode", ENCODE);
    SONDE_MARKER_SCOPE_IN(ENCODE, "encode", NULL);
    struct picture *best = NULL;
    for (int level = 1; level <= 9; level++) {
        struct picture *packed = pack(small, SMALL_PIXELS, level, number);
        if (!best || packed->size < best->size) {
            free(best);
            best = packed;
        } else {
            free(packed);
        }
    }
    return best;
}

static __attribute__((noinline)) void make_thumbnail(const struct picture *picture)
{
    unsigned char small[SMALL_PIXELS];
    char name[32];
    uint64_t start = sonde_now();
    int radius = 1 + picture->number % 3;
    unsigned char *large = decode(picture);
    filter(small, large, radius);
    struct picture *thumbnail = encode(small, picture->number);
    atomic_fetch_add(&written, thumbnail->size);
    snprintf(name, sizeof name, "holiday-%03d", picture->number);
    SONDE_MARKER_SINCE(start, thumbnail_marker, "thumbnail", OTHER, .name = name, .packed = thumbnail->size, .radius = radius);
    free(thumbnail);
    free(large);
}

/* --- the queue --------------------------------------------------------------------------------------------------------- */

static struct picture *take(void)
{
    struct picture *picture = NULL;
    pthread_mutex_lock(&lock);
    if (waiting == 0 && !is_complete)
        sonde_marker_instant("nothing to do", OTHER);
    while (waiting == 0 && !is_complete)
        pthread_cond_wait(&changed, &lock);
    if (waiting > 0) {
        picture = queue[first_waiting];
        first_waiting = (first_waiting + 1) % QUEUE;
        waiting--;
        sonde_counter_add(&queue_length, -1);
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return picture;
}

static void give(struct picture *picture)
{
    pthread_mutex_lock(&lock);
    while (waiting == QUEUE)
        pthread_cond_wait(&changed, &lock);
    queue[(first_waiting + waiting++) % QUEUE] = picture;
    sonde_counter_add(&queue_length, +1);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *work(void *data)
{
    char name[16];
    snprintf(name, sizeof name, "worker %d", *(int *)data);
    pthread_setname_np(pthread_self(), name);
    for (struct picture *picture; (picture = take()); free(picture))
        make_thumbnail(picture);
    return NULL;
}

/* In place of a camera: soft hills, and noise on them. */
static __attribute__((noinline)) struct picture *take_photograph(int number)
{
    static unsigned char pixels[PIXELS];
    unsigned noise = (unsigned)number * 2654435761u + 1;
    SONDE_MARKER_SCOPE_IN(IO, "photograph", NULL);
    for (int i = 0; i < PIXELS; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        noise = noise * 1664525u + 1013904223u;
        pixels[i] = (unsigned char)(((unsigned)(x * y / 512 + number * 8) + (noise >> 27)) & 0xff);
    }
    return pack(pixels, PIXELS, 1, number);
}

int main(int count, char **arguments)
{
    int pictures = count > 1 ? atoi(arguments[1]) : 40;
    pthread_t threads[WORKERS];
    int numbers[WORKERS];
    category_decode = sonde_category_register("Decode", "purple");
    category_filter = sonde_category_register("Filter", "green");
    category_encode = sonde_category_register("Encode", "orange");
    for (int i = 0; i < WORKERS; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 1; i <= pictures; i++)
        give(take_photograph(i));
    pthread_mutex_lock(&lock);
    is_complete = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d pictures, %lu bytes\n", pictures, atomic_load(&written));
    return 0;
}
