/* A function inside of another one, where the compiler knows that extension of C. */
int sink(int n);

#ifdef __clang__
int nested(int n)
{
    return sink(n);
}
#else
int nested(int n)
{
    __attribute__((noinline)) int inner(int m)
    {
        return sink(m) + n;
    }
    return inner(n) * inner(n + 1);
}
#endif
