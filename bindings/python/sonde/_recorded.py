"""The module where the library is loaded."""

import ctypes
import functools
import inspect
import threading

from sonde import _api
from sonde._categories import Category
from sonde._formats import FORMATS, check_fields

_table = _api.find()
_state = ctypes.c_uint64.from_address(_table.state)
_NO_TEXT = (ctypes.c_char_p * 1)(None)


def is_recording():
    """Whether markers are being recorded, for work that is done only for them."""
    return _state.value & (_api.STATE_ACTIVE | _api.STATE_PAUSED) == _api.STATE_ACTIVE


def now():
    """Nanoseconds since the start of the process, the clock of markers; 0 where the library is not loaded."""
    return _table.now()


def _add(schema, name, category, phase, start, end, stack, values):
    name = _api.text(name)
    options = _api.MarkerOptions(phase, start, end, _api.FULL_STACK if stack else _api.NO_STACK, None, 0)
    _table.marker_add(schema, name, len(name), category.number, ctypes.byref(options), values)


def _add_text(name, text, category, phase, start, end, stack):
    if text is None:
        _add(None, name, category, phase, start, end, stack, None)
    else:
        _add(_table.text, name, category, phase, start, end, stack, (ctypes.c_char_p * 1)(_api.text(text)))


def instant(name, text=None, category=Category.OTHER, stack=False):
    """A moment; `stack`: with the stack that led to it."""
    if is_recording():
        _add_text(name, text, category, _api.INSTANT, 0, 0, stack)


def interval(start, name, text=None, category=Category.OTHER, end=0):
    """What began at `start` and ended at `end`, both by now(); 0 = it ends now."""
    if is_recording():
        _add_text(name, text, category, _api.INTERVAL, start, end, False)


class _Interval:
    """A block, or a function that is called: what both are made of. Each block has one of its own; a function makes one for
    each of its calls."""

    def _again(self):
        raise NotImplementedError

    def _end(self):
        raise NotImplementedError

    def __enter__(self):
        self._start = _table.now() if is_recording() else 0
        return self._fields()

    def __exit__(self, *raised):
        if self._start and is_recording():
            self._end()

    def _fields(self):
        return {}

    def __call__(self, function):
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def timed(*arguments, **named):
                with self._again():
                    return await function(*arguments, **named)

        else:

            @functools.wraps(function)
            def timed(*arguments, **named):
                if not is_recording():
                    return function(*arguments, **named)
                with self._again():
                    return function(*arguments, **named)

        return timed


class marker(_Interval):
    """An interval: `with marker("load", path):` or `@marker("load")`. It ends with the block or the call, also by an exception."""

    def __init__(self, name, text=None, category=Category.OTHER):
        self._name, self._text, self._category = name, text, category

    def _again(self):
        return marker(self._name, self._text, self._category)

    def _end(self):
        if self._text is None:
            schema, values = _table.stack_marker, _NO_TEXT
        else:
            schema, values = _table.text_stack, (ctypes.c_char_p * 1)(_api.text(self._text))
        _add(schema, self._name, self._category, _api.INTERVAL, self._start, 0, False, values)


class _Typed(_Interval):
    def __init__(self, type, name, category, values):
        self._type, self._name, self._category, self._values = type, name, category, values

    def _again(self):
        return _Typed(self._type, self._name, self._category, dict(self._values))

    def _fields(self):
        return self._values

    def _end(self):
        self._type._add(self._name, self._category, _api.INTERVAL, self._start, 0, False, self._values)


# Values of fields, all of 8 bytes.
class _Value(ctypes.Union):
    _fields_ = [
        ("text", ctypes.c_char_p),
        ("signed", ctypes.c_int64),
        ("unsigned", ctypes.c_uint64),
        ("double", ctypes.c_double),
    ]


_MEMBER = {_api.TEXT: "text", _api.SIGNED: "signed", _api.DOUBLE: "double"}  # others: unsigned


def _set(slot, format, value):
    """Leaves the slot empty where the value does not fit: a mistake here must not be one that only recorded programs make."""
    member = _MEMBER.get(FORMATS[format], "unsigned")
    if value is not None:
        try:
            setattr(slot, member, _api.text(value) if member == "text" else value)
        except TypeError:
            pass


_kept = []  # schemas live as long as the process: the library refers to them


class MarkerType:
    """Markers with fields: MarkerType("HTTP request", url="url", status="integer"), each field with one of FORMATS. The name is
    unique in the program. Labels may hold {marker.name}, {marker.data.url} and so on. Fields that are not given, or whose value does
    not fit their format, are empty or 0.

    Called, it is an interval like marker(); `with` gives its fields as a dictionary, so that some can be set later."""

    def __init__(self, name, table_label=None, chart_label=None, **fields):
        check_fields(fields)
        self._fields = fields
        rows = (_api.Field * len(fields))()
        for at, (key, format) in enumerate(fields.items()):
            rows[at] = _api.Field(
                _api.text(key), None, _api.text(format), FORMATS[format], False, at * ctypes.sizeof(_Value)
            )
        self._schema = _api.MarkerSchema(name=_api.text(name), fields=rows, field_count=len(fields))
        if table_label is not None:
            self._schema.table_label = _api.text(table_label)
        if chart_label is not None:
            self._schema.chart_label = _api.text(chart_label)
        _kept.append((self._schema, rows))

    def __call__(self, name, category=Category.OTHER, **values):
        return _Typed(self, name, category, values)

    def instant(self, name, category=Category.OTHER, stack=False, **values):
        """A moment."""
        if is_recording():
            self._add(name, category, _api.INSTANT, 0, 0, stack, values)

    def interval(self, start, name, category=Category.OTHER, end=0, **values):
        """What began at `start` and ended at `end`, both by now(); 0 = it ends now."""
        if is_recording():
            self._add(name, category, _api.INTERVAL, start, end, False, values)

    def _add(self, name, category, phase, start, end, stack, values):
        given = (_Value * len(self._fields))()
        for slot, (key, format) in zip(given, self._fields.items()):
            _set(slot, format, values.get(key))
        _add(ctypes.addressof(self._schema), name, category, phase, start, end, stack, given)


class Counter:
    """How much of something there is, over time. It counts whether or not there is a recording."""

    def __init__(self, name, category="Python", description=""):
        schema = _api.CounterSchema(_api.text(name), _api.text(category), _api.text(description), None)
        _kept.append(schema)
        _table.counter_register(ctypes.byref(schema))
        # Without room for one more counter it has no cell, and is not shown.
        self._cell = schema.cell.contents if schema.cell else _api.CounterCell()
        self._lock = threading.Lock()

    def add(self, amount=1):
        with self._lock:
            self._cell.count += amount
            self._cell.number += 1

    def set(self, value):
        with self._lock:
            self._cell.count = value
            self._cell.number += 1


def add_bandwidth(count):
    """Bytes sent or received over a network, on the counter that profilers show as bandwidth."""
    if is_recording():
        _table.bandwidth_add(count)


def rename_thread(name):
    """As what the calling thread appears in profiles."""
    _table.thread_rename(_api.text(name))


def set_process_name(name):
    """As what the process appears in profiles."""
    _table.set_process_name(_api.text(name))
