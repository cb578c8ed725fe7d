#include "symbols/cache.h"
#include "symbols/cache_format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- the columns ---- */

struct keeping {
    const struct symbol_answers *answers;
    uint32_t *texts; /* number + 1 of each string of the answers; 0 = not needed yet */
    symbol_addresses addresses, unknown;
    VEC(struct cache_row) rows;
    VEC(struct cache_call) calls;
    VEC(uint32_t) starts;
    VEC(char) bytes;
};

static void keeping_free(struct keeping *keeping)
{
    memory_release(keeping->texts);
    vec_free(&keeping->addresses);
    vec_free(&keeping->unknown);
    vec_free(&keeping->rows);
    vec_free(&keeping->calls);
    vec_free(&keeping->starts);
    vec_free(&keeping->bytes);
}

static bool put_text(struct keeping *keeping, struct string_index index, uint32_t *out)
{
    *out = CACHE_TEXT_NONE;
    if (!string_exists(index))
        return true;
    if (keeping->texts[index.i] == 0) {
        struct slice text = symbol_text(keeping->answers, index);
        uint32_t length = (uint32_t)text.length;
        size_t start = keeping->bytes.count + sizeof length, end = start + text.length + 1;
        if (end > SYMBOL_CACHE_FILE_MOST || !vec_reserve(&keeping->bytes, end))
            return false;
        memcpy(keeping->bytes.items + start - sizeof length, &length, sizeof length);
        memcpy(keeping->bytes.items + start, text.text, text.length);
        keeping->bytes.items[end - 1] = '\0';
        keeping->bytes.count = end;
        if (!vec_push(&keeping->starts, (uint32_t)start))
            return false;
        keeping->texts[index.i] = (uint32_t)keeping->starts.count;
    }
    *out = keeping->texts[index.i] - 1;
    return true;
}

static bool put_call(struct keeping *keeping, const struct symbol_call *call, struct cache_call *out)
{
    out->line = call->line;
    return put_text(keeping, call->function, &out->function) && put_text(keeping, call->mangled, &out->mangled) &&
           put_text(keeping, call->file, &out->file);
}

static bool put_row(struct keeping *keeping, const struct symbol_answer *from)
{
    struct cache_row row = {
        .symbol_start = from->symbol_start,
        .symbol_size = from->symbol_size,
        .first_call = (uint32_t)keeping->calls.count,
        .call_count = from->inline_count,
    };
    if (!put_text(keeping, from->symbol, &row.symbol) || !put_text(keeping, from->mangled, &row.mangled) ||
        !put_call(keeping, &from->outer, &row.outer))
        return false;
    for (uint32_t i = 0; i < from->inline_count; i++) {
        struct cache_call call;
        if (!put_call(keeping, &keeping->answers->inlines.items[from->first_inline + i], &call) ||
            !vec_push(&keeping->calls, call))
            return false;
    }
    return vec_push(&keeping->addresses, from->address) && vec_push(&keeping->rows, row);
}

/* Each address with or without an answer. */
static bool put_addresses(struct keeping *keeping, const symbol_addresses *addresses)
{
    const struct symbol_answers *answers = keeping->answers;
    size_t at = 0;
    for (size_t i = 0; i < addresses->count; i++) {
        uint64_t address = addresses->items[i];
        while (at < answers->rows.count && answers->rows.items[at].address < address)
            at++;
        if (at < answers->rows.count && answers->rows.items[at].address == address) {
            if (!put_row(keeping, &answers->rows.items[at]))
                return false;
        } else if (!vec_push(&keeping->unknown, address)) {
            return false;
        }
    }
    return true;
}

/* Both in order, each once. */
static bool merge_addresses(symbol_addresses *out, const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    size_t i = 0, j = 0;
    while (i < a_count || j < b_count) {
        bool from_a = j == b_count || (i < a_count && a[i] <= b[j]);
        uint64_t next = from_a ? a[i++] : b[j++];
        if ((out->count == 0 || next > out->items[out->count - 1]) && !vec_push(out, next))
            return false;
    }
    return true;
}

/* ---- the file ---- */

static bool make_folders(const char *folder)
{
    char path[PATH_MAX];
    size_t length = strlen(folder);
    if (length == 0 || length >= sizeof path)
        return false;
    memcpy(path, folder, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        char end = path[i];
        path[i] = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            return false;
        path[i] = end;
    }
    return true;
}

static bool write_all(int fd, const struct iovec *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t done = 0; done < pieces[i].iov_len;) {
            ssize_t written = write(fd, (const char *)pieces[i].iov_base + done, pieces[i].iov_len - done);
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                return false;
            done += (size_t)written;
        }
    return true;
}

/* The checksum comes last, when all bytes are there. */
static bool write_file(int fd, struct keeping *keeping, struct cache_header *header)
{
    struct iovec pieces[] = {
        {header, sizeof *header},
        {keeping->addresses.items, keeping->addresses.count * sizeof *keeping->addresses.items},
        {keeping->rows.items, keeping->rows.count * sizeof *keeping->rows.items},
        {keeping->unknown.items, keeping->unknown.count * sizeof *keeping->unknown.items},
        {keeping->calls.items, keeping->calls.count * sizeof *keeping->calls.items},
        {keeping->starts.items, keeping->starts.count * sizeof *keeping->starts.items},
        {keeping->bytes.items, keeping->bytes.count},
    };
    enum { PIECES = sizeof pieces / sizeof *pieces };
    size_t size = 0;
    for (size_t i = 0; i < PIECES; i++)
        size += pieces[i].iov_len;
    char *whole = size <= SYMBOL_CACHE_FILE_MOST ? memory_array(size, 1) : NULL;
    if (!whole)
        return false;
    size_t at = 0;
    for (size_t i = 0; i < PIECES; i++) {
        if (pieces[i].iov_len > 0)
            memcpy(whole + at, pieces[i].iov_base, pieces[i].iov_len);
        at += pieces[i].iov_len;
    }
    header->checksum = cache_checksum((struct slice){whole, size});
    memcpy(whole, header, sizeof *header);
    bool done = write_all(fd, &(struct iovec){whole, size}, 1);
    memory_release(whole);
    return done;
}

static void replace(const char *folder, const struct cache_key *key, struct symbol_cache_worth worth, struct keeping *keeping)
{
    struct cache_header header = {
        .magic = CACHE_MAGIC,
        .status = (uint16_t)worth.status,
        .reach = (uint16_t)worth.reach,
        .address_count = (uint32_t)keeping->addresses.count,
        .unknown_count = (uint32_t)keeping->unknown.count,
        .call_count = (uint32_t)keeping->calls.count,
        .text_count = (uint32_t)keeping->starts.count,
        .text_bytes = (uint32_t)keeping->bytes.count,
    };
    char path[PATH_MAX];
    cache_version(header.version);
    memcpy(header.build_id, key->build_id, sizeof header.build_id);
    int length = snprintf(path, sizeof path, "%s/new-XXXXXX", folder);
    int fd = length > 0 && (size_t)length < sizeof path && make_folders(folder) ? mkostemp(path, O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    bool done = write_file(fd, keeping, &header);
    done = close(fd) == 0 && done;
    if (!done || rename(path, key->path) < 0)
        unlink(path);
    else
        cache_trim(folder);
}

void symbol_cache_keep(const char *folder, struct slice build_id, struct symbol_cache_worth worth,
                       const struct symbol_cache *before, const uint64_t *addresses, size_t count,
                       const struct symbol_answers *found)
{
    struct cache_key key;
    struct error error = {0};
    struct symbol_answers all = {0};
    symbol_addresses missing = {0}, asked = {0}, asked_before = {0};
    struct keeping keeping = {.answers = found};
    bool good = cache_key_of(folder, build_id, &key);
    if (before) {
        keeping.answers = &all;
        good = good &&
               symbol_cache_read(before, before->addresses, before->header->address_count, &all, &missing, &error) == 0 &&
               symbol_answers_add(&all, found);
    }
    if (before)
        good = good && merge_addresses(&asked_before, before->addresses, before->header->address_count, before->unknown,
                                       before->header->unknown_count);
    good = good && merge_addresses(&asked, asked_before.items, asked_before.count, addresses, count);
    keeping.texts = good ? memory_zeroed(string_table_count(&keeping.answers->strings) + 1, sizeof *keeping.texts) : NULL;
    if (keeping.texts && put_addresses(&keeping, &asked))
        replace(folder, &key, worth, &keeping);
    keeping_free(&keeping);
    vec_free(&missing);
    vec_free(&asked);
    vec_free(&asked_before);
    symbol_answers_free(&all);
}

/* ---- the folder ---- */

struct cached_file {
    struct timespec used;
    off_t size;
    char name[2 * BREAKPAD_ID_BYTES + 1];
};

static int compare_use(const void *a, const void *b)
{
    const struct cached_file *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

void cache_trim(const char *folder)
{
    VEC(struct cached_file) files = {0};
    off_t total = 0;
    DIR *entries = opendir(folder);
    if (!entries)
        return;
    /* Those that a writer left behind unfinished are among them, and become old like the others. */
    for (struct dirent *entry; (entry = readdir(entries));) {
        struct cached_file file;
        struct stat status;
        if (strlen(entry->d_name) >= sizeof file.name ||
            fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
            continue;
        strcpy(file.name, entry->d_name);
        file.used = status.st_mtim;
        file.size = status.st_size;
        total += file.size;
        if (!vec_push(&files, file))
            break;
    }
    if (total > SYMBOL_CACHE_FOLDER_MOST)
        qsort(files.items, files.count, sizeof *files.items, compare_use);
    for (size_t i = 0; i < files.count && total > SYMBOL_CACHE_FOLDER_MOST; i++)
        if (unlinkat(dirfd(entries), files.items[i].name, 0) == 0)
            total -= files.items[i].size;
    closedir(entries);
    vec_free(&files);
}
