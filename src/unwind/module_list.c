#include "unwind/module_list.h"

#include <string.h>

const struct unwind_module *unwind_module_find(const struct unwind_module_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->modules[middle]->start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < list->modules[low - 1]->end ? list->modules[low - 1] : NULL;
}

bool unwind_module_list_insert(struct unwind_module_list *list, const struct unwind_module *module)
{
    size_t at = list->count;
    while (at > 0 && list->modules[at - 1]->start > module->start)
        at--;
    if ((at > 0 && list->modules[at - 1]->end > module->start) || (at < list->count && list->modules[at]->start < module->end))
        return false;
    memmove(&list->modules[at + 1], &list->modules[at], (list->count - at) * sizeof *list->modules);
    list->modules[at] = module;
    list->count++;
    return true;
}

bool unwind_module_list_has(const struct unwind_module_list *list, const struct unwind_module *module)
{
    return unwind_module_find(list, module->start) == module;
}
