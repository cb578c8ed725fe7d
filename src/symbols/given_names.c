#include "symbols/given_names.h"

#include "profile/module_facts.h"

bool given_names_are_kept(const struct profile *profile)
{
    return string_exists(profile->meta.product) && slice_is(profile_text(profile, profile->meta.product), "perf");
}

bool given_name_is_one(struct slice name)
{
    return !module_name_is_address(name) && !slice_is(name, "[unknown]");
}

bool given_names_contradict(const struct profile *profile, struct lib_index lib, const struct symbol_answers *answers)
{
    const struct frame_table *frames = &profile->frames;
    size_t same = 0, other = 0;
    for (size_t i = 0; i < frame_count(frames); i++) {
        uint32_t symbol = column_get_index(&frames->native_symbol, i);
        int64_t address = column_get(&frames->address, i);
        if (column_get_index(&frames->lib, i) != lib.i || symbol == INDEX_NONE || address == COLUMN_ABSENT)
            continue;
        const struct symbol_answer *answer = symbol_answers_find(answers, (uint64_t)address);
        if (!answer || !string_exists(answer->symbol))
            continue;
        bool is_same = native_symbol_get(&profile->native_symbols, native_symbol_at(symbol)).address == answer->symbol_start;
        same += is_same;
        other += !is_same;
    }
    return other > same;
}
