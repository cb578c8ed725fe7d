#include "symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>

enum {
    /* Without its own limit, which is that of names of 1024 bytes; ours is on their length, and so on its depth. */
    PRINT_OPTIONS = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT,
    /* Template parameters with arguments of their own, in the name of a conversion: each doubles the time the parser takes. */
    MOST_CONVERSION_TEMPLATES = 8,
    /* The printer keeps a table of templates × references on the stack; each is counted up to twice, and 16 bytes large. */
    MOST_SAVED_TEMPLATES = 1 << 14,
    /* The printer searches what a pack expansion repeats for its pack, and prints nothing meanwhile; a part that the name
     * refers to many times is searched as often. */
    MOST_SEARCHED_PARTS = 1 << 12,
    MOST_PARTS = 1 << 16,
    /* Where the parts are not known. Two of them double what is searched. */
    MOST_UNSEEN_REFERENCES = 24,
};

/* Where a part of a name is, and how much of the name was walked over: each part as often as the name refers to it. */
struct walk {
    bool in_pack, in_lambda;
    size_t *parts, *searched;
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

static bool is_safe(const struct demangle_component *part, struct walk walk)
{
    if (!part)
        return true;
    if (++*walk.parts > MOST_PARTS || (walk.in_pack && ++*walk.searched > MOST_SEARCHED_PARTS))
        return false;
    switch (part->type) {
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE:
        return true;
    case DEMANGLE_COMPONENT_CTOR:
        return is_safe(part->u.s_ctor.name, walk);
    case DEMANGLE_COMPONENT_DTOR:
        return is_safe(part->u.s_dtor.name, walk);
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
        return is_safe(part->u.s_extended_operator.name, walk);
    case DEMANGLE_COMPONENT_FIXED_TYPE:
        return is_safe(part->u.s_fixed.length, walk);
    case DEMANGLE_COMPONENT_DEFAULT_ARG:
        return is_safe(part->u.s_unary_num.sub, walk);
    case DEMANGLE_COMPONENT_LAMBDA:
        walk.in_lambda = true;
        return is_safe(part->u.s_unary_num.sub, walk);
    case DEMANGLE_COMPONENT_UNARY:
        /* `sizeof...` of a parameter, which the printer takes for one of a template that is not there. */
        if (walk.in_lambda)
            return false;
        break;
    case DEMANGLE_COMPONENT_PACK_EXPANSION:
        walk.in_pack = true;
        break;
    default:
        break;
    }
    return is_safe(part->u.s_binary.left, walk) && is_safe(part->u.s_binary.right, walk);
}

static size_t count_references(const char *name)
{
    size_t count = 0;
    for (const char *at = name; (at = strchr(at, 'S')); at++)
        count += at[1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '_';
    return count;
}

/* Whether the C++ demangler can print the name: it has been seen to crash, and to search for packs without end. */
static bool can_be_printed(const char *name)
{
    bool has_packs = strstr(name, "Dp") || strstr(name, "sp") || strstr(name, "sP"), has_lambdas = strstr(name, "Ul");
    if (!has_packs && !has_lambdas)
        return true;
    /* The parts of a name with unresolved names cannot be had: libiberty does not settle there in which way it reads them. */
    if (strstr(name, "sr"))
        return (!has_packs || count_references(name) <= MOST_UNSEEN_REFERENCES) &&
               (!has_lambdas || (!strstr(name, "sZ") && !strstr(name, "sP")));
    void *memory = NULL;
    size_t parts = 0, searched = 0;
    const struct demangle_component *all = cplus_demangle_v3_components(name, PRINT_OPTIONS, &memory);
    bool safe = all && is_safe(all, (struct walk){.parts = &parts, .searched = &searched});
    free(memory);
    return safe;
}

static bool print_readable(const char *name, struct printing *printing)
{
    if (setjmp(printing->too_much) != 0)
        return false;
    if (rust_demangle_callback(name, DMGL_RUST, print, printing))
        return true;
    text_cut(printing->out, printing->start);
    return name[1] == 'Z' && is_bounded(name) && can_be_printed(name) &&
           cplus_demangle_v3_callback(name, PRINT_OPTIONS, print, printing);
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
