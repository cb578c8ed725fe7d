#include "header_main.h"
#include "sonde/sonde.hpp"

#include <optional>

/* Every class of sonde.hpp once; called by nobody but a constructor, before main. */
namespace
{
sonde::counter counted{"Counted", "Test", "By an object"};

struct uses_all {
    uses_all()
    {
        sonde::registered_thread thread{"main"};
        sonde::label label{"label"};
        sonde::label named{"label", "dynamic", SONDE_CATEGORY_IO, SONDE_LABEL_METHOD};
        std::optional<sonde::marker_scope> optional;
        optional.emplace("optional", "text");
        sonde::marker_scope scope{"scope"};
        scope.end();
        counted += 2;
        counted -= 1;
        counted = 5;
        auto stack = sonde::backtrace::capture(SONDE_LABEL_STACK);
        sonde_marker_options options{};
        options.backtrace = stack.get();
        sonde_marker_add(nullptr, "with a stack", SONDE_CATEGORY_OTHER, &options, nullptr);
    }
} used;
} // namespace
