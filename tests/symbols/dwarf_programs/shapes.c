/* Functions that are called, and others that the linker may throw away. */
__attribute__((noinline)) int sink(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n;
}

int unused_one(int n)
{
    return sink(n) * 2;
}

static inline int twice(int n)
{
    return sink(n) + sink(n + 1);
}

int unused_two(int n)
{
    for (int i = 0; i < 10; i++)
        n += twice(n);
    return n;
}

int shapes(int n)
{
    return twice(n) + twice(n * 3);
}
