/* How many items an array has. */
#ifndef SONDE_COMMON_COUNT_H
#define SONDE_COMMON_COUNT_H

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
