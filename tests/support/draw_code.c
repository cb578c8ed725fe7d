#include "support/draw_code.h"

#include <inttypes.h>
#include <string.h>

static const char *const runtimes[RUNTIME_KIND_COUNT] = {
    [RUNTIME_PYTHON] = "python", [RUNTIME_V8] = "v8", [RUNTIME_HOTSPOT] = "hotspot"};

/* 0 = none of them. */
static uint8_t runtime_named(const char *name)
{
    for (uint8_t i = 1; i < RUNTIME_KIND_COUNT; i++)
        if (strcmp(name, runtimes[i]) == 0)
            return i;
    return 0;
}

static uint8_t tier_named(const struct line *line, struct slice name)
{
    for (uint8_t i = 0; i < TIER_COUNT; i++)
        if (slice_equal(name, frame_tier_name((enum frame_tier)i)))
            return i;
    line_complain(line, "an unknown tier");
}

static struct slice lines_read(const struct line *line, char *text, uint8_t *bytes)
{
    size_t used = 0;
    struct code_line previous = {0};
    while (text && *text) {
        struct code_line each = {.offset = (uint32_t)number_take(line, &text, ":")};
        if (*text++ != ':')
            line_complain(line, "a line of code is OFFSET:LINE");
        each.line = (uint32_t)number_take(line, &text, ",");
        size_t length = code_line_write(bytes + used, DRAWN_LINES_BYTES - used, each, &previous);
        if (length == 0)
            line_complain(line, "too many lines of code, or not in order");
        used += length;
        text += *text == ',';
    }
    return (struct slice){(const char *)bytes, used};
}

void code_read(struct line *line, struct code_entry *code, uint8_t bytes[static DRAWN_LINES_BYTES])
{
    char *runtime = line_word(line), *place = line_word(line);
    code->runtime = runtime_named(runtime);
    if (code->runtime == 0)
        line_complain(line, "an unknown runtime");
    code->start = number_take(line, &place, "-");
    code->size = *place == '-' ? word_number(line, place + 1) - code->start : 0;
    code->name = slice_of(line_word(line));
    code->file = line_text(line, "file");
    code->line = (uint32_t)line_number(line, "line");
    code->column = (uint32_t)line_number(line, "column");
    code->tier = tier_named(line, line_text(line, "tier"));
    code->was_there = line_flag(line, "there");
    code->lines = lines_read(line, line_find(line, "lines"), bytes);
}

bool numbered_frame_read(const struct line *line, const char *kind, char *word, struct frame_entry *frame)
{
    frame->runtime = runtime_named(kind);
    if (frame->runtime == 0)
        return false;
    frame->kind = FRAME_NUMBERED;
    frame->address = number_take(line, &word, "+~");
    if (*word == '+') {
        word++;
        frame->position = (uint32_t)number_take(line, &word, "~");
    }
    if (*word == '~')
        frame->tier = tier_named(line, slice_of(word + 1));
    return true;
}

static void print_tier(FILE *out, const char *before, uint8_t tier)
{
    struct slice name = frame_tier_name((enum frame_tier)tier);
    if (name.length > 0)
        fprintf(out, "%s%.*s", before, (int)name.length, name.text);
}

void code_print(FILE *out, const struct code_entry *code)
{
    fprintf(out, "code %s 0x%" PRIx64, runtimes[code->runtime], code->start);
    if (code->size > 0)
        fprintf(out, "-0x%" PRIx64, code->start + code->size);
    fprintf(out, " \"%.*s\"", (int)code->name.length, code->name.text);
    if (code->file.length > 0)
        fprintf(out, " file=%.*s", (int)code->file.length, code->file.text);
    if (code->line > 0)
        fprintf(out, " line=%" PRIu32, code->line);
    if (code->column > 0)
        fprintf(out, " column=%" PRIu32, code->column);
    print_tier(out, " tier=", code->tier);
    struct slice lines = code->lines;
    struct code_line line = {0};
    for (const char *before = " lines="; code_line_read(&lines, &line); before = ",")
        fprintf(out, "%s%" PRIu32 ":%" PRIu32, before, line.offset, line.line);
    if (code->was_there)
        fputs(" there", out);
}

void numbered_frame_print(FILE *out, const struct frame_entry *frame)
{
    fprintf(out, "%s:0x%" PRIx64, runtimes[frame->runtime], frame->address);
    if (frame->position > 0)
        fprintf(out, "+%" PRIu32, frame->position);
    print_tier(out, "~", frame->tier);
}
