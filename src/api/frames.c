#include "api/frames.h"

#include "api/func_texts.h"

#include <errno.h>

int frames_put(struct asking *asking, uint32_t stack, size_t most)
{
    const struct view *whole = asking->whole;
    struct reply *reply = asking->reply;
    uint32_t *func = asking_array(asking, most, sizeof *func), *name = asking_array(asking, most, sizeof *name);
    uint32_t *library = asking_array(asking, most, sizeof *library);
    uint16_t *category = asking_array(asking, most, sizeof *category);
    if (!func || !name || !library || !category)
        return -ENOMEM;
    size_t count = 0;
    for (; stack != INDEX_NONE && count < most; stack = whole->prefix[stack], count++) {
        struct func_texts texts = func_texts_of(whole->funcs, whole->func[stack]);
        func[count] = whole->func[stack];
        name[count] = texts.name.i;
        library[count] = texts.library.i;
        category[count] = (uint16_t)pair_category(whole->pair[stack]);
        reply_use_string(reply, texts.name);
        reply_use_string(reply, texts.library);
    }
    reply_put_boolean(reply, "more", stack != INDEX_NONE);
    reply_begin_columns(reply);
    reply_column(reply, "func", REPLY_U32, func, count);
    reply_column(reply, "name", REPLY_ID, name, count);
    reply_column(reply, "library", REPLY_ID, library, count);
    reply_column(reply, "category", REPLY_U16, category, count);
    reply_end_columns(reply);
    return 0;
}
