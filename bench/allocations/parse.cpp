// Parses a JSON text, several times, into the tree of nlohmann::json, which has a block for nearly every value.
//
//     parse FILE TIMES
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    std::ifstream file(argv[1]);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::size_t values = 0;
    for (int i = 0; i < std::atoi(argv[2]); i++)
        values += nlohmann::json::parse(text).size();
    std::printf("%zu\n", values);
}
