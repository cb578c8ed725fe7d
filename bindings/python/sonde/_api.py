"""What the library offers: the table of functions of sonde/api.h, found in the running process."""

import ctypes
from ctypes import POINTER, Structure, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

STATE_ACTIVE = 1 << 63
STATE_PAUSED = 1 << 62

INSTANT, INTERVAL = range(2)
NO_STACK, FULL_STACK = range(2)
TEXT, SIGNED, UNSIGNED, DOUBLE, BOOLEAN, TIME, FLOW, NS_AS_MS, NS_AS_US = range(9)


class MarkerOptions(Structure):
    _fields_ = [
        ("phase", c_int),
        ("start", c_uint64),
        ("end", c_uint64),
        ("capture", c_int),
        ("backtrace", c_void_p),
        ("thread", c_int),
    ]


class Field(Structure):
    _fields_ = [
        ("key", c_char_p),
        ("label", c_char_p),
        ("format", c_char_p),
        ("input", c_int),
        ("hidden", c_bool),
        ("offset", c_size_t),
    ]


class MarkerSchema(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("description", c_char_p),
        ("chart_label", c_char_p),
        ("tooltip_label", c_char_p),
        ("table_label", c_char_p),
        ("colour_field", c_char_p),
        ("display", c_char_p),
        ("stack_based", c_bool),
        ("fields", POINTER(Field)),
        ("field_count", c_size_t),
        ("id", c_uint32),
    ]


class CounterCell(Structure):
    _fields_ = [("count", c_int64), ("number", c_uint64)]


class CounterSchema(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("category", c_char_p),
        ("description", c_char_p),
        ("cell", POINTER(CounterCell)),
    ]


# With the interpreter's lock held, as the functions are short.
_function = ctypes.PYFUNCTYPE


class Table(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("state", c_void_p),
        ("recording", c_void_p * 17),  # start … buffer_info
        ("set_process_name", _function(None, c_char_p)),
        ("category_register", _function(c_uint32, c_char_p, c_char_p)),
        ("subcategory_register", _function(c_uint32, c_uint32, c_char_p)),
        ("thread_register", c_void_p),
        ("thread_unregister", c_void_p),
        ("thread_rename", _function(None, c_char_p)),
        ("thread", c_void_p * 4),  # sleep, wake, set_runtime, set_event_delay
        ("label_push", c_void_p),
        ("label_pop", c_void_p),
        ("now", _function(c_uint64)),
        (
            "marker_add",
            _function(None, c_void_p, c_char_p, c_size_t, c_uint32, POINTER(MarkerOptions), c_void_p),
        ),
        ("backtrace", c_void_p * 2),  # capture, free
        ("flow", _function(c_uint64, c_size_t)),
        ("text", c_void_p),
        ("text_stack", c_void_p),
        ("tracing", c_void_p),
        ("stack_marker", c_void_p),
        ("counter_register", _function(None, POINTER(CounterSchema))),
        ("bandwidth_add", _function(None, c_uint64)),
    ]


def find():
    """The table, or None where the library is not loaded."""
    try:
        table = Table.in_dll(ctypes.CDLL(None), "sonde_api_1")
    except (ValueError, OSError):
        return None
    return table if table.size >= ctypes.sizeof(Table) else None  # otherwise it is older than this module


def text(value):
    """For C: what stands behind a NUL is lost. Never raises: a program must not fail for being recorded."""
    try:
        return str(value).encode("utf-8", "replace")
    except Exception:
        return b""
