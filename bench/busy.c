/* Two threads that compute on stacks of 32 frames, a fixed amount of work:
 *
 *     busy UNITS FILE
 *
 * Each does so many units of less than a microsecond. Writes to FILE the CPU time of this process and of its parent since they
 * began: bench_busy to be recorded by others, bench_busy_itself with a recording of its own around the work. */
#include "costs.h"
#include "itself.h"
#include "workers.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t units = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    if (units == 0) {
        fputs("usage: busy UNITS FILE\n", stderr);
        return 2;
    }
    double start = costs_now().wall;
    itself_start();
    workers_start(units, itself_register);
    workers_join();
    itself_stop();
    struct costs costs = costs_now();
    costs.wall -= start;
    FILE *out = costs_open(argv[2]);
    fputc('{', out);
    costs_print(out, &costs, 1);
    itself_print(out);
    fputs("}\n", out);
    return fclose(out) != 0;
}
