"""`docs/design.md`: its program runs, and the files exist that it and the source files name."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "design.md").read_text()


def test_the_debugging_session_runs():
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    kinds = [(line.split()[0], "AssignAddVariableOp" in line, "PrintV2" in line) for line in done.stdout.splitlines()]
    assert kinds == [("Region", True, False), ("HostStep", False, True)]


def test_the_files_that_source_files_name_exist():
    """Comments and docstrings name other files by path below the package or the repository, or by name alone."""
    folders = [ROOT / name for name in ("reflow", "tests", "tools", "bench", "docs")]
    known = {f"/{path.relative_to(ROOT).as_posix()}" for folder in folders for path in folder.rglob("*.*")}
    ends = {path[place:] for path in known for place, mark in enumerate(path) if mark == "/"}
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted((ROOT / "reflow").rglob("*.py"))
        for name in re.findall(r"`([a-z_/]+\.(?:py|h|cc|md))`", path.read_text())
        if f"/{name}" not in ends
    ]
    assert missing == []


def test_the_files_it_names_exist():
    named = re.findall(r"`((?:\w+/)+\w+\.(?:py|md))", PAGE) + re.findall(r"\]\(([\w./-]+)\)", PAGE)
    assert len(named) > 15
    folders = (ROOT / "reflow", ROOT, ROOT / "docs")
    assert [name for name in named if not any((folder / name).exists() for folder in folders)] == []
