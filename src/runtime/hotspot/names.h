/* What a method is called, read from the VM's own description of its class. Not for handlers: takes a dozen reads. */
#ifndef SONDE_RUNTIME_HOTSPOT_NAMES_H
#define SONDE_RUNTIME_HOTSPOT_NAMES_H

#include "runtime/hotspot/memory.h"

enum { HOTSPOT_NAME_ROOM = 1024, HOTSPOT_FILE_ROOM = 512, HOTSPOT_LINES_ROOM = 1024 };

struct hotspot_line {
    uint32_t bci, line; /* from this bytecode on */
};

struct hotspot_name {
    char name[HOTSPOT_NAME_ROOM]; /* "java.util.HashMap.put(Object, Object)" */
    char file[HOTSPOT_FILE_ROOM]; /* "java/util/HashMap.java"; empty = not known */
    size_t line_count;
    struct hotspot_line lines[HOTSPOT_LINES_ROOM]; /* by bytecode; more are left out */
};

/* False where there is no method at this address. */
bool hotspot_method_name(struct hotspot_reader *reader, uint64_t method, struct hotspot_name *out);

/* The readable form of a class's name in the VM, "a/b/C$$Lambda$14+0x0000000800c01000": "a.b.C$$Lambda". What differs from one
 * run to the next is cut. */
void hotspot_class_text(const char *internal, char *out, size_t room);

/* The readable form of a signature's parameters, "(I[Ljava/lang/Object;)V": "(int, Object[])". Empty where it is none. */
void hotspot_parameters_text(const char *signature, char *out, size_t room);

#endif
