#include "import/perf_line.h"

#include "common/json_decimal.h"
#include "common/json_reader.h"

#include <math.h>

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_word(char c)
{
    return is_digit(c) || c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool is_time(char c)
{
    return is_digit(c) || c == '.';
}

/* Moves `*at` behind all characters of a kind and says whether there were any. */
static bool skip(struct slice text, size_t *at, bool (*is_kind)(char))
{
    size_t start = *at;
    while (*at < text.length && is_kind(text.text[*at]))
        ++*at;
    return *at > start;
}

static bool skip_char(struct slice text, size_t *at, char c)
{
    bool found = *at < text.length && text.text[*at] == c;
    *at += found;
    return found;
}

static struct slice trim_start(struct slice text)
{
    size_t start = 0;
    skip(text, &start, is_space);
    return slice_from(text, start);
}

static struct slice trim(struct slice text)
{
    while (text.length > 0 && is_space(text.text[text.length - 1]))
        text.length--;
    return trim_start(text);
}

bool perf_line_is_blank(struct slice text)
{
    return trim_start(text).length == 0;
}

/* ---- sample lines ---- */

/* False where there is no number, or one that no pid can be. */
static bool read_id(struct slice text, size_t *at, uint64_t *id)
{
    size_t start = *at;
    if (!skip(text, at, is_digit))
        return false;
    *id = 0;
    for (size_t i = start; i < *at; i++) {
        *id = *id * 10 + (uint64_t)(text.text[i] - '0');
        if (*id > INT32_MAX)
            return false;
    }
    return true;
}

static bool ends_word(struct slice text, size_t at)
{
    return at == text.length || !is_word(text.text[at]);
}

/* `tid` or `pid/tid`. */
static bool read_ids(struct slice text, size_t at, struct perf_sample_line *line)
{
    uint64_t second;
    line->pid = 0;
    if (!read_id(text, &at, &line->tid))
        return false;
    size_t after = at;
    if (skip_char(text, &after, '/') && read_id(text, &after, &second) && ends_word(text, after)) {
        line->pid = line->tid;
        line->tid = second;
        return true;
    }
    return ends_word(text, at);
}

static bool read_thread(struct slice text, struct perf_sample_line *line)
{
    for (size_t i = text.length; i-- > 0;)
        if (is_space(text.text[i]) && read_ids(text, i + 1, line)) {
            line->name = trim(slice_until(text, i));
            return true;
        }
    return false;
}

/* `94564.109216`, in seconds. */
static bool read_time(struct slice text, double *time)
{
    size_t end = 0, fraction;
    if (!skip(text, &end, is_digit))
        return false;
    fraction = end;
    if (skip_char(text, &fraction, '.') && skip(text, &fraction, is_digit))
        end = fraction;
    if (end > JSON_MAX_NUMBER)
        return false;
    *time = json_decimal_value(text.text, end) * 1000;
    return isfinite(*time);
}

/* The first word that ends in a colon. */
static struct slice find_event(struct slice rest)
{
    for (size_t at = 0, start; skip(rest, &at, is_space), start = at, at < rest.length;) {
        while (at < rest.length && !is_space(rest.text[at]))
            at++;
        if (rest.text[at - 1] == ':')
            return (struct slice){rest.text + start, at - 1 - start};
    }
    return SLICE("");
}

bool perf_line_is_record(struct slice text)
{
    struct slice mark = SLICE(": PERF_RECORD_");
    return memmem(text.text, text.length, mark.text, mark.length) != NULL;
}

/* The number before the event. */
static uint64_t find_period(struct slice rest)
{
    size_t at = 0;
    uint64_t period;
    rest = trim_start(rest);
    return read_id(rest, &at, &period) && at < rest.length && is_space(rest.text[at]) ? period : 0;
}

bool perf_sample_line_parse(struct slice text, struct perf_sample_line *line)
{
    for (size_t colon = text.length; colon-- > 0;) {
        if (text.text[colon] != ':')
            continue;
        size_t start = colon;
        while (start > 0 && is_time(text.text[start - 1]))
            start--;
        if (start < colon && start > 0 && is_space(text.text[start - 1])) {
            line->rest = slice_from(text, colon + 1);
            line->event = find_event(line->rest);
            line->period = find_period(line->rest);
            return read_time((struct slice){text.text + start, colon - start}, &line->time) &&
                   read_thread(slice_until(text, start - 1), line);
        }
        colon = start;
    }
    return false;
}

/* From the space before the ids on: `24636/25607 [000] 94564.109216:`. */
static bool follows_name(struct slice text, size_t at)
{
    if (!skip(text, &at, is_space) || !skip(text, &at, is_digit))
        return false;
    if (skip_char(text, &at, '/') && !skip(text, &at, is_digit))
        return false;
    if (!skip(text, &at, is_space))
        return false;
    if (skip_char(text, &at, '[') && (!skip(text, &at, is_digit) || !skip_char(text, &at, ']') || !skip(text, &at, is_space)))
        return false;
    /* Seconds have a fraction, times of day in logs do not. */
    return skip(text, &at, is_digit) && skip_char(text, &at, '.') && skip(text, &at, is_digit) && skip_char(text, &at, ':');
}

bool perf_sample_line_recognise(struct slice text)
{
    text = trim_start(text);
    for (size_t i = 1; i < text.length; i++)
        if (!is_space(text.text[i - 1]) && follows_name(text, i))
            return true;
    return false;
}

/* ---- frame lines ---- */

/* Hexadecimal digits alone; UINT64_MAX for what is no number below 2^63. */
static uint64_t read_hex(struct slice text)
{
    uint64_t number = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (!is_hex(text.text[i]) || number >> 59)
            return UINT64_MAX;
        number = number << 4 | (uint64_t)(is_digit(text.text[i]) ? text.text[i] - '0' : text.text[i] - 'a' + 10);
    }
    return text.length > 0 ? number : UINT64_MAX;
}

/* `parse+0x12` is a place in `parse`. */
static void take_symbol(struct perf_frame_line *line, struct slice symbol)
{
    size_t digits = symbol.length;
    while (digits > 0 && is_hex(symbol.text[digits - 1]))
        digits--;
    bool has_offset = digits < symbol.length && digits >= 3 && memcmp(symbol.text + digits - 3, "+0x", 3) == 0;
    line->offset = has_offset ? read_hex(slice_from(symbol, digits)) : UINT64_MAX;
    line->symbol = has_offset ? slice_until(symbol, digits - 3) : symbol;
}

/* Where the parenthesis of the module is: the last one after a space. `*close` is where it ends. */
static size_t find_module(struct slice text, size_t address, size_t *close)
{
    static const struct slice deleted = {" (deleted))", 11};
    size_t open = text.length;
    *close = text.length;
    if (slice_ends_with(trim(text), deleted)) {
        open = (size_t)(trim(text).text + trim(text).length - text.text) - deleted.length;
        *close = open;
    }
    while (open-- > address) {
        if (text.text[open] == ')' && *close == text.length)
            *close = open;
        else if (text.text[open] == '(' && text.text[open - 1] == ' ' && *close < text.length)
            return open;
    }
    return SIZE_MAX;
}

/* `perf script -F -dso` prints no modules: the address tells a frame from other lines then. */
static bool parse_without_module(struct slice text, struct perf_frame_line *line)
{
    size_t address = 0;
    text = trim(text);
    if (!skip(text, &address, is_hex) || address == text.length || !is_space(text.text[address]))
        return false;
    line->module = SLICE("");
    line->address = read_hex(slice_until(text, address));
    take_symbol(line, trim_start(slice_from(text, address)));
    return line->symbol.length > 0;
}

bool perf_frame_line_parse(struct slice text, struct perf_frame_line *line)
{
    text = trim_start(text);
    size_t address = 0, close;
    line->is_inlined = false;
    if (!skip(text, &address, is_word))
        return false;
    size_t open = find_module(text, address, &close);
    if (open == SIZE_MAX)
        return parse_without_module(text, line);
    line->module = (struct slice){text.text + open + 1, close - open - 1};
    struct slice symbol = trim_start((struct slice){text.text + address, open - 1 - address});
    /* `perf script -F sym,dso` prints no addresses. */
    line->address = symbol.length > 0 ? read_hex(slice_until(text, address)) : UINT64_MAX;
    take_symbol(line, symbol.length > 0 ? symbol : slice_until(text, address));
    line->is_inlined = slice_is(line->module, "inlined");
    if (line->is_inlined)
        line->module = SLICE("");
    return true;
}

bool perf_source_line_parse(struct slice text, struct perf_source_line *line)
{
    static const struct slice inlined = {" (inlined)", 10};
    text = trim(text);
    line->is_inlined = slice_ends_with(text, inlined);
    if (line->is_inlined)
        text = slice_until(text, text.length - inlined.length);
    size_t digits = text.length;
    while (digits > 0 && is_digit(text.text[digits - 1]))
        digits--;
    size_t at = digits;
    uint64_t number;
    if (digits < 2 || text.text[digits - 1] != ':' || !read_id(text, &at, &number))
        return false;
    bool is_known = number > 0 && text.text[0] != '?';
    line->file = slice_until(text, is_known ? digits - 1 : 0);
    line->line = (uint32_t)number;
    return true;
}

bool perf_flat_frame_parse(struct slice rest, struct perf_frame_line *line)
{
    /* The event is the first word that ends in a colon. Unlike an event's arguments, a frame starts with a bare address and
     * ends with a parenthesis. */
    rest = trim(rest);
    size_t event = 0;
    do {
        skip(rest, &event, is_space);
        while (event < rest.length && !is_space(rest.text[event]))
            event++;
    } while (event < rest.length && rest.text[event - 1] != ':');
    struct slice frame = trim_start(slice_from(rest, event));
    size_t address = 0;
    return skip(frame, &address, is_hex) && skip(frame, &address, is_space) && frame.text[frame.length - 1] == ')' &&
           perf_frame_line_parse(frame, line);
}
