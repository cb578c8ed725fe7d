"""Tell the profiler Sonde what a Python program does.

    import sonde

    with sonde.marker("load", "config.toml"):       # an interval; it ends with the block, also by an exception
        ...

    @sonde.marker("parse")                          # an interval for each call, of coroutines, too
    def parse(text): ...

    sonde.instant("cache miss", f"key {key}")       # a moment

    request = sonde.MarkerType("HTTP request", url="url", status="integer", size="bytes")
    with request("GET", url="https://example.org") as fields:
        fields.update(status=200, size=1234)

    queue = sonde.Counter("Queue length", "Queue", "Requests that wait")
    queue.add(1)

Nothing needs to be configured: `sonde record python3 app.py` loads the library, and this module finds it when it is imported.
Without it every call does nothing, and decorated functions are left as they are.
"""

from sonde import _api
from sonde._categories import Category
from sonde._formats import FORMATS

__all__ = [
    "Category", "Counter", "FORMATS", "MarkerType", "add_bandwidth", "instant", "interval", "is_recording", "marker", "now",
    "rename_thread", "set_process_name",
]  # fmt: skip

_table = _api.find()

if _table is not None:
    from sonde._recorded import (
        Counter,
        MarkerType,
        add_bandwidth,
        instant,
        interval,
        is_recording,
        marker,
        now,
        rename_thread,
        set_process_name,
    )
else:
    from sonde._nothing import (
        Counter,
        MarkerType,
        add_bandwidth,
        instant,
        interval,
        is_recording,
        marker,
        now,
        rename_thread,
        set_process_name,
    )
