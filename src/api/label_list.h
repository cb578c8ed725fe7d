/* Labels of markers in a part of a reply: texts that are put together for it, each different one once. */
#ifndef SONDE_API_LABEL_LIST_H
#define SONDE_API_LABEL_LIST_H

#include "api/ask.h"

enum {
    LABEL_MOST_CHARACTERS = 500,
    LABELS_MOST_BYTES = 16 << 20, /* put together for one part; there are no labels after these */
};

struct label_list {
    struct asking *asking;
    const struct marker_labels *labels;
    struct text_buffer text;
    size_t put_together;
    struct string_table texts;
};

/* 0 or -ENOMEM, as below; the list is to be freed in any case. */
int label_list_init(struct label_list *list, struct asking *asking, enum label_kind kind);
void label_list_free(struct label_list *list);

/* The place of a marker's label; INDEX_NONE where it is empty, or there were too many. */
int label_list_add(struct label_list *list, const struct marker *marker, uint32_t *place);

/* The same of what is in `list->text`. */
int label_list_keep(struct label_list *list, uint32_t *place);

/* The array `labels` of the part. */
void label_list_put(const struct label_list *list);

/* As much of a text as so many characters, with "…" in place of the rest; it may be written over. */
struct slice text_cut_characters(struct text_buffer *text, size_t most);

#endif
