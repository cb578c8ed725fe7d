/* The names of lambdas, and of all else that is called operator(). A compiler calls the function of each of them operator(),
 * and gives it a linkage name only where that of the function around it is the same in all units; so what is inlined of them
 * could not be told apart:
 *
 *     subprogram main
 *     ├─ structure_type (line 12)  ─ subprogram operator()        main::{lambda#1}::operator()
 *     └─ structure_type (line 14)  ─ subprogram operator()        main::{lambda#2}::operator()
 *
 * Numbers are those that C++ gives them: in the order in which they stand in their function. */
#ifndef SONDE_SYMBOLS_DWARF_LAMBDAS_H
#define SONDE_SYMBOLS_DWARF_LAMBDAS_H

#include "common/arena.h"
#include "common/text_buffer.h"
#include "symbols/dwarf/names.h"

/* Inlined often, and to find what one is in means to go through its unit: so many names are remembered. */
enum { DWARF_LAMBDAS_KNOWN = 1024 };

struct dwarf_lambdas {
    struct dwarf_names names; /* of what they are in; its own, so that none of the caller's units is closed */
    struct text_buffer text;
    struct {
        const struct dwarf_file *file;
        uint64_t entry;
        struct slice name;
    } known[DWARF_LAMBDAS_KNOWN];
};

/* A zeroed value is empty. */
void dwarf_lambdas_free(struct dwarf_lambdas *lambdas);

/* As dwarf_names_forget(). */
void dwarf_lambdas_forget(struct dwarf_lambdas *lambdas, const struct dwarf_file *file);

/* Of the function at `entry`, which is called operator() there, with what it is in; empty where that cannot be found. 0 or
 * -ENOMEM. */
int dwarf_lambda_name(struct dwarf_lambdas *lambdas, const struct dwarf_unit *unit, uint64_t entry, struct slice *name,
                      struct arena *arena, struct dwarf_work *work);

#endif
