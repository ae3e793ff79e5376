"""Small programs and what TensorFlow prints for them: files in the form of a Python session.

    >>> tf.constant([1, 2]) + 1.5
    InvalidArgumentError: cannot compute AddV2 as input #1(zero-based) was expected to be ...

`tests/api/math/reduce.txt` belongs to `reflow/api/math/reduce.py`; `tests/core/expressions/` holds what belongs to no
single module. Each entry stands alone: the names are `tf`, `np`, and what its own lines define. A result is the `repr`
of the last expression after what the entry printed, or the error's class and message. The first line of an entry may
end in remarks:

- `# class only`: the error's words need not be the same;
- `# close`: floating-point numbers may differ by their rounding (`CLOSE`);
- `# pending`: Reflow gives something else as yet, so this is no test. `python -m tools.golden.expressions --compare`
  tells when that has changed.

`make golden ONLY=expressions` writes the results with TensorFlow. A test file compares them in one line:
`test_expressions = session(__file__)`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import math
import pathlib
import re
import textwrap
import warnings

import numpy as np

from tests import ROOT, as_python_311

#: where sessions are: `tests/<folder>/<module>.txt`
FOLDERS = (
    "core/expressions", "data", "devices", "distribute", "io", "lookup", "saved_model", "summary", "tracking", "train"
)
PATTERNS = (*(f"tests/{folder}/*.txt" for folder in FOLDERS), "tests/api/**/*.txt")
CLASS_ONLY, CLOSE_ONLY, PENDING = "# class only", "# close", "# pending"
CLOSE = {"rel_tol": 1e-5, "abs_tol": 1e-6}
_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*|\.\d+|\d+)(?:e[+-]?\d+)?(?![\w.])")
#: what is not part of a message: the device's wrapper, the op's suffix (TensorFlow's own kernels disagree about it),
#: addresses, modules
_NOISE = [
    (re.compile(r"\{\{function_node [^}]*\}\} ?"), ""),
    (re.compile(r" \[Op:\w+\](?: name:.*)?$", re.M), ""),
    (re.compile(r"\n\t; NodeDef: .*$", re.M), ""),
    (re.compile(r"\b(?:Resource|_Mkl)(?=Variable|MatMul)"), ""),
    (re.compile(r", node name: \w+"), ""),
    (re.compile(r"0x[0-9a-f]{6,}"), "0x"),
    (re.compile(r"/\S*/site-packages/"), ""),
    (re.compile(r"goo\.gle/\w+"), "goo.gle"),  # TensorFlow writes one of several words, by chance
    (re.compile(r"<(class|function|bound method|module) '?(?:[\w<>]+\.)*(\w+)"), r"<\1 \2"),
    (re.compile(r"\b(?:tensorflow\.python|reflow)\.(?:[\w<>]+\.)*(\w+)"), r"\1"),
    (re.compile(r"\bid=\d+"), "id="),
    # Python 3.14's words around an error of `hash`
    (re.compile(r"cannot use '\w+' as a (?:dict key|set element) \((.*)\)$", re.M), r"\1"),
]


def entries(path: pathlib.Path) -> list[tuple[str, str, str]]:
    """(heading, source, result) for each entry. The heading is whatever stands before it: comments, blank lines."""
    found: list[tuple[list, list, list]] = []
    heading: list[str] = []
    for line in path.read_text().splitlines():
        if line.startswith(">>> "):
            found.append((heading, [line[4:]], []))
            heading = []
        elif line.startswith("... ") and found and not found[-1][2]:
            found[-1][1].append(line[4:])
        elif line.startswith("#") or not line:
            heading.append(line)
        else:
            found[-1][2].append(line[2:])
    return [("\n".join(h), "\n".join(s), "\n".join(r)) for h, s, r in found]


def written(items) -> str:
    """The text of a file: results are indented, so that they may hold any line."""
    lines = []
    for heading, source, result in items:
        lines += heading.splitlines()
        lines.append(textwrap.indent(source, "... ", lambda _: True).replace("... ", ">>> ", 1))
        lines += ["  " + line for line in result.splitlines()]
    return "\n".join(lines) + "\n"


def clean(text: str) -> str:
    text = as_python_311(text)
    for pattern, instead in _NOISE:
        text = pattern.sub(instead, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def evaluate(tf, source: str) -> str:
    """What a session would show for `source`."""
    body = ast.parse(source).body
    names = {"tf": tf, "np": np}
    tf.random.set_seed(0)  # whatever ran before in this process
    printed = io.StringIO()
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(ast.Module(body, []), "<entry>", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "<entry>", "eval"), names) if last else None
            shown = "" if value is None else repr(value)
        except Exception as error:
            shown = f"{type(error).__name__}: {error}"
    return clean(printed.getvalue() + shown)


def same(source: str, got: str, expected: str) -> bool:
    """Whether two results of an entry are the same in all that counts."""
    remark = source.splitlines()[0]
    if CLASS_ONLY in remark:
        return got.split(":")[0] == expected.split(":")[0]
    if CLOSE_ONLY not in remark:
        return got == expected
    texts = [" ".join(_NUMBER.sub(" # ", text).split()) for text in (got, expected)]
    numbers = [[float(n) for n in _NUMBER.findall(text)] for text in (got, expected)]
    return texts[0] == texts[1] and all(math.isclose(a, b, **CLOSE) for a, b in zip(*numbers, strict=True))


def is_pending(source: str) -> bool:
    return PENDING in source.splitlines()[0]


def session_files() -> list[pathlib.Path]:
    return sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern))


def session(test_file: str, *names: str):
    """A test of every entry in the session of a test file.

    `reduce.txt` beside `test_reduce.py`, or the files that `names` lists.
    """
    import pytest  # not at the top: TensorFlow's Python, which records, need not have it

    folder, own = pathlib.Path(test_file).parent, pathlib.Path(test_file).stem.removeprefix("test_")
    paths = [folder / name for name in names or (f"{own}.txt",)]
    cases = [
        pytest.param(source, expected, id=f"{path.stem}:{source[:60]}")
        for path in paths
        for _, source, expected in entries(path)
        if not is_pending(source)
    ]

    @pytest.mark.parametrize(("source", "expected"), cases)
    def test(source, expected):
        import reflow as tf

        assert expected, "no result is recorded: make golden ONLY=expressions"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # TensorFlow's own are not recorded
            got = evaluate(tf, source)
        assert same(source, got, expected), f"{got}\n--- TensorFlow:\n{expected}"

    return test
