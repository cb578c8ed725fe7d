#include "tree/stack_positions.h"

void stack_positions_free(struct stack_positions *positions)
{
    memory_release(positions->frame_line);
    memory_release(positions->frame_location);
}

int stack_positions_read(const struct view *view, struct stack_positions *positions, struct error *error)
{
    const struct frame_table *frames = &view->profile->frames;
    size_t count = frame_count(frames);
    *positions = (struct stack_positions){
        .view = view,
        .frame_line = memory_array(count, sizeof(uint32_t)),
        .frame_location = memory_array(count, sizeof(uint32_t)),
    };
    if (!positions->frame_line || !positions->frame_location) {
        stack_positions_free(positions);
        return error_out_of_memory(error);
    }
    column_read_u32(&frames->line, 0, count, positions->frame_line);
    column_read_u32(&frames->original_location, 0, count, positions->frame_location);
    return 0;
}

struct stack_position stack_position_of(const struct stack_positions *positions, uint32_t stack)
{
    const struct view *view = positions->view;
    const struct profile *profile = view->profile;
    uint32_t frame = view->frame[stack], func = view->func[stack];
    bool is_own = func < view->funcs->own_count;
    uint32_t location = positions->frame_location[frame];
    if (location == INDEX_NONE && is_own)
        location = column_get_index(&profile->funcs.original_location, func);
    if (location != INDEX_NONE) {
        const struct location *original = &profile->locations.rows.items[location];
        return (struct stack_position){original->source.i, original->line};
    }
    uint32_t line = positions->frame_line[frame];
    if (line == INDEX_NONE && is_own)
        line = column_get_index(&profile->funcs.line, func);
    return (struct stack_position){view->funcs->source[func], line};
}
