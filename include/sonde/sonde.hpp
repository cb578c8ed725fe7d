/* Sonde for C++17. All of sonde.h works in C++, too; here are the scopes as objects, for what the macros cannot do: members,
 * std::optional, names that are only known at run time. Nothing here allocates or throws.
 *
 *     sonde::label label{"start-up"};                                        // a frame in every stack while it lives
 *     sonde::marker_scope scope{"load", path.c_str()};                        // an interval with a text while it lives
 *     sonde::counter queue_length{"Queue length", "Queue", "Requests that wait"};
 *     queue_length += 1;
 *     auto stack = sonde::backtrace::capture();                               // freed by itself
 *
 * Texts must live as long as the object that was given them. Threads, signal handlers: as sonde.h says. */
#ifndef SONDE_SONDE_HPP
#define SONDE_SONDE_HPP

#include "sonde/sonde.h"

#include <memory>
#include <utility>

namespace sonde
{

/* Lives on the stack of the function that it is about. */
class label
{
  public:
    explicit label(const char *name, const char *dynamic = nullptr, sonde_category category = SONDE_CATEGORY_OTHER,
                   unsigned flags = 0) noexcept
        : pushed(sonde_label_push(name, dynamic, this, category, flags))
    {
    }
    ~label()
    {
        sonde_label_pop(pushed);
    }
    label(const label &) = delete;
    label &operator=(const label &) = delete;

  private:
    uint32_t pushed;
};

/* The interval ends with the object, or with end(). */
class marker_scope
{
  public:
    explicit marker_scope(const char *name, const char *text = nullptr, sonde_category category = SONDE_CATEGORY_OTHER) noexcept
        : scope(sonde_marker_begin_(name, text, category))
    {
    }
    ~marker_scope()
    {
        end();
    }
    void end() noexcept
    {
        sonde_marker_end_(&scope);
        scope.start = 0;
    }
    marker_scope(const marker_scope &) = delete;
    marker_scope &operator=(const marker_scope &) = delete;

  private:
    sonde_marker_scope_ scope;
};

/* May be a member; what it has counted stays when it goes. */
class counter
{
  public:
    constexpr counter(const char *name, const char *category, const char *description) noexcept
        : cell{name, category, description, nullptr}
    {
    }
    counter &operator+=(int64_t amount) noexcept
    {
        sonde_counter_add(&cell, amount);
        return *this;
    }
    counter &operator-=(int64_t amount) noexcept
    {
        return *this += -amount;
    }
    counter &operator=(int64_t value) noexcept
    {
        sonde_counter_set(&cell, value);
        return *this;
    }
    counter(const counter &) = delete;
    counter &operator=(const counter &) = delete;

  private:
    sonde_counter cell;
};

/* An earlier stack, for sonde_marker_options::backtrace. */
class backtrace
{
  public:
    static backtrace capture(sonde_capture kind = SONDE_FULL_STACK) noexcept
    {
        return backtrace(sonde_backtrace_capture(kind));
    }
    const sonde_backtrace *get() const noexcept
    {
        return stack.get();
    }

  private:
    struct release {
        void operator()(sonde_backtrace *captured) const noexcept
        {
            sonde_backtrace_free(captured);
        }
    };
    explicit backtrace(sonde_backtrace *captured) noexcept : stack(captured)
    {
    }
    std::unique_ptr<sonde_backtrace, release> stack;
};

/* Registers the calling thread while it lives. */
class registered_thread
{
  public:
    explicit registered_thread(const char *name) noexcept
    {
        sonde_thread_register(name);
    }
    ~registered_thread()
    {
        sonde_thread_unregister();
    }
    registered_thread(const registered_thread &) = delete;
    registered_thread &operator=(const registered_thread &) = delete;
};

} // namespace sonde

#endif
