/* Whether a sum of samples differs between two recordings by more than chance explains.
 *
 * A sum x with the variance V says as much as n = x / u samples of the weight u = V / x would: its effective number of samples
 * (Kish). Were both recordings of the same program, each of all N = n + n' samples would be in the second one with the
 * probability q = u / (u + u'), so n' has a binomial distribution. That test is exact for few samples, where a normal
 * distribution is not: of 5 samples that are all in one of two equal recordings p is 0.06, not 0.03.
 *
 * As both are taken for the same program, u and u' are estimated from both together: a recording that happened to catch a heavy
 * sample has a larger sum and a larger variance, and would else seem to be less certain than the other. */
#ifndef SONDE_TREE_CHANGE_H
#define SONDE_TREE_CHANGE_H

#include <stddef.h>

/* A sum as one recording, or several, measured it. */
struct measure {
    double value;
    double variance; /* because its samples came at random */
    double grain;    /* what samples of this recording weigh; 0 = none are random */
    double spread;   /* variance between runs of the same program, as a share of value * value */
};

static inline double measure_variance(const struct measure *of)
{
    return of->variance + of->spread * of->value * of->value;
}

/* How often chance alone makes two recordings of the same program differ by so much or more. *least, which may be NULL: the
 * smallest that it could have been for so few samples, however they were distributed. */
double change_chance(const struct measure *base, const struct measure *new, double *least);

/* Half the width of the interval that has the true difference in it 95 times in 100. */
double change_error(const struct measure *base, const struct measure *new);

/* Corrects `count` chances for their number, in place, by Benjamini and Hochberg: of what is at or below a level afterwards, at
 * most that share is chance, and where nothing changed anything at all is there only so often. Those that are NaN were not
 * looked at, and stay NaN. -ENOMEM or 0. */
int changes_correct(double *chances, size_t count);

/* The probability that a beta distribution gives to what is below x: I_x(a, b), for a and b above 0. */
double beta_below(double x, double a, double b);

#endif
