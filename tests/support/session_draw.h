/* Session files drawn as text, one line an entry:
 *
 *     process app executable=/bin/app arguments="app --fast"
 *     configuration interval=1ms features=stackwalk,cpu filters=Main capacity=1000000 duration=10s time=0
 *     category 2 Layout colour=purple subcategories=Other,Reflow
 *     thread 1 Main tid=101 main sampled time=0 cpu=1ms labels=0x7000
 *     thread-name 1 "New name" time=5ms
 *     thread-end 1 time=9ms cpu=4ms
 *     module 1 /bin/app 0x1000-0x5000 bias=0x1000 build-id=c0ffee time=0
 *     module-end 1 time=9ms
 *     type 1 HttpRequest chart="{marker.data.url}" display=marker-chart,marker-table
 *     field url input=text format=url label=URL             (of the last type)
 *     field status input=unsigned format=integer hidden
 *     counter 1 malloc category=Memory description="the heap" time=0
 *     code v8 0x2000-0x2080 fn file=/a.js line=3 column=7 tier=optimised lines=0:3,16:4 there time=1ms
 *     code hotspot 0x7 run tier=interpreter time=1ms        (a function with a number)
 *     code-moved 0x2000 0x3000 time=2ms
 *     allocations adaptive maps unseen mean=16384 budget=10000 allocator=/lib/libc.so.6 time=0     (or fixed, all)
 *
 *     sample 1 1ms 0x1000 0x1010 label:"a b"@2/1 js:fn@file.js:10:2@3      (oldest first; whole: what is shared is found out)
 *     sample 1 2ms 0x1000 event call fault delay=2ms truncated
 *     look 101 3ms waiting cpu=1ms ready=10us runs=3 0x1000 0x1010         (or running, ended)
 *     count 1 -4096 number=3 time=1ms
 *     pause 5ms                                             (resume, pause-sampling, resume-sampling)
 *
 *     marker 1 "a request" interval=1ms-2ms type=1 category=2/1 url=http://a/ status=200
 *     marker 1 plain instant=1ms stack=0x1000,label:a stack-time=1ms stack-thread=1        (start=1ms, end=2ms)
 *
 *     allocation 1 2ms 0x5000 size=100 mean=4096 0x1000 0x1010        (frames oldest first; a whole stack)
 *     free 1 3ms 0x5000
 *     allocation 1 2ms 0x10000 mapped size=65536 0x1000
 *     unmap 1 3ms 0x10000 size=65536
 *
 *     caller 1 2ms                                          (and every allocation behind it, in the same chunk)
 *     call-path 0x1000 0x1010
 *     call-path +1 0x1020
 *     allocated 0 0xa00 size=100 after=50                   (path, address / 8 from the one before)
 *     freed 0 after=50
 *
 * Words stand between spaces, or in quotes. Times are nanoseconds, or have a unit: us, ms, s. What is not named is 0, empty or
 * no. A frame is an address; or `label:` or `js:` (or `runtime:`) with a text, @file:line:column if it is a runtime's, and
 * @category or @category/subcategory; `+js` behind it says that it is relevant for JS. `truncated` behind a stack says that it
 * is. `v8:` (or another runtime) and a number is a numbered frame: v8:0x2010, hotspot:0x7+12~inlined with a position and a
 * tier. `stack-thread` is the marker's own thread unless it is named. Values of a marker are named by the fields of its type,
 * whose line came before, and all are there.
 *
 * Three lines are no entries: `chunk samples` (or kept, markers) begins a new chunk, `gap` loses what chunk of samples there is
 * and begins a new one, and `owner 4711-0` begins the chunks about that process, in a file of looks. Empty lines, and those
 * that begin with #, are skipped. A line that makes no sense fails the test. */
#ifndef SONDE_TESTS_SESSION_DRAW_H
#define SONDE_TESTS_SESSION_DRAW_H

#include "session/chunk_manager.h"
#include "session/entry.h"

#include <sys/types.h>

struct session_draw;

/* The default: pid 4711, started 2023-11-14 22:13:20 UTC (1700000000 s) and 100 s after the machine, interval 1 ms, 64 MB. */
struct session_draw *session_draw_open(const char *folder);
struct session_draw *session_draw_open_with(const struct chunk_manager_options *options);

void session_draw_text(struct session_draw *draw, const char *text);

/* One entry, into a chunk of the kind it belongs to. A SAMPLE or LOOK goes in as it is. */
void session_draw_entry(struct session_draw *draw, const struct any_entry *entry);

/* For its state, its statistics, its end. */
struct session_file_header *session_draw_header(struct session_draw *draw);
const char *session_draw_path(struct session_draw *draw);
struct chunk_manager *session_draw_manager(struct session_draw *draw);

/* The file stays. */
void session_draw_close(struct session_draw *draw);

/* All at once: a file in `folder`, whose path is put into `path` (PATH_MAX bytes) unless that is NULL. */
void session_draw(const char *folder, const char *text, char *path);

/* The looks of a folder: as a file of a process, under the name that a recorder gives it. */
void session_draw_looks(const char *folder, const char *text);

/* A new empty folder for a test, and the end of it with all that is in it (files only). */
const char *session_folder_make(char path[64]);
void session_folder_remove(const char *path);

/* The disk space of a file, once the file system has written all of it: that may take blocks of its own, and would otherwise
 * happen in the middle of a test. */
off_t disk_bytes(const char *path);

#endif
