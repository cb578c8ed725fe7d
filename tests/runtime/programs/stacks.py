"""Says of itself which Python frames it has, in many situations, and has Sonde take its stack in each of them.

usage: stacks.py FILE

FILE gets the stacks as the interpreter knows them: for each marker its name and [[function, file, line], …], youngest first; and
those of threads that wait.
"""

import asyncio
import contextlib
import ctypes
import functools
import gc
import json
import os
import re
import socket
import sys
import threading
import time

# The table of sonde/api.h: where marker_add stands in it, and the options of a marker.
MARKER_ADD = 32
FULL_STACK = 1


class Options(ctypes.Structure):
    _fields_ = [("phase", ctypes.c_int), ("start", ctypes.c_uint64), ("end", ctypes.c_uint64), ("capture", ctypes.c_int),
                ("backtrace", ctypes.c_void_p), ("thread", ctypes.c_int)]


api = (ctypes.c_void_p * (MARKER_ADD + 1)).in_dll(ctypes.CDLL(None), "sonde_api_1")
marker_add = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.POINTER(Options),
                              ctypes.c_void_p)(api[MARKER_ADD])
options = Options(capture=FULL_STACK)
expected = {}


def frames_from(frame):
    stack = []
    while frame:
        code = frame.f_code
        stack.append([getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno])
        frame = frame.f_back
    return stack


def take(name):
    text = name.encode()
    frame = sys._getframe()
    expected[name] = stack = frames_from(frame)
    stack[0][2] = frame.f_lineno + 1
    marker_add(None, text, len(text), 1, options, None)


def plain():
    take("plain")


def recursion(depth=120):
    if depth == 0:
        take("recursion")
    else:
        recursion(depth - 1)


# A stack has at most 1,024 frames; before 3.11 each of Python has two or three native ones.
DEEP = 600 if sys.version_info >= (3, 11) else 200


def deep(depth=DEEP):
    return take("deep recursion") if depth == 0 else deep(depth - 1)


def through_c(depth=25, name="through C"):
    """Each level has C between its Python frames: list.sort, map, functools.reduce, re.sub."""
    if depth == 0:
        take(name)
        return
    next_level = functools.partial(through_c, depth - 1, name)
    if depth % 4 == 0:
        [1].sort(key=lambda item: next_level())
    elif depth % 4 == 1:
        list(map(lambda item: next_level(), [1]))
    elif depth % 4 == 2:
        functools.reduce(lambda a, b: next_level(), [1, 2])
    else:
        re.sub("a", lambda match: next_level() or "", "a")


def comprehensions():
    [[take("comprehension") for _ in range(1)] for _ in range(1)]
    {k: take("dict comprehension") for k in "a"}
    any(take("generator expression") for _ in "a")


def numbers():
    yield 1
    take("generator")
    yield 2
    yield from inner_numbers()


def inner_numbers():
    take("generator in a generator")
    yield 3


def generators():
    for _ in numbers():
        pass
    list(numbers())
    waiting = numbers()
    next(waiting)
    next(waiting)
    waiting.close()


async def awaited():
    take("coroutine")
    await asyncio.sleep(0)
    take("coroutine, resumed")


async def outer():
    await awaited()
    await asyncio.gather(awaited(), awaited())
    async for _ in async_numbers():
        pass


async def async_numbers():
    take("async generator")
    yield 1


class Thing:
    take("class body" if __name__ == "__main__" else "class body in a subinterpreter")

    def __init__(self):
        take("constructor")

    def __getattr__(self, name):
        take("getattr " + name)
        return name

    def __del__(self):
        take("destructor")

    @property
    def value(self):
        take("property")
        return 1

    @staticmethod
    def unbound():
        take("static method")

    @contextlib.contextmanager
    def context(self):
        take("entering a context")
        yield
        take("leaving a context")

    def __lt__(self, other):
        take("comparison")
        return False


def methods():
    thing = Thing()
    thing.nothing
    thing.value
    Thing.unbound()
    with thing.context():
        pass
    sorted([thing, thing])
    del thing


def exceptions():
    try:
        try:
            raise KeyError("first")
        except KeyError:
            take("except")
            raise ValueError("second")
        finally:
            take("finally")
    except ValueError:
        take("outer except")


def größe():
    (lambda: take("names that are not ASCII"))()
    exec(compile("def ελληνικά_日本語_𝒇():\n\n    take('more of them')\nελληνικά_日本語_𝒇()", "файл \u20ac \U0001f40d.py", "exec"), globals())


def callbacks():
    callback = ctypes.CFUNCTYPE(None)(lambda: take("callback from C"))
    callback()


def lines():
    take(
        "a call over several lines"
    )
    value = (1 +
             2 if True else
             take("never"))
    for _ in [value]: take("on a line with others"); value += 1
    if value:
        # a comment, and an empty line

        take("after a comment")
    with contextlib.suppress(ZeroDivisionError):
        take("in a with"
             + "")
        1 / 0


def far():
    """A function whose table of lines is long."""
    source = "def long():\n" + "    a = [1, 2, 3]; b = {1: 2}\n\n" * 700 + "    take('at the end of a long function')\nlong()\n"
    exec(compile(source, "long.py", "exec"), globals())


def backwards():
    """Lines that go down within a function: the table has negative steps."""
    source = "def back():\n" + "\n" * 300 + "    (take('before'),\n" + "\n" * 200 + "     [0,\n\n\n\n1]\n [take('behind') or 0])\nback()\n"
    exec(compile(source, "back.py", "exec"), globals())


def many_arguments(*arguments, **keywords):
    take("arguments")


def in_threads():
    def each(number):
        take("thread %d" % number)
        through_thread(number, 3)

    def through_thread(number, depth):
        if depth == 0:
            take("deeper in thread %d" % number)
        else:
            sorted([1], key=lambda item: through_thread(number, depth - 1))

    threads = [threading.Thread(target=each, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_threads_of_c():
    """A thread that Python did not start, which calls it: for each call it has another thread state."""
    libc = ctypes.CDLL(None)
    handle = ctypes.c_ulong()
    for number in range(3):
        callback = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _, number=number: take("thread of C %d" % number))
        libc.pthread_create(ctypes.byref(handle), None, callback, None)
        libc.pthread_join(handle, None)


def subinterpreters():
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        try:
            import _interpreters as interpreters
        except ImportError:
            return
    # Where each has a lock of its own, ctypes cannot be loaded in another one: they share theirs.
    for arguments in [{"isolated": False}, {"config": "legacy"}, {}]:
        with contextlib.suppress(TypeError):
            number = interpreters.create(**arguments)
            break
    script = """if True:
        import json, sys
        sys.argv = [{file!r}]
        with open({source!r}) as source:
            code = source.read()
        names = {{"__name__": "sub"}}
        exec(compile(code, {source!r}, "exec"), names)
        names["within"]("in a subinterpreter")
        with open({out!r}, "w") as out:
            json.dump(names["expected"], out)
    """
    out = sys.argv[1] + ".sub"
    here = frames_from(sys._getframe())
    here[0][2] = sys._getframe().f_lineno + 1
    interpreters.run_string(number, script.format(file=sys.argv[1], source=os.path.abspath(__file__), out=out))
    interpreters.destroy(number)
    with open(out) as file:
        for name, stack in json.load(file).items():
            expected[name] = stack + here
    os.unlink(out)
    take("after a subinterpreter")


def within(name):
    (lambda: take(name))()


def after_fork():
    out = sys.argv[1] + ".fork"
    def in_thread():
        pid = os.fork()
        if pid == 0:
            expected.clear()
            through_c(3, "in a forked child")
            with open(out, "w") as file:
                json.dump(expected, file)
            os._exit(0)
        os.waitpid(pid, 0)
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    with open(out) as file:
        expected.update(json.load(file))
    os.unlink(out)


# --- threads that wait -----------------------------------------------------------------------------------------------------------


def waits(ready, done):
    lock = threading.Lock()
    lock.acquire()
    left, right = socket.socketpair()

    def on_lock():
        ready.release()
        lock.acquire()

    def on_sleep():
        ready.release()
        time.sleep(SLEEP + 1)

    def on_socket():
        ready.release()
        right.recv(1)

    def on_event():
        ready.release()
        done.wait()

    def in_generator():
        def inside():
            ready.release()
            yield done.wait()
        sorted(inside(), key=lambda item: 1)

    def in_c():
        ready.release()
        [1].sort(key=lambda item: done.wait())

    def end():
        lock.release()
        left.send(b"x")
        done.set()

    return [on_lock, on_sleep, on_socket, on_event, in_generator, in_c], end


SLEEP = 1.0


def waiting():
    ready, done = threading.Semaphore(0), threading.Event()
    targets, end = waits(ready, done)
    threads = [threading.Thread(target=target, name=target.__name__) for target in targets]
    for thread in threads:
        thread.start()
    for _ in threads:
        ready.acquire()
    time.sleep(SLEEP / 2)
    frames = sys._current_frames()
    stacks = {thread.name: [thread.native_id, frames_from(frames[thread.ident])] for thread in threads}
    time.sleep(SLEEP)
    end()
    for thread in threads:
        thread.join()
    return stacks


def main():
    gc.disable()  # destructors run where their objects go, not anywhere
    plain()
    recursion()
    deep()
    through_c()
    comprehensions()
    generators()
    asyncio.run(outer())
    methods()
    exceptions()
    größe()
    callbacks()
    lines()
    far()
    backwards()
    many_arguments(*range(20), **{chr(97 + i): i for i in range(20)})
    in_threads()
    in_threads_of_c()
    subinterpreters()
    after_fork()
    stacks = waiting()
    with open(sys.argv[1], "w") as out:
        json.dump({"markers": expected, "waiting": stacks}, out)


if __name__ == "__main__":
    main()
