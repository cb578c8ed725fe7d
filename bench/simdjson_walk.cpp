// The work of bench/json.c done by simdjson's on-demand parser, to compare with. The file is read anew every time, as there.
#include <simdjson.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace simdjson;

struct sums {
    double numbers = 0;
    std::uint64_t values = 0;
    std::uint64_t text_bytes = 0;
};

static void walk(ondemand::value value, sums &sums)
{
    sums.values++;
    switch (value.type()) {
    case ondemand::json_type::object:
        for (auto field : value.get_object()) {
            sums.text_bytes += std::string_view(field.unescaped_key()).size();
            walk(field.value(), sums);
        }
        break;
    case ondemand::json_type::array:
        for (auto item : value.get_array())
            walk(item.value(), sums);
        break;
    case ondemand::json_type::string:
        sums.text_bytes += std::string_view(value.get_string()).size();
        break;
    case ondemand::json_type::number:
        sums.numbers += double(value.get_double());
        break;
    case ondemand::json_type::boolean:
        (void)bool(value.get_bool());
        break;
    case ondemand::json_type::null:
        (void)value.is_null();
        break;
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s FILE [TIMES]\n", argv[0]);
        return 2;
    }
    int times = argc > 2 ? std::atoi(argv[2]) : 20;
    double best = -1, best_parse = -1;
    std::size_t bytes = 0;
    sums sums;
    ondemand::parser parser;
    for (int i = 0; i < times; i++) {
        sums = {};
        auto start = std::chrono::steady_clock::now();
        padded_string text = padded_string::load(argv[1]);
        auto loaded = std::chrono::steady_clock::now();
        ondemand::document document = parser.iterate(text);
        walk(document.get_value(), sums);
        auto end = std::chrono::steady_clock::now();
        double seconds = std::chrono::duration<double>(end - start).count();
        double parse = std::chrono::duration<double>(end - loaded).count();
        best = best < 0 || seconds < best ? seconds : best;
        best_parse = best_parse < 0 || parse < best_parse ? parse : best_parse;
        bytes = text.size();
    }
    std::printf("walk  %7.1f MB/s  %8.3f ms  %llu values  %llu bytes of text  sum %.17g\n", double(bytes) / 1e6 / best, best * 1e3,
                (unsigned long long)sums.values, (unsigned long long)sums.text_bytes, sums.numbers);
    std::printf("walk  %7.1f MB/s  %8.3f ms  without reading the file (%s)\n", double(bytes) / 1e6 / best_parse, best_parse * 1e3,
                get_active_implementation()->name().c_str());
    return 0;
}
