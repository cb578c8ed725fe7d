/* Templates, lambdas inside of lambdas, virtual functions and exceptions. */
#include "words.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

namespace
{

class weight
{
  public:
    virtual ~weight() = default;
    virtual unsigned of(const std::string &word, const std::vector<int> &places) const = 0;
};

class by_length final : public weight
{
  public:
    unsigned of(const std::string &word, const std::vector<int> &places) const override
    {
        return mix(static_cast<unsigned>(word.size()), static_cast<unsigned>(places.size()));
    }
};

template <int Factor> class by_place final : public weight
{
  public:
    unsigned of(const std::string &word, const std::vector<int> &places) const override
    {
        if (places.empty())
            throw std::invalid_argument(word + " has no places");
        return fold(places, Factor, [&](unsigned sum, int place) {
            auto shifted = [place](unsigned by) { return static_cast<unsigned>(place) >> by % 32; };
            return mix(sum, shifted(sum) + shifted(Factor));
        });
    }
};

std::vector<std::unique_ptr<weight>> all_weights()
{
    std::vector<std::unique_ptr<weight>> weights;
    weights.push_back(std::make_unique<by_length>());
    weights.push_back(std::make_unique<by_place<3>>());
    weights.push_back(std::make_unique<by_place<5>>());
    return weights;
}

} // namespace

unsigned weigh(const word_places &places)
{
    unsigned sum = 0;
    for (const auto &one : all_weights()) {
        try {
            sum += fold(places, sum,
                        [&](unsigned before, const auto &entry) { return before + one->of(entry.first, entry.second); });
        } catch (const std::invalid_argument &error) {
            sum ^= static_cast<unsigned>(std::string(error.what()).size());
        }
    }
    std::vector<std::function<unsigned(unsigned)>> steps = {
        [](unsigned value) { return mix(value, 1); },
        [sum](unsigned value) { return mix(value, sum); },
    };
    return std::accumulate(steps.begin(), steps.end(), sum, [](unsigned value, auto &step) { return step(value); });
}
