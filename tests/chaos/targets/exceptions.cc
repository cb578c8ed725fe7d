// Exceptions through many frames, in many threads: every destructor on the way runs once.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{

constexpr unsigned threads = 4, throws = 6000, depth = 30;
std::atomic<unsigned> made{0}, destroyed{0}, caught{0};

struct Guard {
    Guard()
    {
        made++;
    }
    ~Guard()
    {
        destroyed++;
    }
};

[[gnu::noinline]] unsigned descend(unsigned left, unsigned seed)
{
    Guard guard;
    if (left == 0) {
        if (seed % 2)
            throw std::runtime_error("odd " + std::to_string(seed));
        throw seed;
    }
    try {
        return descend(left - 1, seed) + 1;
    } catch (const std::logic_error &) {
        return 0; // never: what is thrown passes through
    }
}

unsigned throw_often(unsigned first)
{
    unsigned sum = 0;
    for (unsigned i = first; i < first + throws; i++) {
        try {
            descend(depth, i);
        } catch (const std::exception &error) {
            caught++;
            sum += static_cast<unsigned>(std::string(error.what()).size());
        } catch (unsigned value) {
            caught++;
            sum += value;
        }
    }
    return sum;
}

} // namespace

int main()
{
    alarm(240);
    std::vector<std::future<unsigned>> sums;
    for (unsigned i = 0; i < threads; i++)
        sums.push_back(std::async(std::launch::async, throw_often, i * throws));
    std::promise<void> broken;
    std::thread thrower([&] {
        try {
            descend(5, 1);
        } catch (...) {
            broken.set_exception(std::current_exception());
        }
    });
    thrower.join();
    try {
        broken.get_future().get();
        return 1;
    } catch (const std::runtime_error &error) {
        std::puts(error.what());
    }
    for (auto &sum : sums)
        std::printf("%u\n", sum.get());
    std::printf("%u caught, %u of %u destroyed\n", caught.load(), destroyed.load(), made.load());
    return made == destroyed && caught == threads * throws ? 0 : 1;
}
