#include "runtime/v8/code_name.h"

static bool take_prefix(struct slice *text, struct slice prefix)
{
    if (!slice_starts_with(*text, prefix))
        return false;
    *text = slice_from(*text, prefix.length);
    return true;
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Takes the sign and a number behind it off the end. */
static bool take_number(struct slice *text, char sign, uint32_t *number)
{
    size_t start = text->length;
    uint64_t value = 0;
    while (start > 0 && is_digit(text->text[start - 1]))
        start--;
    if (start == text->length || start == 0 || text->text[start - 1] != sign)
        return false;
    for (size_t i = start; i < text->length && value <= UINT32_MAX; i++)
        value = value * 10 + (uint64_t)(text->text[i] - '0');
    if (value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    *text = slice_until(*text, start - 1);
    return true;
}

static bool begins_address(struct slice text)
{
    return slice_starts_with(text, SLICE("/")) || slice_starts_with(text, SLICE("file:")) ||
           slice_starts_with(text, SLICE("node:")) || slice_starts_with(text, SLICE("data:")) ||
           slice_starts_with(text, SLICE("http"));
}

/* Where the space between the function's name and its file is. Names may have spaces in them, and so may files. */
static size_t find_space(struct slice text)
{
    size_t last = text.length;
    if (text.length > 0 && text.text[0] == ' ')
        return 0;
    for (size_t i = text.length; i > 0; i--) {
        if (text.text[i - 1] != ' ')
            continue;
        if (begins_address(slice_from(text, i)))
            return i - 1;
        if (last == text.length)
            last = i - 1;
    }
    return last;
}

static enum frame_tier tier_of(char sign)
{
    switch (sign) {
    case '~':
        return TIER_INTERPRETER;
    case '^':
        return TIER_BASELINE;
    case '+':
        return TIER_MID;
    case '*':
        return TIER_OPTIMISED;
    default:
        return TIER_NONE;
    }
}

static bool read_function(struct slice text, struct v8_code_name *out)
{
    uint32_t last = 0, before = 0;
    out->tier = text.length > 0 ? tier_of(text.text[0]) : TIER_NONE;
    if (out->tier == TIER_NONE)
        return false;
    text = slice_from(text, 1);
    if (text.length > 0 && text.text[0] == '\'')
        text = slice_from(text, 1);
    out->place = text;
    if (take_number(&text, ':', &last)) {
        bool has_column = take_number(&text, ':', &before);
        out->line = has_column ? before : last;
        out->column = has_column ? last : 0;
    }
    size_t space = find_space(text);
    out->name = slice_until(text, space);
    out->file = space < text.length ? slice_from(text, space + 1) : SLICE("");
    return true;
}

/* Takes what ends like this off the end. */
static bool take_suffix(struct slice *text, struct slice suffix)
{
    if (!slice_ends_with(*text, suffix))
        return false;
    *text = slice_until(*text, text->length - suffix.length);
    return true;
}

static bool read_wasm(struct slice text, struct v8_code_name *out)
{
    (void)(take_prefix(&text, SLICE("JS:")) || take_prefix(&text, SLICE("Function:")));
    out->tier = take_suffix(&text, SLICE("-liftoff"))    ? TIER_WASM_BASELINE
                : take_suffix(&text, SLICE("-turbofan")) ? TIER_WASM_OPTIMISED
                                                         : TIER_WASM;
    uint32_t number;
    struct slice name = text;
    if (out->tier != TIER_WASM && take_number(&name, '-', &number) && name.length > 0)
        text = name;
    out->name = text;
    return text.length > 0;
}

bool v8_code_name_read(struct slice text, bool is_wasm, struct v8_code_name *out)
{
    *out = (struct v8_code_name){.name = text, .file = SLICE(""), .place = SLICE("")};
    if (is_wasm)
        return read_wasm(text, out);
    out->is_handler = slice_starts_with(text, SLICE("BytecodeHandler:"));
    if (out->is_handler || slice_starts_with(text, SLICE("Builtin:"))) {
        out->tier = TIER_BUILTIN;
        out->is_entry = slice_is(text, "Builtin:InterpreterEntryTrampoline");
        out->is_resume = slice_ends_with(text, SLICE("InterpreterEnterAtBytecode")) ||
                         slice_ends_with(text, SLICE("InterpreterEnterAtNextBytecode"));
        return true;
    }
    if (take_prefix(&text, SLICE("JS:")) || take_prefix(&text, SLICE("LazyCompile:")) ||
        take_prefix(&text, SLICE("Function:")) || take_prefix(&text, SLICE("Script:")) || take_prefix(&text, SLICE("Eval:")))
        return read_function(text, out);
    return text.length > 0;
}

/* --- addresses ------------------------------------------------------------------------------------------------------------ */

/* What would mean something else in an address. */
static bool is_escaped(char character)
{
    return character == '%' || character == '\\' || character == '\n' || character == '\r' || character == '\t';
}

size_t v8_script_address(struct slice file, char *out, size_t room)
{
    static const char scheme[] = "file://", digits[] = "0123456789ABCDEF";
    bool is_path = file.length > 0 && file.text[0] == '/';
    size_t length = 0;
    for (size_t i = 0; is_path && i < sizeof scheme - 1 && length < room; i++)
        out[length++] = scheme[i];
    for (size_t i = 0; i < file.length && length < room; i++) {
        unsigned char character = (unsigned char)file.text[i];
        if (!is_path || !is_escaped((char)character)) {
            out[length++] = (char)character;
            continue;
        }
        if (room - length < 3)
            break;
        out[length++] = '%';
        out[length++] = digits[character >> 4];
        out[length++] = digits[character & 15];
    }
    return length;
}
