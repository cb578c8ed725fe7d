#include "trace/event_styles.h"

#include <stdlib.h>

struct style_of_name {
    const char *name;
    enum event_style style;
};

/* Sorted by name. */
static const struct style_of_name styles[] = {
    {"AbortPostTaskCallback", EVENT_STYLE_SCRIPTING},
    {"Animation", EVENT_STYLE_RENDERING},
    {"AsyncTask", EVENT_STYLE_ASYNC},
    {"BlinkGC.AtomicPhase", EVENT_STYLE_SCRIPTING},
    {"CancelAnimationFrame", EVENT_STYLE_SCRIPTING},
    {"CancelIdleCallback", EVENT_STYLE_SCRIPTING},
    {"Commit", EVENT_STYLE_PAINTING},
    {"CompositeLayers", EVENT_STYLE_PAINTING},
    {"ComputeIntersections", EVENT_STYLE_RENDERING},
    {"ConsoleTime", EVENT_STYLE_SCRIPTING},
    {"CppGC.IncrementalSweep", EVENT_STYLE_SCRIPTING},
    {"CpuProfiler::StartProfiling", EVENT_STYLE_SYSTEM},
    {"Decode Image", EVENT_STYLE_PAINTING},
    {"DoDecrypt", EVENT_STYLE_SCRIPTING},
    {"DoDecryptReply", EVENT_STYLE_SCRIPTING},
    {"DoDigest", EVENT_STYLE_SCRIPTING},
    {"DoDigestReply", EVENT_STYLE_SCRIPTING},
    {"DoEncrypt", EVENT_STYLE_SCRIPTING},
    {"DoEncryptReply", EVENT_STYLE_SCRIPTING},
    {"DoSign", EVENT_STYLE_SCRIPTING},
    {"DoSignReply", EVENT_STYLE_SCRIPTING},
    {"DoVerify", EVENT_STYLE_SCRIPTING},
    {"DoVerifyReply", EVENT_STYLE_SCRIPTING},
    {"EmbedderCallback", EVENT_STYLE_SCRIPTING},
    {"EvaluateScript", EVENT_STYLE_SCRIPTING},
    {"EventDispatch", EVENT_STYLE_SCRIPTING},
    {"EventTiming", EVENT_STYLE_EXPERIENCE},
    {"FireAnimationFrame", EVENT_STYLE_SCRIPTING},
    {"FireIdleCallback", EVENT_STYLE_SCRIPTING},
    {"FunctionCall", EVENT_STYLE_SCRIPTING},
    {"GCEvent", EVENT_STYLE_SCRIPTING},
    {"GPUTask", EVENT_STYLE_GPU},
    {"HandlePostMessage", EVENT_STYLE_MESSAGING},
    {"HitTest", EVENT_STYLE_RENDERING},
    {"Layerize", EVENT_STYLE_RENDERING},
    {"Layout", EVENT_STYLE_RENDERING},
    {"MajorGC", EVENT_STYLE_SCRIPTING},
    {"MinorGC", EVENT_STYLE_SCRIPTING},
    {"Paint", EVENT_STYLE_PAINTING},
    {"PaintSetup", EVENT_STYLE_PAINTING},
    {"ParseAuthorStyleSheet", EVENT_STYLE_LOADING},
    {"ParseHTML", EVENT_STYLE_LOADING},
    {"PrePaint", EVENT_STYLE_RENDERING},
    {"Program", EVENT_STYLE_SYSTEM},
    {"RasterTask", EVENT_STYLE_PAINTING},
    {"RequestAnimationFrame", EVENT_STYLE_SCRIPTING},
    {"RequestIdleCallback", EVENT_STYLE_SCRIPTING},
    {"ResourceFinish", EVENT_STYLE_LOADING},
    {"ResourceReceiveResponse", EVENT_STYLE_LOADING},
    {"ResourceReceivedData", EVENT_STYLE_LOADING},
    {"ResourceSendRequest", EVENT_STYLE_LOADING},
    {"ResourceWillSendRequest", EVENT_STYLE_LOADING},
    {"RunMicrotasks", EVENT_STYLE_SCRIPTING},
    {"RunPostTaskCallback", EVENT_STYLE_SCRIPTING},
    {"RunTask", EVENT_STYLE_SYSTEM},
    {"SchedulePostMessage", EVENT_STYLE_MESSAGING},
    {"SchedulePostTaskCallback", EVENT_STYLE_SCRIPTING},
    {"ScheduleStyleRecalculation", EVENT_STYLE_RENDERING},
    {"ScrollLayer", EVENT_STYLE_RENDERING},
    {"SyntheticLayoutShift", EVENT_STYLE_EXPERIENCE},
    {"SyntheticLayoutShiftCluster", EVENT_STYLE_EXPERIENCE},
    {"TimeStamp", EVENT_STYLE_SCRIPTING},
    {"TimerFire", EVENT_STYLE_SCRIPTING},
    {"TimerInstall", EVENT_STYLE_SCRIPTING},
    {"TimerRemove", EVENT_STYLE_SCRIPTING},
    {"UpdateLayerTree", EVENT_STYLE_RENDERING},
    {"UpdateLayoutTree", EVENT_STYLE_RENDERING},
    {"UserTiming", EVENT_STYLE_SCRIPTING},
    {"V8.CompileCode", EVENT_STYLE_SCRIPTING},
    {"V8.CompileModule", EVENT_STYLE_SCRIPTING},
    {"V8.FinalizeDeserialization", EVENT_STYLE_SYSTEM},
    {"V8.OptimizeCode", EVENT_STYLE_SCRIPTING},
    {"V8Console::runTask", EVENT_STYLE_SCRIPTING},
    {"WebSocketCreate", EVENT_STYLE_SCRIPTING},
    {"WebSocketDestroy", EVENT_STYLE_SCRIPTING},
    {"WebSocketReceive", EVENT_STYLE_SCRIPTING},
    {"WebSocketReceiveHandshakeResponse", EVENT_STYLE_SCRIPTING},
    {"WebSocketSend", EVENT_STYLE_SCRIPTING},
    {"WebSocketSendHandshakeRequest", EVENT_STYLE_SCRIPTING},
    {"XHRLoad", EVENT_STYLE_SCRIPTING},
    {"XHRReadyStateChange", EVENT_STYLE_SCRIPTING},
    {"v8.compile", EVENT_STYLE_SCRIPTING},
    {"v8.deserializeOnBackground", EVENT_STYLE_SCRIPTING},
    {"v8.evaluateModule", EVENT_STYLE_SCRIPTING},
    {"v8.parseOnBackground", EVENT_STYLE_SYSTEM},
    {"v8.parseOnBackgroundParsing", EVENT_STYLE_SCRIPTING},
    {"v8.parseOnBackgroundWaiting", EVENT_STYLE_IDLE},
    {"v8.produceCache", EVENT_STYLE_SCRIPTING},
    {"v8.produceModuleCache", EVENT_STYLE_SCRIPTING},
    {"v8.wasm.cachedModule", EVENT_STYLE_SCRIPTING},
    {"v8.wasm.compiledModule", EVENT_STYLE_SCRIPTING},
    {"v8.wasm.moduleCacheHit", EVENT_STYLE_SCRIPTING},
    {"v8.wasm.moduleCacheInvalid", EVENT_STYLE_SCRIPTING},
    {"v8.wasm.streamFromResponseCallback", EVENT_STYLE_SCRIPTING},
};

static const char *const titles[] = {
    [EVENT_STYLE_NONE] = "System",           [EVENT_STYLE_LOADING] = "Loading",   [EVENT_STYLE_SCRIPTING] = "Scripting",
    [EVENT_STYLE_RENDERING] = "Rendering",   [EVENT_STYLE_PAINTING] = "Painting", [EVENT_STYLE_MESSAGING] = "Messaging",
    [EVENT_STYLE_EXPERIENCE] = "Experience", [EVENT_STYLE_GPU] = "GPU",           [EVENT_STYLE_ASYNC] = "Async",
    [EVENT_STYLE_SYSTEM] = "System",         [EVENT_STYLE_IDLE] = "Idle",
};

static int compare_names(const void *key, const void *row)
{
    const struct slice *name = key;
    const char *other = ((const struct style_of_name *)row)->name;
    size_t length = strlen(other);
    int order = memcmp(name->text, other, name->length < length ? name->length : length);
    return order != 0 ? order : (name->length > length) - (name->length < length);
}

enum event_style event_style_of(struct slice name, struct slice category)
{
    if (memmem(category.text, category.length, "blink.console", strlen("blink.console")))
        name = SLICE("ConsoleTime");
    else if (memmem(category.text, category.length, "blink.user_timing", strlen("blink.user_timing")))
        name = SLICE("UserTiming");
    const struct style_of_name *found = bsearch(&name, styles, sizeof styles / sizeof *styles, sizeof *styles, compare_names);
    return found ? found->style : EVENT_STYLE_NONE;
}

struct slice event_style_title(enum event_style style)
{
    return slice_of(titles[style]);
}
