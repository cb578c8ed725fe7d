#include "workloads.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static volatile unsigned long sink;

void workload_containers(void)
{
    std::map<std::string, int> counts;
    std::vector<int> numbers;
    for (int i = 0; i < 60; i++) {
        counts["key " + std::to_string(i * 7 % 20)]++;
        numbers.push_back(i * 31 % 61);
    }
    std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
    sink = sink + counts.size() + static_cast<unsigned long>(numbers[3]);
}

void workload_streams(void)
{
    std::ostringstream out;
    for (int i = 0; i < 8; i++)
        out << "number " << i << ' ' << i / 7.0 << std::hex << i << std::dec << '\n';
    std::istringstream in(out.str());
    std::string word;
    while (in >> word)
        sink = sink + word.size();
}

namespace
{
struct guard {
    std::string text{"a text that does not fit inside the object itself"};
    ~guard()
    {
        sink = sink + text.size();
    }
};

__attribute__((noinline)) void throw_from_below(int depth)
{
    guard held;
    if (depth == 0)
        throw std::runtime_error("from below");
    throw_from_below(depth - 1);
    sink = sink + 1;
}

__attribute__((noinline)) void catch_and_throw_again(int depth)
{
    try {
        throw_from_below(depth);
    } catch (const std::logic_error &) {
        sink = sink + 1;
    } catch (...) {
        throw;
    }
}
} // namespace

void workload_exceptions(void)
{
    for (int i = 0; i < 3; i++) {
        try {
            catch_and_throw_again(i);
        } catch (const std::exception &e) {
            sink = sink + std::string(e.what()).size();
        }
    }
}
