#include "allocations/sampling.h"

#include <string.h>

/* splitmix64 */
static uint64_t next_random(uint64_t *random)
{
    uint64_t value = *random += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* The natural logarithm of a normal number above 0; by hand, because libm is another library than libc. The mantissa is brought
 * near 1, where ln(m) = 2 atanh((m - 1) / (m + 1)) needs few terms. */
static double natural_logarithm(double number)
{
    enum { MANTISSA_BITS = 52, BIAS = 1023, TERMS = 12 };
    const double ln2 = 0.69314718055994530942, root = 1.41421356237309504880;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    int exponent = (int)(bits >> MANTISSA_BITS & 0x7ff) - BIAS;
    bits = (bits & ((UINT64_C(1) << MANTISSA_BITS) - 1)) | (uint64_t)BIAS << MANTISSA_BITS;
    double mantissa;
    memcpy(&mantissa, &bits, sizeof mantissa);
    if (mantissa > root) {
        mantissa /= 2;
        exponent++;
    }
    double t = (mantissa - 1) / (mantissa + 1), square = t * t, sum = 0;
    for (int i = TERMS; i >= 0; i--)
        sum = sum * square + 1.0 / (2 * i + 1);
    return 2 * t * sum + exponent * ln2;
}

/* 1 - e^-x, for x ≥ 0: of a small part of x by its series, and from there by 1 - (1 - q)² = q (2 - q), which loses no digits.
 */
static double one_minus_exponential(double x)
{
    enum { TERMS = 10 };
    const double certain = 40; /* e^-40 is less than what a double can tell from 1 */
    if (!(x < certain))
        return 1;
    int doublings = 0;
    for (; x > 0.125; x /= 2)
        doublings++;
    double q = 0;
    for (int i = TERMS; i >= 1; i--)
        q = x / i * (1 - q);
    for (; doublings > 0; doublings--)
        q *= 2 - q;
    return q;
}

uint64_t sampling_gap(uint64_t *random, uint64_t mean)
{
    if (mean == SAMPLING_MEAN_ALL)
        return 1;
    /* 0 < u ≤ 1, of as many bits as a double has. */
    double u = (double)((next_random(random) >> 11) + 1) * 0x1p-53;
    /* Rounded up: a whole number of bytes reaches the gap where it reaches that. At most 37 means. */
    uint64_t gap = (uint64_t)(-natural_logarithm(u) * (double)(mean < SAMPLING_MEAN_MOST ? mean : SAMPLING_MEAN_MOST));
    return gap + 1;
}

double sampling_probability(uint64_t size, uint64_t mean)
{
    return mean == SAMPLING_MEAN_ALL ? 1 : one_minus_exponential((double)sampling_size(size) / (double)mean);
}
