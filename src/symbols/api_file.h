/* Source files as the API names them: those that everybody can get from the same place have a name of their own.
 *
 *     /rustc/HASH/library/std/src/rt.rs                               git:github.com/rust-lang/rust:library/std/src/rt.rs:HASH
 *     /home/x/.cargo/registry/src/REGISTRY/nom-7.1.3/src/lib.rs       cargo:REGISTRY:nom-7.1.3:src/lib.rs
 *     /home/x/app/main.c                                              the same */
#ifndef SONDE_SYMBOLS_API_FILE_H
#define SONDE_SYMBOLS_API_FILE_H

#include "common/text_buffer.h"

/* `path` itself, or a name put together in `text`, whose contents are lost. Memory running out is seen there. */
struct slice api_file_name(struct slice path, struct text_buffer *text);

#endif
