#include "common/memory.h"
#include "common/regex_positions.h"

#include <ctype.h>
#include <errno.h>

/* A part of the expression: whether it matches the empty text, and at which positions it begins and ends. */
struct part {
    bool empty;
    struct positions first, last;
};

struct parser {
    struct slice text;
    size_t at;
    struct regex *regex;
    unsigned count; /* positions so far */
    unsigned depth; /* groups that are open */
    struct error *error;
};

static bool fail(struct parser *parser, size_t at, const char *what)
{
    error_set(parser->error, -EINVAL, "byte %zu of the expression: %s", at + 1, what);
    return false;
}

/* The next byte; -1 at the end. */
static int peek(const struct parser *parser)
{
    return parser->at < parser->text.length ? (unsigned char)parser->text.text[parser->at] : -1;
}

static bool take(struct parser *parser, char byte)
{
    if (peek(parser) != byte)
        return false;
    parser->at++;
    return true;
}

/* ---- positions ---- */

static struct positions *after(struct regex *regex, unsigned position)
{
    return &regex->after[position / POSITIONS_AT_ONCE][1 << position % POSITIONS_AT_ONCE];
}

/* `next` may come after any of `ends`. */
static void follow(struct parser *parser, const struct positions *ends, const struct positions *next)
{
    for (unsigned position = 0; position < parser->count; position++)
        if (ends->words[position / 64] >> position % 64 & 1)
            positions_add(after(parser->regex, position), next);
}

static bool add_position(struct parser *parser, struct part *part)
{
    if (parser->count == REGEX_MAX_POSITIONS)
        return fail(parser, parser->at - 1, "it is too long by here, with all that is repeated");
    *part = (struct part){0};
    part->first.words[parser->count / 64] = UINT64_C(1) << parser->count % 64;
    part->last = part->first;
    parser->count++;
    return true;
}

/* The symbol may be at the position that was added last. */
static void allow(struct parser *parser, unsigned symbol)
{
    unsigned position = parser->count - 1;
    parser->regex->of_symbol[symbol].words[position / 64] |= UINT64_C(1) << position % 64;
}

static bool add_symbol(struct parser *parser, unsigned symbol, struct part *part)
{
    if (!add_position(parser, part))
        return false;
    allow(parser, symbol);
    return true;
}

/* ---- sets of bytes ---- */

/* [:alpha:]; the bytes are ASCII, whatever the locale. */
static bool take_class(struct parser *parser, bool *chosen)
{
    static const struct {
        struct slice name;
        int (*holds)(int);
    } classes[] = {
        {SLICE("alnum:]"), isalnum}, {SLICE("alpha:]"), isalpha}, {SLICE("blank:]"), isblank}, {SLICE("cntrl:]"), iscntrl},
        {SLICE("digit:]"), isdigit}, {SLICE("graph:]"), isgraph}, {SLICE("lower:]"), islower}, {SLICE("print:]"), isprint},
        {SLICE("punct:]"), ispunct}, {SLICE("space:]"), isspace}, {SLICE("upper:]"), isupper}, {SLICE("xdigit:]"), isxdigit},
    };
    struct slice rest = slice_from(parser->text, parser->at);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (slice_starts_with(rest, classes[i].name)) {
            for (int byte = 0; byte < 128; byte++)
                chosen[byte] |= classes[i].holds(byte) != 0;
            parser->at += classes[i].name.length;
            return true;
        }
    return fail(parser, parser->at, "there is no such class of characters");
}

/* One byte of a set, or the first and the last of a range. */
static bool take_range(struct parser *parser, bool *chosen)
{
    int first = peek(parser), last = first;
    size_t start = parser->at++;
    if (peek(parser) == '-' && parser->at + 1 < parser->text.length && parser->text.text[parser->at + 1] != ']') {
        parser->at++;
        last = peek(parser);
        parser->at++;
    }
    if (first >= 128 || last >= 128)
        return fail(parser, start, "only ASCII can stand between [ and ]");
    if (last < first)
        return fail(parser, start, "this range ends before it begins");
    for (int byte = first; byte <= last; byte++)
        chosen[byte] = true;
    return true;
}

/* After the [. A ] that comes first is one of the set. */
static bool parse_set(struct parser *parser, struct part *part)
{
    bool chosen[256] = {false};
    size_t start = parser->at - 1;
    bool negated = take(parser, '^');
    for (bool is_first = true; is_first || peek(parser) != ']'; is_first = false) {
        struct slice rest = slice_from(parser->text, parser->at);
        if (rest.length == 0)
            return fail(parser, start, "this [ is not closed");
        if (slice_starts_with(rest, SLICE("[.")) || slice_starts_with(rest, SLICE("[=")))
            return fail(parser, parser->at, "[. and [= are not known");
        bool is_class = slice_starts_with(rest, SLICE("[:"));
        parser->at += is_class ? 2 : 0;
        if (!(is_class ? take_class(parser, chosen) : take_range(parser, chosen)))
            return false;
    }
    parser->at++;
    if (!add_position(parser, part))
        return false;
    for (unsigned byte = 0; byte < 256; byte++)
        if (chosen[byte] != negated)
            allow(parser, byte);
    return true;
}

/* ---- the expression ---- */

static bool parse_alternatives(struct parser *parser, struct part *part);

static bool parse_group(struct parser *parser, struct part *part)
{
    size_t start = parser->at - 1;
    if (parser->depth == REGEX_MAX_DEPTH)
        return fail(parser, start, "this is in too many groups");
    parser->depth++;
    if (!parse_alternatives(parser, part))
        return false;
    parser->depth--;
    return take(parser, ')') || fail(parser, start, "this ( is not closed");
}

static bool parse_escaped(struct parser *parser, struct part *part)
{
    int byte = peek(parser);
    if (byte < 0)
        return fail(parser, parser->at - 1, "nothing is after this \\");
    if (byte < 128 && isalnum(byte))
        return fail(parser, parser->at - 1, "\\ takes the meaning from what is special; before this it has none");
    parser->at++;
    return add_symbol(parser, (unsigned)byte, part);
}

static bool parse_any(struct parser *parser, struct part *part)
{
    if (!add_position(parser, part))
        return false;
    for (unsigned byte = 0; byte < 256; byte++)
        allow(parser, byte);
    return true;
}

static bool parse_item(struct parser *parser, struct part *part)
{
    int byte = peek(parser);
    parser->at++;
    switch (byte) {
    case '(':
        return parse_group(parser, part);
    case '[':
        return parse_set(parser, part);
    case '\\':
        return parse_escaped(parser, part);
    case '.':
        return parse_any(parser, part);
    case '^':
        return add_symbol(parser, SYMBOL_BEGIN, part);
    case '$':
        return add_symbol(parser, SYMBOL_END, part);
    case '*':
    case '+':
    case '?':
    case '{':
        return fail(parser, parser->at - 1, "nothing that could be repeated is before this");
    default:
        return add_symbol(parser, (unsigned)byte, part);
    }
}

enum { NO_LIMIT = -1, NO_NUMBER = -2 };

static int take_number(struct parser *parser)
{
    int number = NO_NUMBER;
    for (int byte; (byte = peek(parser)) >= '0' && byte <= '9' && number <= REGEX_MAX_REPEAT; parser->at++)
        number = (number < 0 ? 0 : number * 10) + byte - '0';
    return number;
}

/* After the {. */
static bool take_bounds(struct parser *parser, int *least, int *most)
{
    size_t start = parser->at - 1;
    *most = *least = take_number(parser);
    if (take(parser, ',')) {
        *most = take_number(parser);
        *most = *most == NO_NUMBER ? NO_LIMIT : *most;
    }
    if (*least > REGEX_MAX_REPEAT || *most > REGEX_MAX_REPEAT)
        return fail(parser, start, "this repeats more than 255 times");
    if (*least == NO_NUMBER || !take(parser, '}'))
        return fail(parser, start, "{N}, {N,} or {N,M} is wanted here");
    return *most == NO_LIMIT || *least <= *most || fail(parser, start, "the second number is less than the first");
}

static bool is_repeat(int byte)
{
    return byte == '*' || byte == '+' || byte == '?' || byte == '{';
}

/* What is after an item; without any, once. */
static bool take_repeat(struct parser *parser, int *least, int *most)
{
    *least = *most = 1;
    if (!is_repeat(peek(parser)))
        return true;
    int byte = peek(parser);
    parser->at++;
    if (byte == '{' && !take_bounds(parser, least, most))
        return false;
    if (byte == '*' || byte == '?')
        *least = 0;
    if (byte == '*' || byte == '+')
        *most = NO_LIMIT;
    return !is_repeat(peek(parser)) || fail(parser, parser->at, "this repeats what is repeated already");
}

static void append(struct parser *parser, struct part *part, const struct part *next)
{
    follow(parser, &part->last, &next->first);
    if (part->empty)
        positions_add(&part->first, &next->first);
    if (next->empty)
        positions_add(&part->last, &next->last);
    else
        part->last = next->last;
    part->empty &= next->empty;
}

/* An item with its repeat: as many copies as there are numbered ones, each read anew. */
static bool parse_repeated(struct parser *parser, struct part *part)
{
    size_t start = parser->at;
    int least, most;
    struct part item;
    if (!parse_item(parser, &item) || !take_repeat(parser, &least, &most))
        return false;
    size_t end = parser->at;
    *part = (struct part){.empty = true};
    int copies = most == NO_LIMIT ? (least > 0 ? least : 1) : most;
    for (int i = 1; i <= copies; i++) {
        parser->at = start;
        if (i > 1 && !parse_item(parser, &item))
            return false;
        if (most == NO_LIMIT && i == copies)
            follow(parser, &item.last, &item.first);
        item.empty |= i > least;
        append(parser, part, &item);
    }
    parser->at = end;
    return true;
}

static bool parse_sequence(struct parser *parser, struct part *part)
{
    *part = (struct part){.empty = true};
    size_t start = parser->at;
    for (int byte; (byte = peek(parser)) >= 0 && byte != '|' && byte != ')';) {
        struct part next;
        if (!parse_repeated(parser, &next))
            return false;
        append(parser, part, &next);
    }
    return parser->at > start || fail(parser, start, "something to match is missing here");
}

static bool parse_alternatives(struct parser *parser, struct part *part)
{
    if (!parse_sequence(parser, part))
        return false;
    while (take(parser, '|')) {
        struct part other;
        if (!parse_sequence(parser, &other))
            return false;
        part->empty |= other.empty;
        positions_add(&part->first, &other.first);
        positions_add(&part->last, &other.last);
    }
    return true;
}

/* From the successors of each position to those of each set of positions that are looked up at once. */
static void fill_groups(struct regex *regex)
{
    for (unsigned group = 0; group < POSITION_GROUPS; group++)
        for (unsigned set = 1; set < 1 << POSITIONS_AT_ONCE; set++) {
            unsigned without_lowest = set & (set - 1);
            if (without_lowest == 0)
                continue;
            regex->after[group][set] = regex->after[group][without_lowest];
            positions_add(&regex->after[group][set], &regex->after[group][set ^ without_lowest]);
        }
}

struct regex *regex_compile(struct slice text, struct error *error)
{
    if (text.length > REGEX_MAX_LENGTH) {
        error_set(error, -EINVAL, "an expression has at most %d bytes, this one has %zu", REGEX_MAX_LENGTH, text.length);
        return NULL;
    }
    struct regex *regex = memory_zeroed(1, sizeof *regex);
    if (!regex) {
        error_out_of_memory(error);
        return NULL;
    }
    struct parser parser = {.text = text, .regex = regex, .error = error};
    struct part whole;
    if (!parse_alternatives(&parser, &whole) ||
        (parser.at < text.length && !fail(&parser, parser.at, "no ( is open that this could close"))) {
        regex_free(regex);
        return NULL;
    }
    regex->matches_nothing = whole.empty;
    regex->first = whole.first;
    regex->last = whole.last;
    fill_groups(regex);
    return regex;
}

void regex_free(struct regex *regex)
{
    memory_release(regex);
}
