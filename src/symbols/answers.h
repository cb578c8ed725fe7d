/* What is known of addresses in one module: the one form in which names, files, lines and inlined calls travel, from whoever
 * found them (ELF, DWARF, a JIT's map, the cache, a server) to whoever uses them (the profile, the symbolication API).
 *
 * An address is relative to the module's image base: where its first loaded segment begins, rounded down to a page. That is
 * what profiles and the symbolication API of the ecosystem call a relative address. For libraries and position-independent
 * programs it is the address in the file; for others it is not. */
#ifndef SONDE_SYMBOLS_ANSWERS_H
#define SONDE_SYMBOLS_ANSWERS_H

#include "common/string_table.h"
#include "common/vec.h"

/* Lines count from 1; 0 = unknown. Texts are STRING_NONE where they are unknown. */
struct symbol_call {
    struct string_index function; /* readable */
    struct string_index mangled;  /* as in the file; the same index as `function` where that is readable already */
    struct string_index file;
    uint32_t line;
};

/*      address ─▶ symbol  "draw_all"  0x1200, 0x340 bytes           from the symbol table
 *                 outer   draw_all    scene.c:212                   where it calls what was inlined into it
 *                 inlines draw_node   scene.c:88  │ blend  mix.h:17 │
 *                                     (inlines are stored innermost first: blend, draw_node) */
struct symbol_answer {
    uint64_t address;
    uint64_t symbol_start;       /* relative address */
    uint64_t symbol_size;        /* 0 = unknown */
    struct string_index symbol;  /* readable; STRING_NONE where nothing is known of the address */
    struct string_index mangled; /* as in the file; the same index as `symbol` where it was readable already */
    struct symbol_call outer;    /* the function that is not inlined; its name is that of the symbol where there is one */
    uint32_t first_inline, inline_count; /* in the answers' inlines */
};

struct symbol_answers {
    struct string_table strings;
    VEC(struct symbol_answer) rows; /* ascending addresses, each once */
    VEC(struct symbol_call) inlines;
    struct slice mapped; /* the file that some of the strings are in; empty = none */
};

/* A zeroed value holds no answers. */
void symbol_answers_free(struct symbol_answers *answers);

/* Adds the rows of others, but for addresses that have one already. False when the heap is empty. */
bool symbol_answers_add(struct symbol_answers *answers, const struct symbol_answers *others);

/* The row of an address, or NULL. */
const struct symbol_answer *symbol_answers_find(const struct symbol_answers *answers, uint64_t address);

static inline struct slice symbol_text(const struct symbol_answers *answers, struct string_index index)
{
    return string_table_get(&answers->strings, index);
}

#endif
