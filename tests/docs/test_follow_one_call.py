"""`docs/follow-one-call.md` is true: its files and functions exist, and its calls cross no more than it says."""

import ast
import re
import subprocess
import sys

import pytest

from tests import ROOT

PAGE = (ROOT / "docs" / "follow-one-call.md").read_text()
PLACES = sorted(set(re.findall(r"`(reflow/[\w/]+\.py)(?:: ([\w.]+))?`", PAGE)))
ROWS = {
    name.replace("`", ""): (int(calls), int(files))
    for name, calls, files in re.findall(r"^\| (.*\S) +\| (\d+) \| (\d+) \|$", PAGE, re.M)
}


def defined(tree: ast.AST, path: list[str]) -> bool:
    """Whether a module defines `Class.method` or `function`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == path[0]:
            return len(path) == 1 or defined(node, path[1:])
    return False


@pytest.mark.parametrize(("file", "name"), PLACES)
def test_a_place_exists(file, name):
    tree = ast.parse((ROOT / file).read_text())
    assert not name or defined(tree, name.split(".")), f"{file} does not define {name}"


def test_calls_cross_no_more_than_the_page_says():
    done = subprocess.run(
        [sys.executable, "-m", "tools.count_calls"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = [line.rsplit(maxsplit=2) for line in done.stdout.splitlines()[1:]]
    counted = {name.replace(",", "").replace(" ", ""): (int(calls), int(files)) for name, calls, files in lines}
    said = {name.replace(",", "").replace(" ", ""): numbers for name, numbers in ROWS.items()}
    assert len(said) == 5 and said.keys() <= counted.keys(), counted
    more = {
        name: (counted[name], numbers) for name, numbers in said.items()
        if not all(map(int.__le__, counted[name], numbers))
    }
    assert not more, more
