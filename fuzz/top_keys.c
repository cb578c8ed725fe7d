/* Any bytes as what a terminal sends to `sonde top`, at terminals of any size: whatever is pressed, what is drawn fits the
 * screen, and what is chosen is there. */
#include "target.h"

#include "import/folded.h"
#include "print/text.h"
#include "top/top.h"

static struct profile profile;
static struct view whole;

static struct top_text read_source(void *data, uint32_t source)
{
    static const struct slice lines[] = {{"int main(void)", 14}, {"\treturn\t0;", 10}, {"\xff\x1b[2J", 5}};
    (void)data;
    (void)source;
    return (struct top_text){.lines = lines, .count = 3, .first_line = 1};
}

static void open_profile(void)
{
    struct error error = {0};
    struct slice text =
        SLICE("main;a;b;a 3\nmain;c 1\nmain;a;a;d 2\nmain;std::map<int, x>::find(int);d 4\n[idle];\xe4\xb8\xad 1\n");
    struct byte_source *source = byte_source_memory(text, 0, false, &error);
    profile_init(&profile);
    fuzz_check(source && folded_import(source, &profile, &error) == 0);
    fuzz_check(view_open(&profile, &whole, &error) == 0);
    byte_source_close(source);
}

static size_t width_of(const struct canvas_line *line)
{
    size_t width = 0;
    struct slice text = text_slice(&line->bytes);
    for (size_t i = 0; i < text.length;) {
        size_t length = 1;
        if (text.text[i] == '\x1b') {
            while (text.text[i + length - 1] != 'm')
                length++;
        } else {
            while (i + length < text.length && ((unsigned char)text.text[i + length] & 0xc0) == 0x80)
                length++;
            width += text_width((struct slice){text.text + i, length});
        }
        i += length;
    }
    return width;
}

static void draw(struct top *top, struct canvas *canvas, size_t rows, size_t columns)
{
    struct text_buffer out = {0};
    fuzz_check(canvas_begin(canvas, rows, columns));
    top_draw(top, canvas);
    for (size_t i = 0; i < rows; i++)
        fuzz_check(width_of(&canvas->lines.items[i]) <= columns);
    canvas_write(canvas, &out);
    fuzz_check(top->look.rows.count == 0 || top->look.chosen < top->look.rows.count);
    text_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!whole.profile)
        open_profile();
    struct query query = query_default();
    struct thread_index thread = {0};
    struct top top;
    struct top_sources sources = {NULL, read_source};
    struct canvas canvas = {.utf8 = size % 2, .unknown = true};
    struct terminal terminal = {.width = 80, .colour = true, .folds_names = true};
    query.threads = &thread;
    query.thread_count = 1;
    fuzz_check(top_open(&top, "a.txt", "", &whole, &query, &sources, &terminal) == 0);
    size_t rows = size > 0 ? data[0] % 40 : 24, columns = size > 1 ? data[1] : 80;
    for (size_t i = 2; i < size && i < 400;) {
        int key;
        size_t used = key_read(data + i, size - i, false, &key);
        if (used == 0)
            used = key_read(data + i, size - i, true, &key);
        fuzz_check(used > 0 && used <= size - i);
        i += used;
        top_key(&top, key);
        draw(&top, &canvas, rows, columns);
    }
    draw(&top, &canvas, columns % 30, rows);
    canvas_free(&canvas);
    top_free(&top);
    return 0;
}
