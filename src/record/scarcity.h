/* Whether all CPUs are busy: then the samplers in the processes take their time from the programs (capture/thrift.h), which
 * each of them would have to open a file to know. The recorder looks for all. */
#ifndef SONDE_RECORD_SCARCITY_H
#define SONDE_RECORD_SCARCITY_H

#include <stdbool.h>
#include <stdint.h>

/* Zero: nobody has looked yet. */
struct scarcity {
    uint64_t looked_ns;
    double running; /* threads that run or could, without ours: a mean of the last looks */
    int cpus;       /* that we may use */
};

/* `running`: all threads of the machine that run or could, whoever looks among them. */
void scarcity_add(struct scarcity *scarcity, unsigned running);

bool scarcity_is(const struct scarcity *scarcity);

/* Looks, if the last time is some time ago. Where there is nothing to be seen, CPUs are not scarce. */
bool scarcity_look(struct scarcity *scarcity, uint64_t now_ns);

#endif
