#include "symbols/api_file.h"

/* Takes the first part of a path, and the slash behind it; false where there is none, or nothing is left then. */
static bool take_part(struct slice *path, struct slice *part)
{
    const char *slash = path->length > 0 ? memchr(path->text, '/', path->length) : NULL;
    if (!slash || slash == path->text || (size_t)(slash + 1 - path->text) == path->length)
        return false;
    *part = slice_until(*path, (size_t)(slash - path->text));
    *path = slice_from(*path, part->length + 1);
    return true;
}

struct slice api_file_name(struct slice path, struct text_buffer *text)
{
    struct slice rustc = SLICE("/rustc/"), cargo = SLICE("/.cargo/registry/src/"), rest, revision, registry, package;
    text_cut(text, 0);
    if (slice_starts_with(path, rustc)) {
        rest = slice_from(path, rustc.length);
        if (!take_part(&rest, &revision))
            return path;
        text_add(text, SLICE("git:github.com/rust-lang/rust:"));
        text_add(text, rest);
        text_add_char(text, ':');
        text_add(text, revision);
        return text_slice(text);
    }
    const char *found = path.length > 0 ? memmem(path.text, path.length, cargo.text, cargo.length) : NULL;
    if (!found)
        return path;
    rest = slice_from(path, (size_t)(found - path.text) + cargo.length);
    if (!take_part(&rest, &registry) || !take_part(&rest, &package) || !memchr(package.text, '-', package.length))
        return path;
    text_add(text, SLICE("cargo:"));
    text_add(text, registry);
    text_add_char(text, ':');
    text_add(text, package);
    text_add_char(text, ':');
    text_add(text, rest);
    return text_slice(text);
}
