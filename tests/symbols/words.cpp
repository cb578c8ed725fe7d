/* Much of the standard library, inlined: for comparing symbols. */
#include "words.h"

#include <algorithm>
#include <iostream>
#include <regex>

int main(int argc, char **argv)
{
    word_places places;
    for (int i = 0; i < argc * 1000; i++)
        places["word" + std::to_string(i % 97)].push_back(i);
    std::regex wanted("word(1|2)[0-9]+");
    std::size_t count = 0;
    for (auto &[word, found] : places) {
        if (std::regex_match(word, wanted))
            count += found.size();
        std::sort(found.begin(), found.end(), [](int a, int b) { return a > b; });
    }
    std::cout << argv[0] << ": " << count << ' ' << weigh(places) << ' ' << describe(places) << std::endl;
}
