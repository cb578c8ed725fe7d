/* What the files of the program share: templates and inline functions that each of them has its own copies of. */
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using word_places = std::map<std::string, std::vector<int>>;

template <typename Value, int Shift> struct mixer {
    Value state;
    explicit mixer(Value start) : state(start)
    {
    }
    mixer &operator<<(Value value)
    {
        state = (state ^ (value >> Shift)) * Value{0x9e3779b1u};
        return *this;
    }
};

inline unsigned mix(unsigned a, unsigned b)
{
    mixer<unsigned, 7> mixed(a);
    mixed << b << (a & b);
    return mixed.state;
}

template <typename Range, typename Step> auto fold(const Range &range, unsigned start, Step step)
{
    for (const auto &item : range)
        start = step(start, item);
    return start;
}

/* Each of its calls has a cold part, where it fails. */
inline const std::vector<int> &places_of(const word_places &places, const std::string &word)
{
    auto found = places.find(word);
    if (found == places.end())
        throw std::out_of_range("there is no " + word);
    return found->second;
}

unsigned weigh(const word_places &places);
std::string describe(const word_places &places);
