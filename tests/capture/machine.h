/* A machine of tests/data/machines as a tree of files, and tests of what reads such trees. */
#ifndef SONDE_TESTS_MACHINE_H
#define SONDE_TESTS_MACHINE_H

/* Makes the tree in a folder of its own, whose path is returned (valid until the next one); machine_remove() removes it. */
const char *machine_make(const char *name);
void machine_remove(void);

/* Changes one of its files. */
void machine_set(const char *path, const char *text);

/* From now on only root may read it: a test that runs as root has to become somebody else to see it. */
void machine_deny(const char *path);

#endif
