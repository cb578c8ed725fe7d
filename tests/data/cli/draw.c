/* What app.json says was profiled. */
void draw(struct scene *scene, struct surface *to)
{
    for (size_t i = 0; i < scene->count; i++) {
        memcpy(to->row, scene->items[i].row, to->width);
        to->row += to->stride;
        vector_insert(&scene->done, i);
    }
}
