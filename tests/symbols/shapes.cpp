/* A program of which the tests build variants: functions with names of C++, one of them local, with others inlined into them. */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#ifndef SCALE
#define SCALE 3
#endif

namespace shapes
{

struct box {
    int width, height;
};

inline __attribute__((always_inline)) int scaled(int value, int by)
{
    return value * by + value / (by | 1);
}

inline __attribute__((always_inline)) int area_of(const box &box, int scale)
{
    int width = scaled(box.width, scale);
    return width * scaled(box.height, scale + 1);
}

__attribute__((noinline, noclone)) int area(const box &box, int scale)
{
    volatile int before = scale;
    int result = area_of(box, before);
    volatile int after = result;
    return after;
}

static __attribute__((noinline, noclone)) int hidden(const std::vector<box> &boxes)
{
    int sum = 0;
    for (const box &box : boxes)
        sum += area(box, SCALE) ^ sum;
    return sum;
}

template <typename T> __attribute__((noinline, noclone)) T total(const std::vector<box> &boxes, T start)
{
    volatile T sum = start;
    sum = sum + static_cast<T>(hidden(boxes));
    return sum;
}

} // namespace shapes

int main(int argc, char **argv)
{
    std::vector<shapes::box> boxes;
    for (int i = 0; i < argc; i++)
        boxes.push_back({i, static_cast<int>(std::string(argv[i]).size())});
    std::printf("%ld\n", shapes::total<long>(boxes, 5));
}
