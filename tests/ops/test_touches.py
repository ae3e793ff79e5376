"""What kernels really touch, compared with what their records say (`Op.touches`).

Two tests. One runs the whole op table under an audit hook of Python's, which hears every file, socket and process that
is opened. The other walks from each kernel through all functions of Reflow that it can reach and looks for names that
open something: it sees paths that no case of the table takes.
"""

import contextlib
import functools
import inspect
import os
import pathlib
import sys
import types

import pytest

import reflow as tf
from reflow.ops.registry import REGISTRY
from tests.ops import numeric
from tests.ops.table import TABLE

#: events of Python's audit hooks, by what they touch
EVENTS = {
    "files": (
        "open", "os.", "shutil.", "glob.", "pathlib.", "tempfile.", "fcntl.", "mmap.", "sqlite3.", "ctypes.dlopen"
    ),
    "network": (
        "socket.", "urllib.", "http.", "ftplib.", "smtplib.", "imaplib.", "poplib.", "telnetlib.", "webbrowser."
    ),
    "processes": (
        "subprocess.", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "os.kill"
    ),
}
#: modules whose functions reach outside the process, and what is harmless in them
OUTSIDE = {
    "os": {"urandom", "cpu_count", "sysconf", "getpid", "path", "fspath", "environ", "name", "sep", "linesep"},
    "pathlib": {"Path", "__file__"},  # data that comes with the package
    # `open` as the name of another module's attribute; the builtin is found by name
    "io": {"BytesIO", "StringIO", "open"},
    **{
        name: set()
        for name in ("shutil", "glob", "socket", "subprocess", "tempfile", "ctypes", "mmap", "urllib", "http")
    },
    **{name: set() for name in ("multiprocessing", "pickle", "marshal", "importlib", "runpy", "webbrowser", "signal")},
}
OPENERS = {"open", "memmap", "fromfile", "tofile", "genfromtxt", "loadtxt", "savetxt"}
#: modules in which such names do no harm, with the reason
HARMLESS = {
    "reflow.graph.node": "asks where Keras is installed, to tell the user's lines from its own",
    **{
        f"reflow.native{part}": "finds, builds and loads Reflow's own kernels, whatever the op"
        for part in ("", ".build", ".cache")
    },
    "reflow.core.limits": "asks how much memory there is",
    "reflow.drop_in.install": "imports the protobuf messages of options, a module of Reflow's own",
    "reflow.ops.opdef": "reads the definitions of ops, a file of Reflow's own",
    "reflow.ops.kernels.image.decode": "Pillow reads bytes in memory, with the reader of the one format they have",
}
INSTALLED = tuple({os.path.realpath(p) for p in (sys.prefix, sys.base_prefix, pathlib.Path(tf.__file__).parent)})
KERNELS = {record.kernel.__code__: name for name, record in REGISTRY.items() if hasattr(record.kernel, "__code__")}

heard: list | None = None  # (event, what it touches, innermost kernel); None while nobody listens


def hook(event, args):
    if heard is None:
        return
    kinds = {kind for kind, starts in EVENTS.items() if event.startswith(starts)}
    if not kinds or is_data_of_a_package(event, args):
        return
    frame, kernel = sys._getframe(1), None
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return  # a module is imported when it is first needed
        if os.path.basename(frame.f_code.co_filename) == "compilation_cache.py":
            return  # JAX keeps a program that took long to compile, whatever op is in it (reflow/native/programs.py)
        kernel = kernel or KERNELS.get(frame.f_code)
        frame = frame.f_back
    heard.append((event, "processes" if "processes" in kinds else kinds.pop(), kernel))


def is_data_of_a_package(event, args) -> bool:
    return event == "open" and args[1] in ("r", "rb") and str(os.path.realpath(args[0])).startswith(INSTALLED)


sys.addaudithook(hook)


@pytest.fixture(scope="module", autouse=True)
def a_program_has_run():
    """JAX looks for devices and our kernels are loaded when the first program is made, whatever op is in it."""
    tf.function(lambda x: tf.matmul(x, x), jit_compile=True)(tf.ones([64, 64]))
    tf.image.resize(tf.ones([1, 8, 8, 3]), [4, 4])


@contextlib.contextmanager
def listening():
    global heard
    heard = []
    try:
        yield heard
    finally:
        heard = None


def undeclared(events, op: str) -> list:
    """Events in kernels whose record does not announce them; datasets open files when another op iterates them."""
    found = []
    for event, kind, kernel in events:
        if kernel is not None and not any(_announces(name, kind) for name in (kernel, op)):
            found.append((kernel, event))
    return found


def _announces(name: str, kind: str) -> bool:
    touches = REGISTRY[name].touches if name in REGISTRY else ()
    return callable(touches) or kind in touches or (kind == "files" and "assets" in touches)


def test_the_hook_hears_a_kernel_that_opens_a_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("x")
    with listening() as events:
        tf.io.read_file(str(path))
    assert ("open", "files", "ReadFile") in events and not undeclared(events, "ReadFile")
    monkeypatch.setattr(REGISTRY["ReadFile"], "touches", ())
    assert undeclared(events, "ReadFile") == [("ReadFile", "open")]


@pytest.mark.parametrize("op", sorted({case.op for case in TABLE.values()}))
def test_every_event_is_announced(op):
    """All cases of an op, and their gradients."""
    for case in TABLE.values():
        if case.op != op:
            continue
        with listening() as events, contextlib.suppress(Exception):  # what fails is reported by test_table.py
            inputs = numeric.tensors(tf, case)
            if "eager" in case.modes:
                numeric.outputs(tf, case, inputs)
                if case.grad:
                    numeric.gradients(tf, case, inputs)
            else:
                tf.function(lambda *xs, case=case: numeric.outputs(tf, case, xs))(*inputs)
        assert not undeclared(events, op), f"the record of {op} lacks `touches`"


def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def plain(thing):
    """The function behind wrappers."""
    if isinstance(thing, functools.partial):
        thing = thing.func
    if isinstance(thing, property):
        thing = thing.fget
    thing = getattr(thing, "__func__", thing)
    return inspect.unwrap(thing) if callable(thing) else thing


def reached(kernel) -> list:
    """The functions of Reflow that a kernel can call, by the names in their code."""
    seen: dict = {}
    pending = [kernel]
    while pending:
        thing = plain(pending.pop())
        if not isinstance(thing, (type, types.FunctionType)) or thing in seen:
            continue
        if not (thing.__module__ or "").startswith("reflow"):
            continue
        seen[thing] = None
        if isinstance(thing, type):
            pending += [*vars(thing).values(), *thing.__bases__]
            continue
        pending += [cell.cell_contents for cell in thing.__closure__ or () if cell != types.CellType()]
        names = {name for code in codes(thing.__code__) for name in code.co_names}
        for value in [thing.__globals__.get(name) for name in names]:
            if isinstance(value, types.ModuleType) and value.__name__.startswith("reflow"):
                pending += [vars(value).get(name) for name in names]
            else:
                pending.append(value)
    return [thing for thing in seen if isinstance(thing, types.FunctionType)]


def reaches_out(function) -> list:
    """Names in a function that open files, sockets or processes."""
    if function.__module__ in HARMLESS:
        return []
    names = {name for code in codes(function.__code__) for name in code.co_names}
    found = sorted(names & OPENERS - function.__globals__.keys())
    for name in names:
        module = function.__globals__.get(name)
        if isinstance(module, types.ModuleType):
            allowed = OUTSIDE.get(module.__name__.split(".")[0])
            if allowed is not None:
                found += [f"{module.__name__}.{n}" for n in names & set(dir(module)) - allowed]
    return found


@pytest.mark.parametrize("op", sorted(REGISTRY))
def test_kernels_that_can_open_something_say_so(op):
    record = REGISTRY[op]
    found = {f"{f.__module__}.{f.__qualname__}": names for f in reached(record.kernel) if (names := reaches_out(f))}
    assert record.touches or not found, f"the record of {op} lacks `touches`: {found}"


def test_the_walk_sees_paths_that_no_case_takes():
    kernel = REGISTRY["FixedUnigramCandidateSampler"].kernel
    assert any("open" in reaches_out(f) for f in reached(kernel))
