"""`docs/design.md`: its program runs, and the files it names exist."""

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


def test_the_files_it_names_exist():
    named = re.findall(r"`((?:\w+/)+\w+\.(?:py|md))", PAGE) + re.findall(r"\]\(([\w./-]+)\)", PAGE)
    assert len(named) > 15
    folders = (ROOT / "reflow", ROOT, ROOT / "docs")
    assert [name for name in named if not any((folder / name).exists() for folder in folders)] == []
