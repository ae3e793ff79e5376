"""Random `tf.function` programs: do they mean the same eagerly, interpreted, compiled, with unknown shapes and under
`jit_compile`?

make fuzz-functions                               # 200 programs from a new seed; SEED=7 COUNT=1000 to choose
.venv/bin/python tools/fuzz_functions.py --seed 7 --count 1 --show
.venv/bin/python tools/fuzz_functions.py --seed 7 --count 500 --tensorflow /path/to/tensorflow/python

A program is made line by line: a template with typed holes is filled with names of the right kind, and run eagerly at
once. What does not fit is thrown away, so no rule about shapes stands here. Sometimes a line that fails while it runs
is kept, to see the same class of error everywhere. Where modes disagree, `--tensorflow` runs the same text there: what
TensorFlow does as well is no finding.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys
import tempfile
import textwrap

import numpy as np

if __name__ == "__main__":
    sys.path.pop(0)  # not this folder: its modules would hide others
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ["REFLOW_COMPILE_AT"] = "2"  # each mode runs a few times

MODES = ("eager", "function", "unknown", "interpreted", "jit")
LARGEST, MOST_ELEMENTS = 1e4, 400
DATA = pathlib.Path(__file__).parent / "data"

ARGUMENTS = (("x", (3, 4), "float32"), ("y", (4,), "float32"), ("k", (5,), "int32"), ("n", (), "int32"))


def loaded(text, library, path) -> dict:
    """The names that a text defines, and those around it (`fuzz_setup.txt`). AutoGraph wants the source in a file."""
    text = (DATA / "fuzz_setup.txt").read_text().replace("LIBRARY", library).replace("LOGFILE", f"{path}.log") + text
    path.write_text(text)
    scope: dict = {"__name__": path.stem}
    exec(compile(text, str(path), "exec"), scope)
    return scope


def templates() -> dict:
    """The templates by group."""
    found: dict = {}
    for line in (DATA / "fuzz_functions.txt").read_text().splitlines():
        if line.startswith("["):
            group = found.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            group.append(line)
    return found


EXPRESSIONS = templates()
EFFECTS, CONDITIONS, LOOPS = (EXPRESSIONS.pop(group) for group in ("EFFECTS", "CONDITIONS", "LOOPS"))


def arguments(seed) -> list:
    """NumPy arguments of a call: numbers that floats hold exactly."""
    rng = np.random.default_rng(seed)
    made = [rng.integers(-6, 7, shape) / (4 if kind == "float32" else 1) for _, shape, kind in ARGUMENTS]
    made[2], made[3] = np.abs(made[2]) % 5, np.abs(made[3]) % 5
    return [m.astype(kind) for m, (_, _, kind) in zip(made, ARGUMENTS, strict=True)]


class Maker:
    """Makes one program: the lines of a function of `ARGUMENTS`, each tried as soon as it is written."""

    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.scope = loaded("", "reflow", folder / "maker.py")
        tf = self.scope["tf"]
        self.scope.update(zip("xykn", map(tf.constant, arguments(seed)), strict=True))
        self.names, self.count, self.fails = list("xykn"), 0, False

    def new(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def fitting(self, kind) -> str:
        """What may stand in a hole."""
        if kind == "k":
            return str(self.random.randrange(4))
        if kind == "p":
            return f"({self.filled(self.random.choice(CONDITIONS))})"
        if kind in "vwu":
            return kind + str(self.random.randrange(2))
        good = [n for n in self.names if _is(kind, self.scope[n])]
        recent = good[-4:] if self.random.random() < 0.6 else good
        return self.random.choice(recent) if recent else "missing"

    def filled(self, template) -> str:
        kept: dict = {}

        def fill(match):  # a name of two letters is the same in all places
            return self.fitting(match[1]) if len(match[1]) == 1 else kept.setdefault(match[1], self.fitting("f"))

        return re.sub(r"\{(\w+)\}", fill, template)

    def line(self) -> str:
        if self.random.random() < 0.3:
            return self.filled(self.random.choice(EFFECTS))
        text = self.filled(self.random.choice(EXPRESSIONS[self.random.choice(list(EXPRESSIONS))]))
        name = self.new()
        if not text.startswith("GRADIENT"):
            return f"{name} = {text}"
        watched = self.fitting("f")
        lines = ["with tf.GradientTape() as tape:", f"    tape.watch({watched})", f"    loss = {text[9:]}"]
        return "\n".join([*lines, f"{name} = tape.gradient(loss, [{watched}, v0], unconnected_gradients='zero')[0]"])

    def block(self, depth) -> str:
        """A branch or a loop. Its own names stay inside; it changes one from outside."""
        outer = [n for n in self.names if _is("f", self.scope[n])]
        test, before = f"if {self.fitting('p')}:", len(self.names)
        if self.random.random() < 0.5:
            test = self.filled(self.random.choice(LOOPS).replace("{new}", index := self.new()))
            self.scope[index] = self.scope["n"]
            self.names.append(index)
        inner = [s for s in (self.statement(depth + 1) for _ in range(self.random.randint(1, 3))) if s]
        changed = self.random.choice(outer)
        total = f"tf.cast(tf.reduce_sum({self.fitting('f')}), {changed}.dtype)"
        inner.append(f"{changed} = {changed} * 0.5 + {total} * 0.125")
        del self.names[before:]
        if self.random.random() < 0.2 and test.startswith("for"):
            leave = f"if {self.fitting('p')}:\n    {self.random.choice(['break', 'continue'])}"
            inner.insert(self.random.randrange(len(inner)), leave)
        text = f"{test}\n" + textwrap.indent("\n".join(inner), "    ")
        if test.startswith("if") and self.random.random() < 0.5:
            text += f"\nelse:\n    {changed} = {changed} - 1.0"
        return text

    def statement(self, depth=0) -> str | None:
        """A statement that works, or fails as TensorFlow's ops fail; None after too many tries."""
        for _ in range(40):
            text = self.block(depth) if depth < 2 and self.random.random() < 0.25 else self.line()
            scope = dict(self.scope)
            try:
                exec(text, scope)
            except scope["tf"].errors.InvalidArgumentError:
                if depth == 0 and not self.fails and self.random.random() < 0.05:
                    self.fails = True
                    return text
                continue
            except Exception:  # what does not fit is thrown away
                continue
            made = [n for n in re.findall(r"^(t\d+) =", text, re.MULTILINE) if n in scope]
            if all(_moderate(scope[n]) for n in (*made, "v0", "v1", "u0", "w0", "w1")):
                self.scope.update(scope)
                self.names += [n for n in made if n not in self.names]
                return text
        return None

    def program(self, length) -> str:
        lines = [s for s in (self.statement() for _ in range(length)) if s]
        results = ", ".join(n for n in self.names if n not in "xykn")
        body = textwrap.indent("\n".join([*lines, f"return [{results}]"]), "    ")
        return f"def program(x, y, k, n):\n{body}\n"


def _is(kind, value) -> bool:
    """Whether a tensor fits a hole."""
    if not hasattr(value, "dtype"):
        return False
    dtype, rank = value.dtype, value.shape.rank
    single = dtype.name == "float32"
    return {
        "f": dtype.is_floating,
        "g": single and rank > 0,
        "m": single and rank == 2,
        "i": dtype.name in ("int32", "int64"),
        "j": dtype.name == "int32" and rank == 0,
        "b": dtype.name == "bool",
        "s": dtype.name == "string",
        "c": dtype.is_complex,
        "a": True,
    }[kind]


def _moderate(value) -> bool:
    """Small, and of numbers that two ways to compute them agree about."""
    array = np.asarray(value)
    if array.size > MOST_ELEMENTS:
        return False
    return array.dtype.kind in "SOUb" or bool(np.all(np.abs(array.astype(np.complex128)) < LARGEST))


# --- running ----------------------------------------------------------------------------------------------------------


def outcomes(text, library, seed, modes=MODES) -> dict:
    """What a program does in every mode: {mode: [(printed lines, results or error, variables) per call,
    then gradients]}."""
    with tempfile.TemporaryDirectory() as folder:
        modes = [m for m in modes if library == "reflow" or m != "interpreted"]
        return {m: _run(m, text, library, seed, pathlib.Path(folder)) for m in modes}


def _run(mode, text, library, seed, folder) -> list:
    scope = loaded(text, library, folder / f"program_{mode}.py")
    tf, variables, log = scope["tf"], scope["VARIABLES"], pathlib.Path(scope["LOG"][7:])
    options = {"jit_compile": True} if mode == "jit" else {}
    if mode == "unknown":
        options["input_signature"] = [tf.TensorSpec([None] * len(shape), kind) for _, shape, kind in ARGUMENTS]
    function = scope["program"] if mode == "eager" else tf.function(scope["program"], **options)
    tf.config.run_functions_eagerly(mode == "eager")
    tf.random.set_seed(seed)
    try:
        if mode == "interpreted":
            with importlib.import_module("reflow.core.context").swapped(interpreting=True):
                return _calls(tf, function, variables, seed, log)
        return _calls(tf, function, variables, seed, log)
    finally:
        tf.config.run_functions_eagerly(False)


def _calls(tf, function, variables, seed, log) -> list:
    first = [_array(v) for v in variables]
    held, found = [], []
    for number in (0, 0, 0, 1, 0):
        log.write_text("")
        args = [tf.constant(a) for a in arguments(seed + number)]
        try:
            result = function(*args)
            held += [(t, _array(t)) for t in (*result, *map(tf.identity, variables))]
            result = [_array(t) for t in result]
        except Exception as error:  # the class is what is compared
            result = error
        found.append((log.read_text(), _portable(result), [_array(v) for v in variables]))
        if isinstance(result, Exception):  # how far the others came is compared, not what follows from it
            for variable, value in zip(variables, first, strict=True):
                variable.assign(value)
        variables[2].assign(variables[2] + 1)  # the next call finds a buffer that no program made
    if not any(isinstance(r, str) for _, r, _ in found):
        found.append(("", _gradients(tf, function, [tf.constant(a) for a in arguments(seed)], variables), []))
    for tensor, value in held:
        if not _close(_array(tensor), value):
            found.append(("", "a result that was held has changed", []))
    return found


def _gradients(tf, function, args, variables):
    """By one tape around the call, three times, then of second order."""
    sources = [*args[:2], variables[0], variables[1]]
    try:
        found = []
        for _ in range(3):
            with tf.GradientTape() as tape:
                tape.watch(args[:2])
                loss = _loss(tf, function(*args))
            found += tape.gradient(loss, sources, unconnected_gradients="zero")
        with tf.GradientTape() as outer:
            outer.watch(args[:2])
            with tf.GradientTape() as tape:
                tape.watch(args[:2])
                loss = _loss(tf, function(*args))
            once = tape.gradient(loss, sources, unconnected_gradients="zero")
            total = tf.add_n([tf.reduce_sum(tf.square(tf.convert_to_tensor(g))) for g in once])
        found += [*once, *outer.gradient(total, sources, unconnected_gradients="zero")]
        return [_array(tf.convert_to_tensor(g)) for g in found]
    except Exception as error:  # noqa: BLE001
        return _portable(error)


def _loss(tf, results):
    floats = [t for t in results if t.dtype.is_floating]
    return tf.add_n([tf.constant(0.0), *[tf.reduce_sum(tf.cast(t, tf.float32)) for t in floats]])


def _array(tensor):
    return tensor.numpy() if hasattr(tensor, "numpy") else np.asarray(tensor)


def _portable(result):
    """An error as its class and first words."""
    if not isinstance(result, Exception):
        return result
    lines = [line for line in str(result).splitlines() if line.strip()]
    return f"{type(result).__name__}: {lines[0] if lines else ''}"


def _close(a, b) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "SOUbiu":
        return bool(np.all(a == b))
    tolerance = 0.06 if a.dtype.itemsize == 2 else 1e-9 if a.dtype == np.float64 else 1e-3
    a, b = a.astype(np.complex128), b.astype(np.complex128)
    scale = 1.0 + np.max(np.abs(a), initial=0.0, where=np.isfinite(a))
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * scale, equal_nan=True))


def differences(found) -> list:
    """Where the modes do not do what eager code does, in words."""
    eager, graph = found["eager"], found.get("interpreted") or found["function"]
    said = {mode: _differ(mode, _expected(eager, graph), found[mode]) for mode in found}
    return [f"{mode}: {words}" for mode, words in said.items() if words]


def _expected(eager, graph) -> list:
    """What eager code does; from where only that fails (at something whose result nothing needs),
    what the graph does."""
    pairs = zip(eager, graph, strict=False)
    alone = (n for n, (e, g) in enumerate(pairs) if isinstance(e[1], str) and not isinstance(g[1], str))
    at = next(alone, len(eager))
    return [*eager[:at], *graph[at:]]


def _differ(mode, expected, found):
    for number, (wanted, got) in enumerate(zip(expected, found, strict=False)):
        failed = [isinstance(part[1], str) for part in (wanted, got)]
        if mode in ("jit", "eager") and any(failed):
            return None  # `jit_compile` refuses much and checks nothing
        if any(failed):
            words = _other_error(*[part[1] if fails else "" for part, fails in zip((wanted, got), failed, strict=True)])
        else:
            words = _other_values(wanted, got)
        if words:
            return f"call {number}: {words}"
    return None if len(expected) == len(found) else "another number of calls failed"


def _other_error(wanted, got):
    classes = [text.split(":")[0] for text in (wanted, got)]
    if classes[0] == classes[1] or set(classes) == {
        "ValueError",
        "InvalidArgumentError",
    }:  # shapes: known while tracing, or not
        return None
    return f"{wanted or 'no error'} eagerly, here {got or 'none'}"


def _other_values(wanted, got):
    for what, a, b in (("result", wanted[1], got[1]), ("variable", wanted[2], got[2])):
        if len(a) != len(b):
            return f"{len(a)} {what}s eagerly, here {len(b)}"
        for place, (x, y) in enumerate(zip(a, b, strict=True)):
            if not _close(x, y):
                return f"{what} {place} is {_short(x)} eagerly, here {_short(y)}"
    return None if wanted[0] == got[0] else f"printed {wanted[0]!r} eagerly, here {got[0]!r}"


def _short(array) -> str:
    return f"{array.dtype}{list(array.shape)} {np.array2string(np.asarray(array).ravel()[:8], precision=5)}"


# --- the command ------------------------------------------------------------------------------------------------------


def modes_of(seed) -> list:
    """Each program is compiled in one or two ways: that is what takes the time."""
    return ["eager", "interpreted", "function", *[("unknown",), ("jit",), ()][seed % 3]]


def make(seed, length=12) -> str:
    """The program of a seed."""
    with tempfile.TemporaryDirectory() as folder:
        return Maker(seed, pathlib.Path(folder)).program(length)


def kinds(words) -> set:
    """What sort of differences these are, whatever the numbers."""
    return {tuple(re.findall(r"^\w+|result|variable|printed|\w+Error", w)) for w in words}


def shorter(text, seed, wanted, modes=MODES) -> str:
    """The program without the statements that a difference of a wanted kind does not need."""
    lines = text.splitlines()
    at = len(lines) - 2
    while at > 0:
        end = at + 1
        while end < len(lines) - 1 and _depth(lines[end]) > _depth(lines[at]):
            end += 1
        tried = lines[:at] + lines[end:]
        names = [n for n in re.findall(r"\bt\d+", lines[-1]) if any(line.startswith(f"    {n} = ") for line in tried)]
        tried[-1] = f"    return [{', '.join(names)}]"
        with contextlib.suppress(SyntaxError):
            if wanted & kinds(differences(outcomes("\n".join(tried) + "\n", "reflow", seed, modes))):
                lines = tried
        at = min(at, len(lines) - 1) - 1
    return "\n".join(lines) + "\n"


def _depth(line) -> int:
    return len(line) - len(line.lstrip())


def by_tensorflow(python, text, seed) -> list:
    """The differences that TensorFlow has with itself on this program."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.txt"
        path.write_text(text)
        command = [python, __file__, "--outcomes", str(path), "--seed", str(seed)]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            return [done.stderr.decode()[-600:]]
        return differences(pickle.loads(path.with_suffix(".pickle").read_bytes()))  # written two lines above


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--length", type=int, default=12)
    parser.add_argument("--show", action="store_true", help="print every program")
    parser.add_argument("--tensorflow", help="a python that has TensorFlow")
    parser.add_argument("--outcomes", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.outcomes:
        path = pathlib.Path(options.outcomes)
        path.with_suffix(".pickle").write_bytes(pickle.dumps(outcomes(path.read_text(), "tensorflow", options.seed)))
        return
    bad = 0
    for seed in range(options.seed, options.seed + options.count):
        text = make(seed, options.length)
        if options.show:
            print(f"# seed {seed}\n{text}")
        words = differences(outcomes(text, "reflow", seed, modes_of(seed)))
        if not words:
            continue
        short = shorter(text, seed, kinds(words))
        words = differences(outcomes(short, "reflow", seed))
        theirs = by_tensorflow(options.tensorflow, short, seed) if options.tensorflow else []
        if kinds(words) <= kinds(theirs) | kinds(w.replace("function:", "interpreted:", 1) for w in theirs):
            continue
        bad += 1
        print(
            f"# seed {seed}\n{short}",
            *[f"# {w}" for w in words],
            *[f"# TensorFlow: {w}" for w in theirs],
            sep="\n",
            flush=True,
        )
    print(f"{options.count} programs from seed {options.seed}: {bad} mean something else in another mode")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
