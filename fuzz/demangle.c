/* Any bytes as the name of a function; and as the choices from which a name is made that a compiler might have made: few others
 * are read to their end. */
#include "target.h"

#include "symbols/demangle.h"

struct making {
    const uint8_t *at, *end;
    struct text_buffer name;
};

static void make_type(struct making *making);
static void make_expression(struct making *making);

static void say(struct making *making, const char *text)
{
    text_add(&making->name, slice_of(text));
}

/* 0 when there are no more bytes, or the name is long enough: the first choice is always one that ends. */
static unsigned choose(struct making *making, unsigned count)
{
    if (making->at == making->end || making->name.bytes.count > DEMANGLE_MOST_INPUT - 100)
        return 0;
    return *making->at++ % count;
}

static void make_reference(struct making *making)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    unsigned number = choose(making, sizeof digits);
    text_add_char(&making->name, 'S');
    if (number > 0)
        text_add_char(&making->name, digits[number - 1]);
    text_add_char(&making->name, '_');
}

static void make_types(struct making *making, const char *before)
{
    say(making, before);
    for (unsigned left = choose(making, 4); left > 0; left--)
        make_type(making);
    text_add_char(&making->name, 'E');
}

static void make_arguments(struct making *making)
{
    text_add_char(&making->name, choose(making, 4) < 3 ? 'I' : 'J');
    for (unsigned left = choose(making, 4); left > 0; left--)
        switch (choose(making, 5)) {
        case 1:
            say(making, "X");
            make_expression(making);
            say(making, "E");
            break;
        case 2:
            make_arguments(making);
            break;
        case 3:
            say(making, "Li5E");
            break;
        default:
            make_type(making);
        }
    text_add_char(&making->name, 'E');
}

static void make_class(struct making *making)
{
    static const char *const names[] = {"1a", "St1b", "N1c1dE", "NSt1e1fE"};
    say(making, names[choose(making, 4)]);
    if (choose(making, 2))
        make_arguments(making);
}

static void make_type(struct making *making)
{
    static const char *const around[] = {"P", "R", "O", "K", "A_", "Dp", "M1a", "C"};
    switch (choose(making, 10)) {
    case 0:
        say(making, "i");
        break;
    case 1:
        make_reference(making);
        break;
    case 2:
        say(making, choose(making, 2) ? "T0_" : "T_");
        break;
    case 3:
        say(making, "T_");
        make_arguments(making);
        break;
    case 4:
        make_reference(making);
        make_arguments(making);
        break;
    case 5:
        say(making, "F");
        make_type(making);
        make_types(making, "");
        break;
    case 6:
        say(making, "DT");
        make_expression(making);
        say(making, "E");
        break;
    case 7:
        make_class(making);
        break;
    default:
        say(making, around[choose(making, sizeof around / sizeof *around)]);
        make_type(making);
    }
}

static void make_expression(struct making *making)
{
    static const char *const unary[] = {"sp", "ng", "nx", "nt"}, *const ends[] = {"fp_", "T_", "sZT_", "sZfp_", "Li5E"};
    switch (choose(making, 10)) {
    case 1:
        say(making, "cl");
        make_expression(making);
        make_expression(making);
        say(making, "E");
        break;
    case 2:
        say(making, unary[choose(making, sizeof unary / sizeof *unary)]);
        make_expression(making);
        break;
    case 3:
        say(making, choose(making, 2) ? "fLpl" : "pl");
        make_expression(making);
        make_expression(making);
        break;
    case 4:
        make_types(making, "sP");
        break;
    case 5:
        say(making, "cv");
        make_type(making);
        make_expression(making);
        break;
    case 6:
        say(making, "st");
        make_type(making);
        break;
    case 7:
        say(making, "sr");
        make_type(making);
        say(making, "1x");
        break;
    case 8:
        say(making, "1g");
        make_arguments(making);
        break;
    default:
        say(making, ends[choose(making, sizeof ends / sizeof *ends)]);
    }
}

/* A function, a lambda in one, or a conversion. */
static void make_name(struct making *making)
{
    switch (choose(making, 4)) {
    case 1:
        make_types(making, "_ZN1aUl");
        say(making, "_E");
        break;
    case 2:
        say(making, "_ZN1acv");
        make_type(making);
        say(making, "E");
        break;
    default:
        say(making, "_Z1f");
        make_arguments(making);
    }
    do
        make_type(making);
    while (choose(making, 4));
}

static void check(struct slice name)
{
    struct text_buffer text = {0};
    text_add(&text, SLICE("before"));
    bool readable = demangle(name, &text);
    fuzz_check(slice_starts_with(text_slice(&text), SLICE("before")));
    fuzz_check(readable ? text.bytes.count > 6 : text.bytes.count == 6);
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check((struct slice){(const char *)data, size});
    struct making making = {.at = data, .end = data + size};
    make_name(&making);
    check(text_slice(&making.name));
    text_free(&making.name);
    return 0;
}
