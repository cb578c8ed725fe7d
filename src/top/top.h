/* `sonde top`: what is on the screen, and what keys do. It knows no terminal: keys go in, a canvas comes out.
 *
 *     profile.json.gz   t-0 main of app, pid 12                      2,976 samples     which threads, and the sum
 *     Complete "main" › Merge: malloc                                                  what was transformed
 *       total  samples   self  function                                                the heading of the panel
 *      100.0%    2,976      0  ▾ main  app                                             its list
 *       …
 *     ? keys  Tab functions  / find  i invert  q quit                         1/12     or a message, or what is typed
 *
 * A panel is a list: panel.h has what each of them is. The engine is asked directly (tree/query.h), not through requests of
 * the page: both come to the same calls, and here nothing lies between that would want them as bytes. */
#ifndef SONDE_TOP_TOP_H
#define SONDE_TOP_TOP_H

#include "top/canvas.h"
#include "top/key.h"
#include "top/state.h"

/* 0 or a negative errno, and `top->look.error` says why; to be freed in any case. `filters` is what the head of the screen says
 * of the query that no key changes: "--search draw"; it may be empty. All that is pointed at must outlive it, but the terminal.
 */
int top_open(struct top *top, const char *file, const char *filters, const struct view *whole, const struct query *query,
             const struct top_sources *sources, const struct terminal *terminal);
void top_free(struct top *top);

/* What a key does; `top->done` once it was the one that ends. */
void top_key(struct top *top, int key);

/* Draws into a canvas that has begun. */
void top_draw(struct top *top, struct canvas *canvas);

#endif
