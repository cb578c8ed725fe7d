// C++: virtual calls, templates and the standard library, in stacks with readable names.
//
//     c++ -O2 -o shapes shapes.cpp
//     sonde record ./shapes
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace scene {

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

class Circle : public Shape {
public:
    explicit Circle(double radius) : radius(radius) {}
    double area() const override;

private:
    double radius;
};

class Polygon : public Shape {
public:
    explicit Polygon(int corners, double size) : corners(corners), size(size) {}
    double area() const override;

private:
    int corners;
    double size;
};

// By adding up thin slices, which takes a while.
__attribute__((noinline)) double Circle::area() const
{
    double sum = 0;
    for (int slice = 0; slice < 2000; slice++) {
        double x = radius * slice / 2000;
        sum += 4 * std::sqrt(radius * radius - x * x) * radius / 2000;
    }
    return sum;
}

__attribute__((noinline)) double Polygon::area() const
{
    double sum = 0;
    for (int corner = 0; corner < corners; corner++)
        sum += size * size * std::sin(2 * M_PI / corners) / 2;
    return sum;
}

using Shapes = std::vector<std::unique_ptr<Shape>>;

__attribute__((noinline)) Shapes make(int count)
{
    Shapes shapes;
    for (int i = 0; i < count; i++) {
        if (i % 2 == 0)
            shapes.push_back(std::make_unique<Circle>(1 + i % 17));
        else
            shapes.push_back(std::make_unique<Polygon>(3 + i % 40, 1 + i % 13));
    }
    return shapes;
}

__attribute__((noinline)) void sort_by_area(Shapes &shapes)
{
    std::sort(shapes.begin(), shapes.end(), [](const auto &a, const auto &b) { return a->area() < b->area(); });
}

} // namespace scene

int main(int count, char **arguments)
{
    int rounds = count > 1 ? std::stoi(arguments[1]) : 4;
    double total = 0;
    for (int round = 0; round < rounds; round++) {
        scene::Shapes shapes = scene::make(2000);
        scene::sort_by_area(shapes);
        total += shapes.back()->area();
    }
    std::printf("%.3f\n", total);
    return 0;
}
