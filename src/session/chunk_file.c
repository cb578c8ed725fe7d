#include "session/chunk_file.h"

#include "common/count.h"
#include "session/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { IMAGES_MAX = 1000000, FIRST_BYTES = 64 << 10 };

static bool is_ours(const struct chunk_file *file, int fd)
{
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == file->device && status.st_ino == file->inode;
}

/* A descriptor for one call. */
struct used_descriptor {
    int fd; /* or a negative errno */
    bool temporary;
};

static struct used_descriptor descriptor_begin(struct chunk_file *file)
{
    if (is_ours(file, file->fd))
        return (struct used_descriptor){file->fd, false};
    int fd = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return (struct used_descriptor){-errno, false};
    if (!is_ours(file, fd)) {
        close(fd);
        return (struct used_descriptor){-ENOENT, false};
    }
    if (file->owner != 0 && file->owner != gettid())
        return (struct used_descriptor){fd, true};
    file->fd = descriptor_move_up(fd);
    return (struct used_descriptor){file->fd, false};
}

static void descriptor_end(struct used_descriptor used)
{
    if (used.temporary)
        close(used.fd);
}

/* The folder's path with a slash behind it, from the root: the program may change its working folder. */
static int folder_path(char path[static PATH_MAX], const char *folder, struct error *error)
{
    size_t start = 0;
    if (folder[0] != '/') {
        if (!getcwd(path, PATH_MAX - 1))
            return error_set(error, -errno, "the working folder: %s", error_text(errno));
        start = strlen(path);
        path[start++] = '/';
    }
    size_t length = strlen(folder);
    if (length + 1 >= PATH_MAX - start)
        return error_set(error, -ENAMETOOLONG, "%.200s…: the path is too long", folder);
    memcpy(path + start, folder, length);
    path[start + length] = '/';
    path[start + length + 1] = 0;
    return 0;
}

/* btrfs, bcachefs and ZFS write every page to a new place each time. What is reserved lasts for the first time only; a recycled
 * chunk, or a page that the kernel wrote back meanwhile, could meet a full disk: a SIGBUS in the program. So there the
 * recording ends while there still is room (as far as the file system knows: its figures can be some seconds old). btrfs can
 * also be told, as long as a file is empty, to write it in place. */
static const uint32_t moving_systems[] = {BTRFS_SUPER_MAGIC, 0xca451a4e, 0x2fc12fc1};
static const uint64_t room_to_leave = 64 << 20;

static void write_in_place(struct chunk_file *file)
{
    struct statfs system;
    if (fstatfs(file->fd, &system) != 0)
        return;
    for (size_t i = 0; i < COUNT(moving_systems); i++)
        file->moves |= (uint32_t)system.f_type == moving_systems[i];
    file->in_memory = (uint32_t)system.f_type == TMPFS_MAGIC;
    int flags = 0;
    if (file->moves && ioctl(file->fd, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_NOCOW_FL;
        (void)ioctl(file->fd, FS_IOC_SETFLAGS, &flags);
    }
}

static bool has_room(const struct chunk_file *file, int fd)
{
    struct statfs system;
    return !file->moves || fd < 0 || fstatfs(fd, &system) != 0 ||
           (uint64_t)system.f_bavail * (uint64_t)system.f_bsize >= room_to_leave;
}

bool chunk_file_has_room(struct chunk_file *file)
{
    if (!file->moves)
        return true;
    struct used_descriptor used = descriptor_begin(file);
    bool room = has_room(file, used.fd);
    descriptor_end(used);
    return room;
}

/* By hand: the C library's way takes a new process 5 µs, for pages of it that nobody else has asked for. */
static char *number_put(char *out, unsigned number)
{
    char digits[16];
    size_t count = 0;
    for (; number || !count; number /= 10)
        digits[count++] = (char)('0' + number % 10);
    while (count)
        *out++ = digits[--count];
    return out;
}

bool chunk_file_name(char *out, size_t room, unsigned pid, unsigned image)
{
    static const char ending[] = ".sonde";
    char name[48], *end = number_put(name, pid);
    *end++ = '-';
    end = number_put(end, image);
    memcpy(end, ending, sizeof ending);
    size_t length = (size_t)(end - name) + sizeof ending;
    if (length > room)
        return false;
    memcpy(out, name, length);
    return true;
}

int chunk_file_create(struct chunk_file *file, const char *folder, const char *name, int pid, bool own_table,
                      struct error *error)
{
    int failed = folder_path(file->path, folder, error);
    if (failed)
        return failed;
    size_t folder_length = strlen(file->path);
    int fd = -1;
    errno = EEXIST;
    for (unsigned image = 0; fd < 0 && errno == EEXIST && image < (name ? 1 : IMAGES_MAX); image++) {
        char *end = file->path + folder_length;
        size_t room = PATH_MAX - folder_length;
        if (name ? strlen(name) >= room || !strcpy(end, name) : !chunk_file_name(end, room, (unsigned)pid, image))
            return error_set(error, -ENAMETOOLONG, "%.200s…: the path is too long", folder);
        file->image = image;
        fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        failed = error_set(error, -errno, "%.300s: cannot be made: %s", file->path, error_text(errno));
        if (fd >= 0)
            close(fd);
        return failed;
    }
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->owner = own_table ? gettid() : 0;
    file->fd = descriptor_move_up(fd);
    write_in_place(file);
    return 0;
}

void chunk_file_attach(struct chunk_file *file, int fd)
{
    struct stat status;
    *file = (struct chunk_file){.fd = fd};
    if (fstat(fd, &status) == 0) {
        file->device = status.st_dev;
        file->inode = status.st_ino;
    }
    write_in_place(file);
}

static int write_all(int fd, uint64_t offset, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = pwrite(fd, bytes, length, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? -errno : -ENOSPC;
        bytes += written;
        offset += (uint64_t)written;
        length -= (size_t)written;
    }
    return 0;
}

/* Where the file system cannot reserve, there is no room but what is written. */
static int write_zeros(int fd, uint64_t offset, uint64_t length)
{
    static const char zeros[16 << 10];
    int result = 0;
    for (uint64_t done = 0, part; result == 0 && done < length; done += part) {
        part = length - done < sizeof zeros ? length - done : sizeof zeros;
        result = write_all(fd, offset + done, zeros, part);
    }
    return result;
}

/* Beyond this limit the kernel would not only refuse but send a signal that ends the program. */
static bool may_be_so_long(uint64_t length)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || length <= limit.rlim_cur;
}

static int extend(int fd, uint64_t length)
{
    int result;
    if (!may_be_so_long(length))
        return -EFBIG;
    do
        result = ftruncate(fd, (off_t)length) == 0 ? 0 : -errno;
    while (result == -EINTR);
    return result;
}

static int reserve(const struct chunk_file *file, int fd, uint64_t offset, uint64_t length)
{
    if (!has_room(file, fd))
        return -ENOSPC;
    int result;
    do
        result = fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length) == 0 ? 0 : -errno;
    while (result == -EINTR);
    if (result != -EOPNOTSUPP && result != -ENOSYS)
        return result;
    if (!may_be_so_long(offset + length))
        return -EFBIG;
    return write_zeros(fd, offset, length);
}

int chunk_file_reserve(struct chunk_file *file, uint64_t offset, uint64_t length)
{
    struct used_descriptor used = descriptor_begin(file);
    int result = used.fd < 0 ? used.fd : reserve(file, used.fd, offset, length);
    descriptor_end(used);
    return result;
}

bool chunk_file_read(struct chunk_file *file, uint64_t offset, void *out, size_t length)
{
    struct used_descriptor used = descriptor_begin(file);
    ssize_t copied;
    do
        copied = used.fd < 0 ? -1 : pread(used.fd, out, length, (off_t)offset);
    while (used.fd >= 0 && copied < 0 && errno == EINTR);
    descriptor_end(used);
    return copied == (ssize_t)length;
}

void chunk_file_release(struct chunk_file *file, uint64_t offset, uint64_t length)
{
    struct used_descriptor used = descriptor_begin(file);
    /* Where the file system cannot do it the space stays taken, which does no harm. */
    if (used.fd >= 0)
        (void)!fallocate(used.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length);
    descriptor_end(used);
}

bool chunk_file_is_full(int error)
{
    return error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
}

/* Mappings start at a page of the file, which on some machines is as large as a chunk; what is asked for may start within. */
static size_t page_part(uint64_t offset)
{
    return (size_t)(offset & ((uint64_t)sysconf(_SC_PAGESIZE) - 1));
}

static void *map(const struct chunk_file *file, int fd, uint64_t offset, size_t length)
{
    size_t before = page_part(offset);
    void *pages = mmap(NULL, before + length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(offset - before));
    /* Around the page that is touched first, file systems of disks take many at once, and clear them all: 250 µs for a process
     * that most often writes two or three. Those that write on get the next ones so. */
    if (pages != MAP_FAILED && offset < FIRST_BYTES && !file->in_memory)
        (void)madvise(pages, before + length, MADV_RANDOM);
    return pages == MAP_FAILED ? NULL : (char *)pages + before;
}

int chunk_file_begin(struct chunk_file *file, size_t length, size_t reserved, void **bytes)
{
    struct used_descriptor used = descriptor_begin(file);
    int result = used.fd < 0 ? used.fd : extend(used.fd, length);
    if (!result)
        result = reserve(file, used.fd, 0, reserved);
    if (!result && !(*bytes = map(file, used.fd, 0, length)))
        result = -ENOMEM;
    descriptor_end(used);
    return result;
}

void chunk_file_unmap(void *bytes, size_t length)
{
    size_t before = page_part((uintptr_t)bytes);
    munmap((char *)bytes - before, before + length);
}

void chunk_file_close(struct chunk_file *file)
{
    if (is_ours(file, file->fd))
        close(file->fd);
    file->fd = -1;
}
