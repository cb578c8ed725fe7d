/* Any bytes as a transform of the command line and as transforms of an address: an error or transforms, which can be applied
 * one after the other and written again. */
#include "target.h"

#include "import/folded.h"
#include "tree/query.h"
#include "tree/transform_text.h"
#include "tree/transform_url.h"

static struct profile profile;
static struct view whole;

/* Functions f-0 to f-4; `a` calls itself. */
static void open_profile(void)
{
    struct error error = {0};
    struct byte_source *source = byte_source_memory(SLICE("main;a;b;a 3\nmain;c 1\nmain;a;a;d 2\n"), 0, false, &error);
    profile_init(&profile);
    fuzz_check(source && folded_import(source, &profile, &error) == 0);
    fuzz_check(view_open(&profile, &whole, &error) == 0);
    byte_source_close(source);
}

static void ask(const struct transform_list *transforms)
{
    struct error error = {0};
    struct answer answer;
    struct thread_index thread = {0};
    struct query query = query_default();
    query.threads = &thread;
    query.thread_count = 1;
    query.inverted = true;
    query.transforms = transforms->items.items;
    query.transform_count = transforms->items.count;
    if (query_run(&whole, &query, &answer, &error) == 0) {
        fuzz_check(inverted_tree_expand_all(&answer.inverted, &error) == 0);
        answer_free(&answer);
    } else {
        fuzz_check(error.message[0] != '\0');
    }
}

/* What is written must read as the same again. */
static void check_url(const struct transform_list *transforms)
{
    struct error error = {0};
    struct text_buffer text = {0}, again = {0};
    struct transform_list decoded = {0};
    transforms_encode(transforms->items.items, transforms->items.count, &text);
    fuzz_check(transforms_decode(text_slice(&text), &decoded, &error) == 0);
    transforms_encode(decoded.items.items, decoded.items.count, &again);
    fuzz_check(slice_equal(text_slice(&text), text_slice(&again)));
    transform_list_free(&decoded);
    text_free(&text);
    text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice text = {(const char *)data, size};
    struct transform_list transforms = {0};
    struct transform transform;
    struct error error = {0};
    if (!whole.profile)
        open_profile();
    if (transform_parse(whole.funcs, text, IMPLEMENTATION_JS, &transform, &error) == 0) {
        fuzz_check(vec_push(&transforms.items, transform));
        ask(&transforms);
        transform_list_free(&transforms);
    } else {
        fuzz_check(error.message[0] != '\0');
    }
    error = (struct error){0};
    if (transforms_decode(text, &transforms, &error) == 0) {
        check_url(&transforms);
        ask(&transforms);
    }
    transform_list_free(&transforms);
    return 0;
}
