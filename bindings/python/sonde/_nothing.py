"""The same names as in _recorded.py, for programs that are not recorded: they do nothing, as fast as can be."""

from sonde._categories import Category
from sonde._formats import check_fields


class _Nothing:
    """An interval that nobody sees."""

    __slots__ = ()

    def __enter__(self):
        return {}

    def __exit__(self, *raised):
        return None

    def __call__(self, function):
        return function


_NOTHING = _Nothing()


def is_recording():
    return False


def now():
    return 0


def instant(name, text=None, category=Category.OTHER, stack=False):
    pass


def interval(start, name, text=None, category=Category.OTHER, end=0):
    pass


def marker(name, text=None, category=Category.OTHER):
    return _NOTHING


class MarkerType:
    def __init__(self, name, table_label=None, chart_label=None, **fields):
        check_fields(fields)

    def __call__(self, name, category=Category.OTHER, **values):
        return _NOTHING

    def instant(self, name, category=Category.OTHER, stack=False, **values):
        pass

    def interval(self, start, name, category=Category.OTHER, end=0, **values):
        pass


class Counter:
    def __init__(self, name, category="Python", description=""):
        pass

    def add(self, amount=1):
        pass

    def set(self, value):
        pass


def add_bandwidth(count):
    pass


def rename_thread(name):
    pass


def set_process_name(name):
    pass
