#include "api/label_list.h"

#include <errno.h>

int label_list_init(struct label_list *list, struct asking *asking, enum label_kind kind)
{
    *list = (struct label_list){.asking = asking};
    struct error error = {0};
    return marker_store_labels(asking->markers, kind, &list->labels, &error);
}

void label_list_free(struct label_list *list)
{
    text_free(&list->text);
    string_table_free(&list->texts);
}

struct slice text_cut_characters(struct text_buffer *text, size_t most)
{
    size_t count = 0, end = 0;
    for (; end < text->bytes.count; end++) {
        bool begins = ((unsigned char)text->bytes.items[end] & 0xc0) != 0x80;
        if (begins && count++ == most)
            break;
    }
    if (end < text->bytes.count) {
        text_cut(text, end);
        text_add(text, SLICE("…"));
    }
    return text_slice(text);
}

int label_list_add(struct label_list *list, const struct marker *marker, uint32_t *place)
{
    text_cut(&list->text, 0);
    if (list->put_together <= LABELS_MOST_BYTES)
        marker_label_add(list->labels, marker, &list->text);
    return label_list_keep(list, place);
}

int label_list_keep(struct label_list *list, uint32_t *place)
{
    *place = INDEX_NONE;
    if (list->put_together > LABELS_MOST_BYTES)
        return list->text.failed ? -ENOMEM : 0;
    list->put_together += list->text.bytes.count;
    struct slice text = text_cut_characters(&list->text, LABEL_MOST_CHARACTERS);
    if (list->text.failed)
        return -ENOMEM;
    if (text.length == 0)
        return 0;
    *place = string_table_add(&list->texts, text).i;
    return *place == INDEX_NONE ? -ENOMEM : 0;
}

void label_list_put(const struct label_list *list)
{
    struct json_writer *w = list->asking->reply->json;
    json_write_key(w, "labels");
    json_write_begin_array(w);
    for (size_t i = 0; i < string_table_count(&list->texts); i++)
        json_write_string(w, string_table_get(&list->texts, string_at(i)));
    json_write_end_array(w);
}
