/* A library for tests to load and unload. */
void plugin_call(void (*then)(void), int depth);

/* Calls itself until `depth` is 1, then `then`. */
__attribute__((noinline)) void plugin_call(void (*then)(void), int depth)
{
    if (depth > 1)
        plugin_call(then, depth - 1);
    else
        then();
    __asm__ volatile("" ::: "memory");
}
