#include "symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>

enum {
    /* Template parameters with arguments of their own, in the name of a conversion: each doubles the time the parser takes. */
    MOST_CONVERSION_TEMPLATES = 8,
    /* The printer keeps a table of templates × references on the stack; each is counted up to twice, and 16 bytes large. */
    MOST_SAVED_TEMPLATES = 1 << 14,
};

struct printing {
    struct text_buffer *out;
    size_t start;
    jmp_buf too_much;
};

/* The demanglers cannot be asked to stop. They hold nothing that would be lost while they print, but for the bytes of a Rust
 * identifier with letters beyond ASCII, which are handed over at once: so those are let pass. */
static void print(const char *text, size_t length, void *data)
{
    struct printing *printing = data;
    size_t printed = printing->out->bytes.count - printing->start;
    bool ascii = true;
    for (size_t i = 0; i < length; i++)
        ascii &= (unsigned char)text[i] < 0x80;
    if (ascii && printed + length > DEMANGLE_MOST_OUTPUT)
        longjmp(printing->too_much, 1);
    text_add(printing->out, (struct slice){text, length});
}

/* Whether what the C++ demangler does with the name stays within bounds that it does not have itself. */
static bool is_bounded(const char *name)
{
    size_t templates = 0, references = 0, parameter_templates = 0;
    for (const char *at = name; *at; at++) {
        templates += *at == 'I' || *at == 'J';
        references += (*at == 'R' || *at == 'O') && at[1] == 'T';
        if (*at != 'T')
            continue;
        const char *end = at + 1;
        while ((*end >= '0' && *end <= '9') || (*end >= 'A' && *end <= 'Z'))
            end++;
        parameter_templates += end[0] == '_' && end[1] == 'I';
    }
    if (parameter_templates > MOST_CONVERSION_TEMPLATES && strstr(name, "cv"))
        return false;
    return templates * references <= MOST_SAVED_TEMPLATES;
}

static bool print_readable(const char *name, struct printing *printing)
{
    if (setjmp(printing->too_much) != 0)
        return false;
    if (rust_demangle_callback(name, DMGL_RUST, print, printing))
        return true;
    text_cut(printing->out, printing->start);
    /* Without its own limit, which is that of names of 1024 bytes; ours is on their length, and so on its depth. */
    return name[1] == 'Z' && is_bounded(name) &&
           cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, print, printing);
}

/* Where the version that a linker wrote behind the name begins, or its end. */
static size_t end_of_name(struct slice name)
{
    const char *at = name.length > 0 ? memchr(name.text, '@', name.length) : NULL;
    return at && at > name.text ? (size_t)(at - name.text) : name.length;
}

bool demangle(struct slice name, struct text_buffer *out)
{
    char copy[DEMANGLE_MOST_INPUT + 1];
    size_t length = end_of_name(name);
    bool versioned = length < name.length;
    bool mangled = length > 2 && name.text[0] == '_' && (name.text[1] == 'Z' || name.text[1] == 'R');
    struct printing printing = {.out = out, .start = out->bytes.count};
    if (mangled && length <= DEMANGLE_MOST_INPUT && !memchr(name.text, '\0', length)) {
        memcpy(copy, name.text, length);
        copy[length] = '\0';
        if (print_readable(copy, &printing) && out->bytes.count > printing.start)
            return true;
    }
    text_cut(out, printing.start);
    if (versioned)
        text_add(out, slice_until(name, length));
    return versioned;
}
