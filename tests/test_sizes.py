"""A folder, a file and a function of `reflow/` stay small enough to be read in one go.

A folder holds at most `MOST_FILES` files (folders inside it do not count), a file at most `MOST_LINES` lines, a
function at most `MOST_FUNCTION_LINES`. What grows beyond is split by idea. Files that `tools/make_namespaces.py` writes
do not count: they are lists of imports.
"""

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.test_layers import FILES, PACKAGE, ROOT

MOST_FILES = 30
MOST_LINES = 600
MOST_FUNCTION_LINES = 60

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def crowded(files: list[Path]) -> list[str]:
    """The folders with too many files of their own."""
    counts = Counter(file.parent for file in files)
    return [f"{folder}: {count} files" for folder, count in counts.items() if count > MOST_FILES]


def too_long(source: str) -> list[str]:
    """What is too long in a file: the file itself, or a function, counted from `def` without its decorators."""
    lines = len(source.splitlines())
    found = [f"{lines} lines"] if lines > MOST_LINES else []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, FUNCTIONS) and node.end_lineno is not None:
            length = node.end_lineno - node.lineno + 1
            if length > MOST_FUNCTION_LINES:
                found.append(f"line {node.lineno}: {node.name} has {length} lines")
    return found


def is_generated(file: Path) -> bool:
    return file.suffix == ".pyi" or file.is_relative_to(PACKAGE / "public")


def source_files() -> list[Path]:
    files = [file for file in PACKAGE.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    return [file for file in files if not is_generated(file)]


def test_no_folder_is_crowded():
    assert not crowded([file.relative_to(ROOT) for file in source_files()])


def test_no_file_and_no_function_is_too_long():
    wrong = [
        f"{file.relative_to(ROOT)}: {finding}"
        for file in FILES
        if not is_generated(file)
        for finding in too_long(file.read_text())
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("count", "fires"), [(MOST_FILES, False), (MOST_FILES + 1, True)])
def test_the_folder_rule_fires(count, fires):
    files = [Path(f"reflow/core/module_{i}.py") for i in range(count)]
    below = [Path(f"reflow/core/inner/module_{i}.py") for i in range(3)]
    assert bool(crowded(files + below)) is fires


@pytest.mark.parametrize(("lines", "fires"), [(MOST_LINES, False), (MOST_LINES + 1, True)])
def test_the_file_rule_fires(lines, fires):
    assert bool(too_long("x = 1\n" * lines)) is fires


@pytest.mark.parametrize(("lines", "fires"), [(MOST_FUNCTION_LINES - 1, False), (MOST_FUNCTION_LINES, True)])
@pytest.mark.parametrize("head", ["def f():\n", "async def f():\n", "@decorator\ndef f():\n"])
def test_the_function_rule_fires(head, lines, fires):
    assert bool(too_long(head + "    x = 1\n" * lines)) is fires
