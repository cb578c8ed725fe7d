// The program that walk.perf.txt and walk.folded are recordings of:
//   gcc -O1 -g -fno-omit-frame-pointer -o walk walk.c
//   perf record -e cpu-clock -F 2000 -g ./walk
//   perf script >walk.perf.txt
// with the folder of the program taken out. walk.folded is the same, one line per stack, root first:
//   perf script -F ip,sym | awk -v RS= '{ s = ""; for (i = NF; i > 0; i -= 2) s = s (s ? ";" : "") $i; n[s]++ }
//                                       END { for (s in n) print s, n[s] }' | sort >walk.folded

#include <stdlib.h>

static volatile unsigned sink;

__attribute__((noinline)) static unsigned mix(unsigned x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

__attribute__((noinline)) static unsigned leaf(unsigned x)
{
    return mix(x, 4000);
}

__attribute__((noinline)) static unsigned descend(unsigned x, int depth)
{
    if (depth == 0)
        return leaf(x);
    return descend(x + 1, depth - 1) ^ mix(x, 500);
}

static int by_value(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a;
    unsigned y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

__attribute__((noinline)) static void sort(unsigned *values, size_t count)
{
    qsort(values, count, sizeof(*values), by_value);
    sink = values[0];
}

int main(void)
{
    static unsigned values[20000];
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned i = 0; i < 20000; i++)
            values[i] = mix(i, 5);
        sort(values, 20000);
        for (int depth = 0; depth < 200; depth++)
            sink = descend(round, depth % 13);
    }
    return 0;
}
