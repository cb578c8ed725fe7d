#include "looker/image_cache.h"

#include "common/map.h"
#include "common/memory.h"
#include "unwind/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void image_cache_init(struct image_cache *cache, size_t most)
{
    *cache = (struct image_cache){.most = most};
}

static struct image **bucket_of(struct image_cache *cache, uint64_t device, uint64_t inode)
{
    return &cache->buckets[hash_combine(device, inode) % IMAGE_BUCKETS];
}

/* --- images without users, in the order in which they lost the last one ------------------------------------------------- */

static void unused_add(struct image_cache *cache, struct image *image)
{
    image->older = cache->newest_unused;
    image->newer = NULL;
    if (image->older)
        image->older->newer = image;
    else
        cache->oldest_unused = image;
    cache->newest_unused = image;
}

static void unused_remove(struct image_cache *cache, struct image *image)
{
    *(image->newer ? &image->newer->older : &cache->newest_unused) = image->older;
    *(image->older ? &image->older->newer : &cache->oldest_unused) = image->newer;
    image->newer = image->older = NULL;
}

static void evict(struct image_cache *cache, struct image *image)
{
    struct image **at = bucket_of(cache, image->device, image->inode);
    while (*at != image)
        at = &(*at)->next;
    *at = image->next;
    unused_remove(cache, image);
    cache->bytes -= image->bytes;
    elf_tables_free(&image->tables);
    memory_release(image);
}

void image_cache_free(struct image_cache *cache)
{
    while (cache->oldest_unused)
        evict(cache, cache->oldest_unused);
}

void image_release(struct image_cache *cache, struct image *image)
{
    if (--image->users > 0)
        return;
    unused_add(cache, image);
    while (cache->bytes > cache->most && cache->oldest_unused)
        evict(cache, cache->oldest_unused);
}

/* --- reading ------------------------------------------------------------------------------------------------------------- */

static bool is_file(int file, uint64_t inode, const uint8_t *head, size_t head_length)
{
    uint8_t bytes[IMAGE_HEAD_BYTES];
    struct stat status;
    /* The device is not compared: some file systems have one number in `maps` and another one for stat(). */
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == inode &&
           pread(file, bytes, head_length, 0) == (ssize_t)head_length && memcmp(bytes, head, head_length) == 0;
}

/* The file that is mapped, or -1. Under its name as the process sees it first. */
static int open_file(const struct maps_line *line, pid_t pid, const uint8_t *head, size_t head_length)
{
    enum { ROOT_ROOM = 32 };
    char path[ROOT_ROOM + PATH_MAX];
    if (line->inode == 0 || line->deleted || line->path.length == 0 || line->path.length >= PATH_MAX ||
        line->path.text[0] != '/')
        return -1;
    int before = snprintf(path, ROOT_ROOM, "/proc/%d/root", (int)pid);
    memcpy(path + before, line->path.text, line->path.length);
    path[(size_t)before + line->path.length] = '\0';
    for (int skipped = 0; skipped <= before; skipped += before) {
        struct stat status;
        /* A pipe or a device that has taken its name is not even opened. */
        if (stat(path + skipped, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        int file = open(path + skipped, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file >= 0 && is_file(file, line->inode, head, head_length))
            return file;
        if (file >= 0)
            close(file);
    }
    return -1;
}

static bool image_read(struct image_cache *cache, struct image *image, const struct elf_input *input)
{
    if (!elf_image_read(input, &image->elf))
        return false;
    image->build_id_length = (uint8_t)elf_image_build_id(input, &image->elf, image->build_id);
    while (cache->bytes > cache->most / 4 * 3 && cache->oldest_unused)
        evict(cache, cache->oldest_unused);
    if (cache->bytes < cache->most)
        elf_tables_load(input, &image->elf, cache->most - cache->bytes, &image->tables);
    image->bytes = elf_tables_bytes(&image->tables);
    cache->bytes += image->bytes;
    return true;
}

static struct image *find(struct image_cache *cache, const struct maps_line *line, const uint8_t *head, size_t head_length)
{
    struct image *image = *bucket_of(cache, line->device, line->inode);
    while (image && (image->device != line->device || image->inode != line->inode || image->head_length != head_length ||
                     memcmp(image->head, head, head_length) != 0))
        image = image->next;
    return image;
}

struct image *image_get(struct image_cache *cache, const struct maps_line *line, pid_t pid, uint64_t base, bool *no_memory)
{
    uint8_t head[IMAGE_HEAD_BYTES];
    size_t head_length = unwind_memory_copy_of(pid, head, base, sizeof head, NULL);
    if (head_length < 4 || memcmp(head, "\177ELF", 4) != 0)
        return NULL;
    struct image *image = find(cache, line, head, head_length);
    if (image) {
        if (image->users++ == 0)
            unused_remove(cache, image);
        return image;
    }
    image = memory_zeroed(1, sizeof *image);
    if (!image) {
        *no_memory = true;
        return NULL;
    }
    image->device = line->device;
    image->inode = line->inode;
    memcpy(image->head, head, head_length);
    image->head_length = head_length;
    image->users = 1;
    int file = open_file(line, pid, head, head_length);
    struct elf_input input = file >= 0 ? (struct elf_input){.file = file} : (struct elf_input){.pid = pid, .base = base};
    bool usable = image_read(cache, image, &input);
    if (file >= 0)
        close(file);
    if (!usable) {
        memory_release(image);
        return NULL;
    }
    struct image **bucket = bucket_of(cache, line->device, line->inode);
    image->next = *bucket;
    *bucket = image;
    return image;
}
