/* Much debug information: types by the thousand, so that a lookup is worth several threads. UNIT makes each object's own. */
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TYPE(n)                                                                                                                \
    struct PASTE(kind, n) {                                                                                                    \
        int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;                                                                    \
    };
#define TYPES10(n) TYPE(n##0) TYPE(n##1) TYPE(n##2) TYPE(n##3) TYPE(n##4) TYPE(n##5) TYPE(n##6) TYPE(n##7) TYPE(n##8) TYPE(n##9)
#define TYPES100(n)                                                                                                            \
    TYPES10(n##0)                                                                                                              \
    TYPES10(n##1)                                                                                                              \
    TYPES10(n##2) TYPES10(n##3) TYPES10(n##4) TYPES10(n##5) TYPES10(n##6) TYPES10(n##7) TYPES10(n##8) TYPES10(n##9)
#define TYPES1000(n)                                                                                                           \
    TYPES100(n##0)                                                                                                             \
    TYPES100(n##1)                                                                                                             \
    TYPES100(n##2)                                                                                                             \
    TYPES100(n##3) TYPES100(n##4) TYPES100(n##5) TYPES100(n##6) TYPES100(n##7) TYPES100(n##8) TYPES100(n##9)
TYPES1000(_1)
TYPES1000(_2)
TYPES1000(_3)
TYPES1000(_4)

int PASTE(unit, UNIT)(int n)
{
    return n * UNIT;
}
#if UNIT == 1
int main(int argc, char **argv)
{
    (void)argv;
    return argc;
}
#endif
