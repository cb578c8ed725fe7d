/* The names that builds of a module go by.
 *
 *     build id      ab cd 01 23 … (20 bytes, in the file)
 *     code id       "abcd0123…"                              the same in hexadecimal digits
 *     breakpad id   "2301CDAB…0"                             its first 16 bytes as a GUID, whose first numbers are read the
 *                                                            other way round, and the age 0 */
#ifndef SONDE_PROFILE_MODULE_IDS_H
#define SONDE_PROFILE_MODULE_IDS_H

#include "common/slice.h"

enum {
    MODULE_ID_BYTES = 64,  /* longer build ids are cut */
    BREAKPAD_ID_BYTES = 16 /* shorter ones are filled with zeros */
};

/* Both fill a NUL-terminated text and return it as a slice. */
struct slice module_breakpad_id(struct slice build_id, char text[2 * BREAKPAD_ID_BYTES + 2]);
struct slice module_code_id(struct slice build_id, char text[2 * MODULE_ID_BYTES + 1]);

/* The build id that a code id stands for; where that is empty, the first 16 bytes of it from the breakpad id. Empty where
 * neither is one. */
struct slice module_build_id(struct slice code_id, struct slice breakpad_id, char bytes[MODULE_ID_BYTES]);

/* Whether a file with the build id `found` is the module that was recorded with `wanted`, which may be all that is left of it
 * in a breakpad id. Neither is empty. */
bool module_build_id_matches(struct slice wanted, struct slice found);

/* What stands for a build id in files that have none: the first page of the code, folded into 16 bytes. */
struct slice module_text_id(struct slice text_section, char bytes[BREAKPAD_ID_BYTES]);

#endif
