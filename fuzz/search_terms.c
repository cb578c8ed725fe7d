/* A line with a search, and the text that its terms look at: an error with a message, or an answer that is the same when it is
 * asked again. */
#include "target.h"

#include "tree/search_terms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice input = {(const char *)data, size};
    const char *end = size > 0 ? memchr(data, '\n', size) : NULL;
    struct slice search = slice_until(input, end ? (size_t)(end - input.text) : size);
    struct slice text = slice_from(input, end ? search.length + 1 : size);
    struct error error = {0};
    struct search_terms terms;
    if (search_terms_read(&terms, search, &error) == 0) {
        struct slice lowered;
        fuzz_check(search_terms_lower(&terms, text, &lowered));
        for (size_t i = 0; i < terms.of_stacks.count; i++) {
            bool found = search_term_is_in(&terms.of_stacks.items[i], text, lowered);
            fuzz_check(found == search_term_is_in(&terms.of_stacks.items[i], text, lowered));
        }
    } else {
        fuzz_check(error.message[0] != '\0');
    }
    search_terms_free(&terms);
    return 0;
}
