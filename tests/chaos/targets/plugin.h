#ifndef SONDE_TESTS_CHAOS_PLUGIN_H
#define SONDE_TESTS_CHAOS_PLUGIN_H

unsigned plugin_compute(unsigned seed);

#endif
