#include "record/ended_file.h"

#include "session/format.h"
#include "session/trim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void ended_file_name(char name[ENDED_NAME_MAX], int pid, uint32_t image)
{
    snprintf(name, ENDED_NAME_MAX, "%d-%u.sonde", pid, image);
}

/* A number of digits without zeros in front; the end of it, or NULL where there is none, or one of more digits. */
static const char *read_number(const char *text, int digits_most, uint32_t *number)
{
    const char *at = text;
    for (*number = 0; *at >= '0' && *at <= '9' && at - text < digits_most; at++)
        *number = *number * 10 + (uint32_t)(*at - '0');
    return at == text || (*text == '0' && at > text + 1) ? NULL : at;
}

bool ended_file_read_name(const char *name, int *pid, uint32_t *image)
{
    uint32_t number;
    const char *at = read_number(name, 9, &number);
    at = at && *at == '-' ? read_number(at + 1, 6, image) : NULL;
    *pid = (int)number;
    return at && strcmp(at, ".sonde") == 0;
}

static uint64_t bytes_of(const struct stat *status)
{
    return (uint64_t)status->st_blocks * 512;
}

uint64_t ended_file_bytes(int folder, int pid, uint32_t image)
{
    char name[ENDED_NAME_MAX];
    struct stat status;
    ended_file_name(name, pid, image);
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
        return 0;
    return bytes_of(&status);
}

/* Just made. */
static bool is_blank(const struct session_file_header *header)
{
    static const char nothing[sizeof header->magic];
    return memcmp(header->magic, nothing, sizeof nothing) == 0 && header->pid == 0;
}

/* -1 where it is not that of the process. What is behind a link, or a second name of another process's file, is not. */
static int open_own(int folder, int pid, uint32_t image, int flags, struct session_file_header *header, struct stat *status)
{
    char name[ENDED_NAME_MAX];
    ended_file_name(name, pid, image);
    int fd = openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return -1;
    memset(header, 0, sizeof *header);
    if (fstat(fd, status) == 0 && S_ISREG(status->st_mode) && status->st_uid == geteuid() && status->st_nlink == 1 &&
        pread(fd, header, sizeof *header, 0) >= 0 && (header->pid == pid || is_blank(header)))
        return fd;
    close(fd);
    return -1;
}

static bool is_new(const struct stat *status)
{
    const time_t moment_s = 1;
    return time(NULL) - status->st_mtim.tv_sec <= moment_s;
}

bool ended_file_look(int folder, int pid, uint32_t image, struct ended_look *look)
{
    struct session_file_header header;
    struct stat status;
    int fd = open_own(folder, pid, image, O_RDONLY, &header, &status);
    if (fd < 0)
        return false;
    close(fd);
    *look = (struct ended_look){header.end_ns != 0, header.quota_taken, bytes_of(&status), is_new(&status)};
    return true;
}

/* 0 where nobody can write; or a negative errno: -EAGAIN where somebody can. */
static int try_lease(int folder, int pid, uint32_t image)
{
    struct session_file_header header;
    struct stat status;
    int fd = open_own(folder, pid, image, O_RDONLY, &header, &status), result = 0;
    if (fd < 0)
        return -ENOENT;
    /* Should somebody open the file in this moment, the signal that says so is one that does nothing. */
    if (fcntl(fd, F_SETSIG, SIGURG) != 0 || fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        result = -errno;
    else
        (void)fcntl(fd, F_SETLEASE, F_UNLCK);
    close(fd);
    return result;
}

bool ended_file_is_left(int folder, int pid, uint32_t image)
{
    return try_lease(folder, pid, image) == 0;
}

bool ended_file_is_written(int folder, int pid, uint32_t image)
{
    return try_lease(folder, pid, image) == -EAGAIN;
}

struct piece_of_chunk {
    struct budget_piece piece;
    uint32_t chunk;
};

struct inspection {
    VEC(struct piece_of_chunk) chunks;
    uint64_t start_ns, now_ns;
    uint64_t last_ns; /* when the last chunk was done; 0 = there is none */
    bool failed;
};

static void add_chunk(void *data, const struct trimmed_chunk *chunk)
{
    struct inspection *inspection = data;
    uint64_t done;
    if (chunk->kind == CHUNK_KEPT)
        return;
    /* One that was being written at the end is as old as the end; what makes no sense, too. */
    if (chunk->done_ns == 0 || __builtin_add_overflow(inspection->start_ns, chunk->done_ns, &done) || done > inspection->now_ns)
        done = inspection->now_ns;
    inspection->last_ns = done > inspection->last_ns ? done : inspection->last_ns;
    if (chunk->kind != CHUNK_MARKERS)
        return;
    struct piece_of_chunk item = {{done, chunk->bytes}, chunk->number};
    inspection->failed |= !vec_push(&inspection->chunks, item);
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece_of_chunk *first = a, *second = b;
    if (first->piece.done_ns != second->piece.done_ns)
        return first->piece.done_ns < second->piece.done_ns ? -1 : 1;
    return first->chunk < second->chunk ? -1 : first->chunk > second->chunk;
}

/* The rest of the file, which goes last, is what its chunks do not have. */
static bool take_pieces(struct ended_file *file, struct inspection *inspection, uint64_t bytes)
{
    size_t count = inspection->chunks.count;
    if (!vec_reserve(&file->share.pieces, count + 1) || !vec_reserve(&file->chunks, count + 1))
        return false;
    if (count > 1)
        qsort(inspection->chunks.items, count, sizeof *inspection->chunks.items, compare_pieces);
    for (size_t i = 0; i < count; i++) {
        struct piece_of_chunk *chunk = &inspection->chunks.items[i];
        chunk->piece.bytes = chunk->piece.bytes < bytes ? chunk->piece.bytes : bytes;
        bytes -= chunk->piece.bytes;
        file->share.pieces.items[file->share.pieces.count++] = chunk->piece;
        file->chunks.items[file->chunks.count++] = chunk->chunk;
    }
    uint64_t last = inspection->last_ns > 0 ? inspection->last_ns : inspection->now_ns;
    file->share.pieces.items[file->share.pieces.count++] = (struct budget_piece){last, bytes};
    return true;
}

struct ended_file *ended_file_open(int folder, int pid, uint32_t image, uint64_t now_ns)
{
    struct session_file_header header;
    struct stat status;
    int fd = open_own(folder, pid, image, O_RDWR, &header, &status);
    if (fd < 0)
        return NULL;
    struct inspection inspection = {.start_ns = header.start_monotonic_ns, .now_ns = now_ns};
    struct ended_file *file = memory_zeroed(1, sizeof *file);
    if (file && (is_blank(&header) || session_trim(fd, add_chunk, &inspection) == 0) && fstat(fd, &status) == 0 &&
        !inspection.failed && take_pieces(file, &inspection, bytes_of(&status))) {
        file->pid = pid;
        file->image = image;
    } else {
        ended_file_free(file);
        file = NULL;
    }
    vec_free(&inspection.chunks);
    close(fd);
    return file;
}

void ended_file_remove(int folder, int pid, uint32_t image)
{
    struct session_file_header header;
    struct stat status;
    char name[ENDED_NAME_MAX];
    int fd = open_own(folder, pid, image, O_RDONLY, &header, &status);
    if (fd < 0)
        return;
    ended_file_name(name, pid, image);
    unlinkat(folder, name, 0);
    close(fd);
}

void ended_file_cut(int folder, const struct ended_file *file)
{
    struct session_file_header header;
    struct stat status;
    if (file->share.next > file->chunks.count) {
        ended_file_remove(folder, file->pid, file->image);
        return;
    }
    int fd = open_own(folder, file->pid, file->image, O_RDWR, &header, &status);
    if (fd < 0)
        return;
    session_trim_chunk(fd, file->chunks.items[file->share.next - 1]);
    /* As the process counted those that it threw away itself. */
    uint64_t recycled = header.statistics[STATISTIC_CHUNKS_RECYCLED] + 1;
    const size_t at = offsetof(struct session_file_header, statistics) + STATISTIC_CHUNKS_RECYCLED * sizeof recycled;
    (void)!pwrite(fd, &recycled, sizeof recycled, (off_t)at);
    close(fd);
}

void ended_file_free(struct ended_file *file)
{
    if (!file)
        return;
    vec_free(&file->share.pieces);
    vec_free(&file->chunks);
    memory_release(file);
}
