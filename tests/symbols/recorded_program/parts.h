#ifndef SONDE_TESTS_SYMBOLS_PARTS_H
#define SONDE_TESTS_SYMBOLS_PARTS_H

typedef unsigned part_callback(unsigned value);

unsigned first_part(unsigned value, part_callback *call);
unsigned second_part(unsigned value, part_callback *call);

#endif
