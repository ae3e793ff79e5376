"""The examples in TensorFlow's docstrings, run on TensorFlow and on Reflow.

    python -m tools.doctests --tf-python ~/tf/bin/python [--only tf.strings] [--keras] [--folder DIR]

TensorFlow's Python runs this file with `--record`: it walks the public names, takes the `>>>` examples out of each
docstring, runs those of one docstring one after the other in a namespace of their own, and writes sources and what was
shown to a file. Reflow then runs the same sources. Compared is what each library shows, never what the docstring
promises. Nothing of TensorFlow's text is kept in this repository.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import importlib
import inspect
import io
import itertools
import json
import linecache
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Iterator

import numpy as np

from tests import ROOT
from tests.expressions import clean

SECONDS = 60  # for the examples of one docstring
LONG = 1500  # of a result that is shown
PUBLIC = ("tensorflow._api.", "keras._tf_keras.", "keras.api.")  # where the modules of public namespaces are
CLOSE = {"rel_tol": 2e-4, "abs_tol": 1e-5}
#: examples that change the process for all that follow, or wait for something
ELSEWHERE = re.compile(
    r"disable_|enable_|set_logical_device|initialize_|set_visible|\btpu|gpu|server|coordinator|input\(|sleep|time\(",
    re.I,
)
_FRAMES = re.compile(r'^\s*File "[^\n]*\n(?:\s*\n)?', re.M)  # where in this file an example was run
_NUMBERS = itertools.count()
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[+-]?\d+)?j?(?![\w])", re.I)


def documented(module: types.ModuleType, path: str, with_keras: bool, seen: set[int]) -> Iterator[tuple[str, str]]:
    """(name, docstring) of everything that the namespaces below `module` show."""
    for name in sorted(dir(module), key=lambda name: (name == "compat", name)):  # the plain name of a thing first
        if (
            name.startswith("_") or (name == "keras" and not with_keras)
            or path.endswith((".v1", ".v2")) and name == "compat"
        ):
            continue
        thing = getattr(module, name, None)
        if id(thing) in seen:
            continue
        full = f"{path}.{name}"
        if inspect.ismodule(thing):
            if getattr(thing, "__name__", "").startswith(PUBLIC):
                seen.add(id(thing))
                yield from documented(thing, full, with_keras, seen)
        elif callable(thing):
            seen.add(id(thing))
            yield full, inspect.getdoc(thing) or ""
            for member in sorted(vars(thing)) if inspect.isclass(thing) else ():
                if not member.startswith("_"):
                    yield f"{full}.{member}", inspect.getdoc(getattr(thing, member, None)) or ""


def sessions(with_keras: bool) -> dict[str, list[str]]:
    """The sources of each docstring's examples; a docstring that several names show stands once."""
    tf = importlib.import_module("tensorflow")
    found: dict[str, list[str]] = {}
    texts = set()
    for name, text in documented(tf, "tf", with_keras, {id(tf)}):
        if ">>>" not in text or text in texts:
            continue
        texts.add(text)
        with contextlib.suppress(ValueError):  # examples that are not indented as doctest wants them
            sources = [example.source for example in doctest.DocTestParser().get_examples(text)]
            if sources and not ELSEWHERE.search("".join(sources)):
                found[name] = sources
    return found


def shown(source: str, names: dict) -> str:
    """What a session would show for `source`."""
    printed = io.StringIO()
    where = f"<example {next(_NUMBERS)}>"
    # AutoGraph reads the sources of functions
    linecache.cache[where] = (len(source), None, source.splitlines(keepends=True), where)
    with contextlib.redirect_stdout(printed):
        try:
            body = ast.parse(source).body
            last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), where, "exec", dont_inherit=True), names)
            value = eval(compile(ast.Expression(last.value), where, "eval", dont_inherit=True), names) if last else None
            result = "" if value is None else repr(value)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return clean(_FRAMES.sub("", printed.getvalue() + result))


def run(sources: list[str]) -> list[str]:
    tf = importlib.import_module("tensorflow")
    tf.random.set_seed(0)
    names = {"tf": tf, "np": np, "keras": importlib.import_module("keras"), "__name__": "__main__"}
    return [shown(source, names) for source in sources]


class _TooLongError(BaseException):
    """The examples of one docstring took more than `SECONDS`."""


def _stop(*_) -> None:
    raise _TooLongError


def run_all(found: dict[str, list[str]]) -> dict[str, list[str]]:
    results = {}
    signal.signal(signal.SIGALRM, _stop)
    for name, sources in found.items():
        signal.alarm(SECONDS)
        try:
            results[name] = run(sources)
        except _TooLongError:
            results[name] = ["took too long"] * len(sources)
        finally:
            signal.alarm(0)
    return results


def same(one: str, other: str) -> bool:
    """Whether two results show the same, up to the rounding of numbers and to spaces."""
    if one == other:
        return True
    texts = [" ".join(_NUMBER.sub(" # ", text).split()) for text in (one, other)]
    numbers = [[complex(n) for n in _NUMBER.findall(text)] for text in (one, other)]
    return texts[0] == texts[1] and all(_close(a, b) for a, b in zip(*numbers, strict=True))


def _close(a: complex, b: complex) -> bool:
    return math.isclose(a.real, b.real, **CLOSE) and math.isclose(a.imag, b.imag, **CLOSE)


def compare(found: dict[str, list[str]], expected: dict[str, list[str]], got: dict[str, list[str]]) -> int:
    different = count = 0
    for name, sources in found.items():
        for source, theirs, ours in zip(sources, expected[name], got[name], strict=True):
            count += 1
            if not theirs.startswith("NameError") and not same(theirs, ours):
                different += 1
                print(f"--- {name}\n>>> {source.rstrip()}\ntensorflow: {theirs[:LONG]}\nreflow:     {ours[:LONG]}")
    print(f"{count} examples of {len(found)} docstrings, {different} differ")
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tf-python", default=os.environ.get("REFLOW_TF_PYTHON"), help="a Python that has TensorFlow")
    parser.add_argument("--only", default="tf.", help="the beginning of the names to look at")
    parser.add_argument("--keras", action="store_true", help="Keras' docstrings too")
    folder = pathlib.Path(tempfile.gettempdir()) / "reflow-doctests"
    parser.add_argument("--folder", type=pathlib.Path, default=folder, help="where recordings are kept")
    parser.add_argument("--fresh", action="store_true", help="record again")
    parser.add_argument(
        "--record", type=pathlib.Path, help="(TensorFlow's side) write sources and results to this file"
    )
    parser.add_argument(
        "--replay", type=pathlib.Path, nargs=2,
        help="(Reflow's side) run the sources of one file, write results to the other",
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.record:
        found = {name: sources for name, sources in sessions(options.keras).items() if name.startswith(options.only)}
        options.record.write_text(json.dumps([found, run_all(found)]))
        return 0
    if options.replay:
        found = json.loads(options.replay[0].read_text())[0]
        options.replay[1].write_text(json.dumps(run_all(found)))
        return 0
    if not options.tf_python:
        parser.error("--tf-python, or the variable REFLOW_TF_PYTHON, must name a Python that has TensorFlow")
    return 1 if between(options) else 0


def between(options: argparse.Namespace) -> int:
    """Run both sides, each in a process of its own, and compare."""
    options.folder.mkdir(parents=True, exist_ok=True)
    theirs, ours = options.folder / f"{options.only}{'keras' * options.keras}.json", options.folder / "reflow.json"
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
    if options.fresh or not theirs.exists():
        asked = ["--record", str(theirs), "--only", options.only, *(["--keras"] if options.keras else [])]
        subprocess.run(
            [options.tf_python, "-m", "tools.doctests", *asked], check=True, env=environment, cwd=ROOT,
            stderr=subprocess.DEVNULL,
        )
    subprocess.run([sys.executable, "-m", "reflow", "-m", "tools.doctests", "--replay", str(theirs), str(ours)],
                   check=True, env=environment, cwd=ROOT, stderr=subprocess.DEVNULL)
    return compare(*json.loads(theirs.read_text()), json.loads(ours.read_text()))


if __name__ == "__main__":
    sys.exit(main())
