"""Small programs and what TensorFlow prints for them: the files `expressions/*.txt`, in the form of a Python session.

    >>> tf.constant([1, 2]) + 1.5
    InvalidArgumentError: cannot compute AddV2 as input #1(zero-based) was expected to be ...

Each entry stands alone: the names are `tf`, `np`, and what its own lines define. A result is the `repr` of the last expression after
what the entry printed, or the error's class and message. An entry whose first line ends in `# class only` compares the class of the
error and not its words. `tools/golden/expressions.py` writes the results with TensorFlow; `test_expressions.py` compares them.
"""

from __future__ import annotations

import ast
import contextlib
import io
import pathlib
import re
import textwrap

import numpy as np

FOLDER = pathlib.Path(__file__).parent / "expressions"
CLASS_ONLY = "# class only"
#: what is not part of a message: the device's wrapper, the op's suffix (TensorFlow's own kernels disagree about it), addresses, modules
_NOISE = [
    (re.compile(r"\{\{function_node [^}]*\}\} ?"), ""),
    (re.compile(r" \[Op:\w+\](?: name:.*)?$", re.M), ""),
    (re.compile(r"\n\t; NodeDef: .*$", re.M), ""),
    (re.compile(r"\b(?:Resource|_Mkl)(?=Variable|MatMul)"), ""),
    (re.compile(r"0x[0-9a-f]{6,}"), "0x"),
    (re.compile(r"<(class|function|bound method|module) '?(?:[\w<>]+\.)*(\w+)"), r"<\1 \2"),
    (re.compile(r"\b(?:tensorflow\.python|reflow)\.(?:[\w<>]+\.)*(\w+)"), r"\1"),
    (re.compile(r"\bid=\d+"), "id="),
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
    for pattern, instead in _NOISE:
        text = pattern.sub(instead, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def evaluate(tf, source: str) -> str:
    """What a session would show for `source`."""
    body = ast.parse(source).body
    names = {"tf": tf, "np": np}
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


def comparable(source: str, result: str) -> str:
    """The part of a result that counts."""
    return result.split(":")[0] if source.splitlines()[0].endswith(CLASS_ONLY) else result
