/* The unwind tables of files that processes have mapped, each in memory once, however many processes run it.
 *
 * A file is known by what `maps` says of it, device and inode, and by its first bytes as they are in the memory of the process:
 * they hold the program headers, and mostly the build id, so a file that was replaced is not taken for the old one. Tables that
 * no process uses any more stay for the next one that runs the file; the least recently used ones are evicted when all together
 * exceed the capacity. */
#ifndef SONDE_LOOKER_IMAGE_CACHE_H
#define SONDE_LOOKER_IMAGE_CACHE_H

#include "looker/elf_image.h"
#include "looker/proc_text.h"

enum { IMAGE_HEAD_BYTES = 1024, IMAGE_CACHE_BYTES = 256 << 20 };

struct image {
    struct elf_image elf;
    struct elf_tables tables; /* none: all 0 */
    uint8_t build_id[MODULE_BUILD_ID_MAX];
    uint8_t build_id_length;

    /* For image_cache.c alone. */
    uint64_t device, inode;
    uint8_t head[IMAGE_HEAD_BYTES];
    size_t head_length;
    size_t users, bytes;
    struct image *next;          /* in its bucket */
    struct image *newer, *older; /* of those without users */
};

enum { IMAGE_BUCKETS = 256 };

struct image_cache {
    size_t most, bytes; /* the capacity; in use */
    struct image *buckets[IMAGE_BUCKETS];
    struct image *newest_unused, *oldest_unused;
};

/* `most`: bytes for all tables together. */
void image_cache_init(struct image_cache *cache, size_t most);
/* To be called after the last image was released. */
void image_cache_free(struct image_cache *cache);

/* The image of a mapped file whose first byte process `pid` (any thread of it) has at `base`; to be released by
 * image_release(). NULL where that is no ELF file, or cannot be read; with `*no_memory` set where there is no memory. A file
 * that is not there any more, or is another one by now, is read from the memory of the process. */
struct image *image_get(struct image_cache *cache, const struct maps_line *line, pid_t pid, uint64_t base, bool *no_memory);
void image_release(struct image_cache *cache, struct image *image);

#endif
