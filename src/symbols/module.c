#include "symbols/module.h"

#include "symbols/symbol_source.h"

static symbol_source *const sources[] = {
    file_symbols,
};

int module_symbols(const struct symbol_search *search, const struct symbol_request *request, struct symbol_answers *answers,
                   struct symbol_outcome *outcome, struct error *error)
{
    *outcome = (struct symbol_outcome){.status = SYMBOLS_NO_FILE};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        int result = sources[i](search, request, answers, outcome, error);
        if (result < 0)
            return result;
        if (result == SYMBOLS_ANSWERED)
            break;
    }
    return 0;
}
