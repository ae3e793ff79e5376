"""The tutorial `docs/from_scratch.py` runs, needs nothing but NumPy and JAX, and points at code that exists."""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
TUTORIAL = ROOT / "docs" / "from_scratch.py"
CHAPTERS = re.findall(r"^# (\d+)\. .+$", TUTORIAL.read_text(), re.MULTILINE)


def test_it_runs_and_prints_one_line_a_chapter():
    done = subprocess.run([sys.executable, "-W", "error", str(TUTORIAL)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == CHAPTERS == [str(n + 1) for n in range(10)]


def test_every_chapter_checks_itself():
    chapters = re.split(r"^# \d+\. ", TUTORIAL.read_text(), flags=re.MULTILINE)[1:]
    assert all(re.search(r"^ *assert ", chapter, re.MULTILINE) for chapter in chapters)


def test_it_stays_short():
    lines = TUTORIAL.read_text().splitlines()
    assert len(lines) <= 460 and max(map(len, lines)) <= 120


def test_it_needs_only_numpy_and_jax():
    modules = set()
    for node in ast.walk(ast.parse(TUTORIAL.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module.split(".")[0])
    assert modules - set(sys.stdlib_module_names) == {"numpy", "jax"}


def test_the_files_it_names_exist():
    named = re.findall(r"\b[a-z_/]+/[a-z_]+\.(?:py|md)\b", TUTORIAL.read_text())
    assert len(named) > 15
    missing = [name for name in named if not (ROOT / "reflow" / name).exists() and not (ROOT / name).exists()]
    assert not missing
