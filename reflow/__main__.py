"""`python -m reflow prog.py args…` (or `reflow run prog.py args…`): runs a TensorFlow program on Reflow, unmodified.

The program runs as under `python prog.py`: it is the module `__main__`, with its own `sys.argv`, `sys.path[0]` and
`__file__`, and its own exceptions and exit status. That `__main__` stays in `sys.modules` to the end, so pickling,
threads and `multiprocessing` (which runs a script again by its `__file__`) work. Other commands (`reflow doctor`) are
in `reflow/commands/`.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import io
import os
import sys
import types
from typing import Any

from reflow import commands

USAGE = f"""usage: python -m reflow PROGRAM.py [ARGUMENTS...]
       python -m reflow -m MODULE [ARGUMENTS...]
       python -m reflow -c CODE [ARGUMENTS...]
       python -m reflow - [ARGUMENTS...]          (the program comes from standard input)
       python -m reflow -np NUMBER [--hosts a:2,b:2] PROGRAM.py [ARGUMENTS...]
       python -m reflow COMMAND [ARGUMENTS...]

Runs a Python program in which `import tensorflow` finds Reflow. PROGRAM may also be a folder or a zip file
with a __main__.py. With -np it runs as several processes that `horovod.tensorflow` joins; with --hosts the commands for
each machine are printed instead. `reflow` is short for `python -m reflow`.

commands:
{commands.summary()}

options:
  --tf1, --tf2   take the program for one of TensorFlow 1 or 2; by default its source says so
  -h, --help     show this text
  --version      show Reflow's version and the version of TensorFlow that it stands for"""


_choice: list[str] = []  # "--tf1" or "--tf2", if the user has chosen


@commands.runs_programs
def main(argv: list[str]) -> int | None:
    """Run the program that `argv` (without our own name) requests. Exceptions are the program's own."""
    if argv and argv[0] in ("--tf1", "--tf2"):
        _choice.append(argv[0])
        argv = argv[1:]
    first, rest = (argv[0], argv[1:]) if argv else ("--help", [])
    if first in ("-h", "--help"):
        print(USAGE)
        return 0 if argv else 2
    if first in ("-V", "--version"):
        print(_version())
        return 0
    if commands.is_command(first):
        return commands.run(first, rest)
    if first == "run" and not os.path.exists(first):
        return main(rest)
    if first in ("-np", "--num-proc"):
        from reflow.horovod import launch

        return launch.main(rest)
    if first in ("-m", "-c") and not rest:
        return _refuse(f"argument expected for the {first} option")
    if first.startswith("-") and first not in ("-m", "-c", "-"):
        return _refuse(f"unknown option {first}")
    from reflow.drop_in.install import install_as_tensorflow

    install_as_tensorflow()
    if first == "-m":
        return _run_module(rest[0], rest[1:])
    if first == "-c":
        return _run_text(rest[0], "<string>", ["-c", *rest[1:]])
    if first == "-":
        return _run_text(sys.stdin.read(), "<stdin>", ["-", *rest])
    return _run_path(first, [first, *rest])


def _version() -> str:
    from reflow.core import version

    return f"Reflow {version.REFLOW} (as TensorFlow {version.TENSORFLOW})"


def _refuse(why: str) -> int:
    print(f"python -m reflow: {why}\n{USAGE}", file=sys.stderr)
    return 2


def _set_path(folder: str) -> None:
    """`sys.path[0]`: `python -m` put the working directory there, unless it runs with `-P` or `-I`."""
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _run_text(source: str, name: str, argv: list[str]) -> int | None:
    _set_path("")
    sys.argv[:] = argv
    _prepare(source)
    attributes = {"__file__": name} if name == "<stdin>" else {}
    return _execute(source, name, _new_main(None, **attributes))


def _run_path(path: str, argv: list[str]) -> int | None:
    """Run a script, or the `__main__` of a folder or zip file."""
    if not os.path.exists(path):
        import difflib

        meant = difflib.get_close_matches(path, commands.COMMANDS, 1)
        hint = f"\n(did you mean the command `reflow {meant[0]}`?)" if meant else ""
        print(f"python -m reflow: can't open file {os.path.abspath(path)!r}: no such file{hint}", file=sys.stderr)
        return 2
    if not os.path.isfile(path) or _is_zip(path):
        return _run_container(path, argv)
    full = os.path.join(os.getcwd(), path)  # not normalised, as in CPython
    with io.open_code(path) as file:
        code = file.read()
    _set_path(os.path.dirname(os.path.realpath(path)))
    sys.argv[:] = argv
    _prepare(code)
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    return _execute(code, full, _new_main(None, __file__=full, __loader__=loader, __cached__=None))


def _prepare(source: str | bytes) -> None:
    """Give a program of TensorFlow 1 what it expects.

    Looking for its marks costs a parse, and only programs that have `tensorflow` pay it.
    """
    text = source if isinstance(source, bytes) else source.encode()
    if _choice or b"tensorflow" in text:
        from reflow.drop_in import version_one

        version_one.prepare(source, _choice[0] if _choice else None)


def _is_zip(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"PK"


def _run_container(path: str, argv: list[str]) -> int | None:
    path = os.path.join(os.getcwd(), path)
    spec: Any = importlib.machinery.PathFinder.find_spec("__main__", [path])
    if spec is None:
        return _refuse(f"can't find a '__main__' module in {path!r}")
    if not sys.flags.safe_path:
        sys.path[0] = path
    else:
        sys.path.insert(0, path)  # as CPython does: the program is this path
    sys.argv[:] = argv
    return _execute(spec.loader.get_code("__main__"), spec.origin, _new_main(spec))


def _run_module(name: str, argv: list[str]) -> int | None:
    """Run a module, or the `__main__` of a package. As in CPython, `sys.argv[0]` is "-m" during the search."""
    sys.argv[:] = ["-m", *argv]
    spec = _find(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _find(f"{name}.__main__")
    code = spec.loader.get_code(spec.name) if spec is not None and spec.loader is not None else None
    if code is None:
        print(f"python -m reflow: No module named {name!r}, or no code in it to run", file=sys.stderr)
        return 1
    sys.argv[0] = spec.origin
    return _execute(code, spec.origin, _new_main(spec))


def _find(name: str):
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise


def _new_main(spec, **attributes) -> types.ModuleType:
    """A fresh `__main__` in `sys.modules`. A script has no spec; a module has the one that found it."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=__builtins__, __package__=None, **attributes)
    if spec is not None:
        module.__dict__.update(__spec__=spec, __loader__=spec.loader, __package__=spec.parent)
        module.__dict__.update(__file__=spec.origin, __cached__=spec.cached)
    sys.modules["__main__"] = module
    return module


def _execute(code, name: str, module: types.ModuleType) -> int | None:
    """Run source text or a code object. The traceback of an uncaught error begins at the program's line."""
    try:
        text = isinstance(code, (str, bytes))
        exec(compile(code, name, "exec", dont_inherit=True) if text else code, module.__dict__)
    except Exception as error:
        inner = error.__traceback__ and error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(inner), inner)
        return 1
    return None


def console() -> int | None:
    """The console script `reflow`. Its own folder stands where `python -m` puts the working directory."""
    sys.path[0] = ""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
