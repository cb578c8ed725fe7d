/* Sizes of blocks in classes: powers of two, and between them where glibc's malloc changes its way. */
#ifndef SONDE_TREE_SIZE_CLASS_H
#define SONDE_TREE_SIZE_CLASS_H

#include <stddef.h>
#include <stdint.h>

enum { SIZE_CLASSES = 48 };

/* `size` in bytes; less than one, and NaN, is as one. */
uint32_t size_class_of(double size);

/* "64 to 127 bytes" */
void size_class_name(uint32_t of, char *text, size_t room);

#endif
