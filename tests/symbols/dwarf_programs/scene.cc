// What C++ makes of functions: methods in namespaces, templates, lambdas, methods of local classes, constructors, what is
// inlined into what is inlined.
extern "C" int sink(int);
extern "C" int shapes(int);
extern "C" int nested(int);

namespace scene
{
template <class T> struct Box {
    T items[8];
    int count = 0;
    Box(T first)
    {
        add(first);
    }
    void add(T item)
    {
        items[count++ & 7] = item;
    }
    template <class F> T sum(F weigh) const
    {
        T total = 0;
        for (int i = 0; i < count; i++)
            total += weigh(items[i]);
        return total;
    }
};

struct Node {
    virtual int draw(int depth) = 0;
};

namespace
{
struct Leaf : Node {
    int value;
    Leaf(int v) : value(sink(v))
    {
    }
    int draw(int depth) override
    {
        return sink(value + depth);
    }
};
} // namespace

static __attribute__((noinline)) int draw_node(Node *node, int depth)
{
    return node->draw(depth) + 1;
}

static inline int blend(int a, int b)
{
    return sink(a) * sink(b);
}

static inline int draw_all(Box<int> &box, int n)
{
    int extra = blend(n, n + 1);
    return box.sum([=](int item) { return blend(item, extra); });
}

int outer(int n)
{
    struct Local : Node {
        int draw(int depth) override
        {
            return blend(depth, 3);
        }
    } local;
    auto weigh = [&](int item) __attribute__((noinline))
    {
        return sink(item) * n;
    };
    return draw_node(&local, n) + weigh(n) + weigh(n + 1);
}

// The second is written before the first.
static __attribute__((noinline)) int weigh_twice(int n)
{
    auto first = [=](int item) { return sink(item + n); };
    auto second = [=](int item) {
        auto third = [=](int part) { return sink(part ^ n); };
        return first(item) * third(item - n);
    };
    return second(sink(n)) + first(n + 1);
}

int run(int n)
{
    Box<int> box(n);
    Leaf leaf(n);
    for (int i = 0; i < n; i++)
        box.add(i);
    return draw_all(box, n) + draw_node(&leaf, n) + outer(n) + weigh_twice(n);
}
} // namespace scene

int main(int argc, char **)
{
    return scene::run(argc) + shapes(argc) + nested(argc);
}
