"""The formats of fields: how profilers show a value. Times are given in nanoseconds, a percentage as 0 … 1."""

from sonde import _api

# format → how the library reads the value
FORMATS = {
    "url": _api.TEXT,
    "file-path": _api.TEXT,
    "sanitized-string": _api.TEXT,
    "string": _api.TEXT,
    "unique-string": _api.TEXT,
    "time": _api.TIME,
    "duration": _api.NS_AS_MS,
    "seconds": _api.NS_AS_MS,
    "milliseconds": _api.NS_AS_MS,
    "microseconds": _api.NS_AS_US,
    "nanoseconds": _api.UNSIGNED,
    "bytes": _api.UNSIGNED,
    "percentage": _api.DOUBLE,
    "integer": _api.SIGNED,
    "decimal": _api.DOUBLE,
    "hexadecimal": _api.UNSIGNED,
    "flow-id": _api.FLOW,
    "terminating-flow-id": _api.FLOW,
}

FIELDS_MAX = 32


def check_fields(fields):
    """Raises ValueError where a marker type cannot be; the same whether or not the library is there."""
    if not 1 <= len(fields) <= FIELDS_MAX:
        raise ValueError(f"a marker type has 1 to {FIELDS_MAX} fields, not {len(fields)}")
    for name, format in fields.items():
        if format not in FORMATS:
            raise ValueError(f"{name}: {format!r} is no format, these are: {', '.join(FORMATS)}")
