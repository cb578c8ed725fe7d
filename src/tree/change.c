#include "tree/change.h"

#include "common/memory.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- distributions ---- */

/* The continued fraction of the incomplete beta function, by Lentz's method; converges quickly for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double x, double a, double b)
{
    static const double tiny = 1e-300;
    enum { MOST_STEPS = 5000 };
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m <= MOST_STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double factor = 1;
        for (int half = 0; half < 2; half++) {
            double step = half == 0 ? even : odd;
            d = 1 + step * d;
            c = 1 + step / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            factor = c * d;
            fraction *= factor;
        }
        if (fabs(factor - 1) < 1e-13)
            break;
    }
    return fraction;
}

double beta_below(double x, double a, double b)
{
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* Of a normal distribution: both tails from `z` standard deviations on. */
static double normal_tails(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

/* Twice the tail of a binomial distribution that `k` of `n` is in; `q` is the chance of each. Neither needs to be whole. */
static double binomial_tails(double k, double n, double q)
{
    double at_least = k > 0 ? beta_below(q, k, n - k + 1) : 1;
    double at_most = k < n ? beta_below(1 - q, n - k, k + 1) : 1;
    return fmin(1, 2 * fmin(at_least, at_most));
}

/* ---- one change ---- */

/* From so many samples on both distributions are the same for all that can be printed. */
static const double many = 20000;

/* What an effective sample of either recording weighs, were they of the same program. */
static void effective_weights(const struct measure *base, const struct measure *new, double *u, double *v)
{
    double mean = (base->value + new->value) / 2, of_base = base->variance / mean, of_new = new->variance / mean;
    /* Where one of the two is exact, nothing in the other may still be less than one sample of it. */
    if (base->value == 0)
        of_base = base->grain;
    if (new->value == 0)
        of_new = new->grain;
    if (base->grain > 0 && new->grain > 0) {
        /* In samples of either grain: their mean, and how much more uneven than usual they are. */
        double samples = base->value / base->grain + new->value / new->grain;
        double squares = base->variance / (base->grain * base->grain) + new->variance / (new->grain *new->grain);
        mean = samples / (1 / base->grain + 1 / new->grain);
        of_base = squares / samples * base->grain;
        of_new = squares / samples * new->grain;
    }
    *u = of_base + base->spread * mean;
    *v = of_new + new->spread *mean;
}

double change_chance(const struct measure *base, const struct measure *new, double *least)
{
    double ignored;
    least = least ? least : &ignored;
    *least = 0;
    /* Sums of the same numbers in another order are not quite the same. */
    if (fabs(base->value - new->value) <= 1e-9 * fmax(fabs(base->value), fabs(new->value))) {
        *least = 1;
        return 1;
    }
    struct measure a = *base, b = *new;
    if (a.value <= 0 && b.value <= 0) { /* frees */
        a.value = -a.value;
        b.value = -b.value;
    }
    double variance = measure_variance(&a) + measure_variance(&b), u, v;
    if (a.value < 0 || b.value < 0)
        return variance > 0 ? normal_tails((a.value - b.value) / sqrt(variance)) : 0;
    effective_weights(&a, &b, &u, &v);
    if (!(u > 0 && v > 0))
        return variance > 0 ? normal_tails((a.value - b.value) / sqrt(variance)) : 0;
    double m = a.value / u, n = b.value / v, q = u / (u + v);
    *least = fmin(1, 2 * pow(fmin(q, 1 - q), m + n));
    if (m + n > many)
        return normal_tails((n - (m + n) * q) / sqrt((m + n) * q * (1 - q)));
    return binomial_tails(n, m + n, q);
}

double change_error(const struct measure *base, const struct measure *new)
{
    return 1.96 * sqrt(measure_variance(base) + measure_variance(new));
}

/* ---- many changes ---- */

struct ranked {
    double chance;
    size_t place;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->chance != y->chance)
        return x->chance < y->chance ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

int changes_correct(double *chances, size_t count)
{
    struct ranked *ranked = memory_array(count + 1, sizeof *ranked);
    size_t tested = 0;
    if (!ranked)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (!isnan(chances[i]))
            ranked[tested++] = (struct ranked){chances[i], i};
    qsort(ranked, tested, sizeof *ranked, compare_ranked);
    double smallest = 1;
    for (size_t i = tested; i-- > 0;) {
        smallest = fmin(smallest, ranked[i].chance * (double)tested / (double)(i + 1));
        chances[ranked[i].place] = smallest;
    }
    memory_release(ranked);
    return 0;
}
