#include "trace/trace_names.h"

static bool runs_scripts(struct slice name)
{
    if (name.length < 2)
        return false;
    switch (name.text[0]) {
    case 'v':
    case 'V': /* v8.evaluateModule, V8.Execute, V8Console::runTask; but V8.GCScavenger and the like, too */
        return name.text[1] == '8';
    case 'F':
        return slice_is(name, "FunctionCall");
    case 'R':
        return slice_is(name, "RunMicrotasks");
    case 'E':
        return slice_is(name, "EvaluateScript") || slice_is(name, "EventDispatch");
    default:
        return false;
    }
}

struct trace_name trace_name_read(struct slice name)
{
    return (struct trace_name){
        .is_task = slice_is(name, "RunTask") || slice_is(name, "RunMicrotasks"),
        .is_scripts = runs_scripts(name),
    };
}
