/* Much inlined from headers, local functions, and parts that are hardly ever reached. */
#include "words.h"

#include <algorithm>
#include <sstream>
#include <variant>

static void add_number(std::ostringstream &out, const char *name, long value)
{
    out << name << '=' << value << ' ';
}

static __attribute__((noinline)) std::string longest(const word_places &places)
{
    auto found = std::max_element(places.begin(), places.end(),
                                  [](const auto &a, const auto &b) { return a.first.size() < b.first.size(); });
    if (found == places.end())
        throw std::length_error("nothing was counted");
    return found->first;
}

using fact = std::variant<long, std::string, std::vector<int>>;

std::string describe(const word_places &places)
{
    std::ostringstream out;
    std::vector<fact> facts;
    facts.emplace_back(static_cast<long>(places.size()));
    try {
        std::string word = longest(places);
        facts.emplace_back(places_of(places, word));
        facts.emplace_back(word);
        facts.emplace_back(places_of(places, word + "?"));
    } catch (const std::out_of_range &error) {
        facts.emplace_back(std::string(error.what()));
    }
    std::stable_sort(facts.begin(), facts.end(), [](const fact &a, const fact &b) { return a.index() < b.index(); });
    for (const fact &one : facts) {
        if (const long *number = std::get_if<long>(&one))
            add_number(out, "number", *number);
        else if (const std::string *text = std::get_if<std::string>(&one))
            out << '"' << *text << "\" ";
        else
            add_number(out, "places", static_cast<long>(std::get<std::vector<int>>(one).size()));
    }
    return out.str();
}
