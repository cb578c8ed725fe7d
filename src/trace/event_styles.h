/* What Chrome DevTools makes of an event by its name: whether its trees show it, and what kind of work it is. */
#ifndef SONDE_TRACE_EVENT_STYLES_H
#define SONDE_TRACE_EVENT_STYLES_H

#include "common/slice.h"

enum event_style {
    EVENT_STYLE_NONE, /* a name that DevTools does not know, and hides */
    EVENT_STYLE_LOADING,
    EVENT_STYLE_SCRIPTING,
    EVENT_STYLE_RENDERING,
    EVENT_STYLE_PAINTING,
    EVENT_STYLE_MESSAGING,
    EVENT_STYLE_EXPERIENCE,
    EVENT_STYLE_GPU,
    EVENT_STYLE_ASYNC,
    EVENT_STYLE_SYSTEM,
    EVENT_STYLE_IDLE,
};

/* Of an event that its trees can show. Events of the console and of user timing count by their category. */
enum event_style event_style_of(struct slice name, struct slice category);

/* How people call that kind of work; "System" for EVENT_STYLE_NONE, too. */
struct slice event_style_title(enum event_style style);

#endif
