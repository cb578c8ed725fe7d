"""What kind of work a marker is about; profilers colour by it."""

from sonde import _api

_table = _api.find()


class Category:
    """One of those below, or one of the program's own: Category("Cache", "orange"). Colours: transparent purple green orange
    yellow lightblue blue brown magenta red lightred darkgrey grey. The same name gives the same category."""

    __slots__ = ("number",)

    def __init__(self, name, colour="grey"):
        self.number = _table.category_register(_api.text(name), _api.text(colour)) if _table else 1

    def subcategory(self, name):
        """A part of this category."""
        return Category._of(_table.subcategory_register(self.number, _api.text(name)) if _table else self.number)

    @classmethod
    def _of(cls, number):
        category = object.__new__(cls)
        category.number = number
        return category


for _number, _name in enumerate(
    "IDLE OTHER IO NETWORK GRAPHICS JAVASCRIPT JAVA GC IPC BLOCKED TEST PROFILER".split()
):
    setattr(Category, _name, Category._of(_number))
