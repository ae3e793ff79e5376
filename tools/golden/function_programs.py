"""What TensorFlow prints for the programs of `tests/function/programs/`: `tests/golden/function_programs.json`.

    make golden ONLY=function_programs
    PYTHON -m tools.golden.function_programs crf dqn                        # TensorFlow: only print these
    .venv/bin/python -m tools.golden.function_programs --compare [NAMES]    # Reflow: show what differs

A program is a script as a user of TensorFlow writes it; on Reflow only its `import tensorflow as tf` line is another.
The tests use `lines_of`.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import os
import random
import re
import subprocess
import sys
import traceback

import numpy as np

from tools import golden
from tools.golden import ROOT

FOLDER = ROOT / "tests" / "function" / "programs"
GOLDEN = golden.GOLDEN / "function_programs.json"
MARK = "=== program\n"
NAMES = sorted(p.stem for p in FOLDER.glob("*.py"))


def lines_of(name: str, module: str) -> list:
    """What a program prints, line by line, with `module` in place of TensorFlow.

    An error that it does not catch is its last line.
    """
    path = FOLDER / f"{name}.py"
    text = re.sub(r"^import tensorflow as tf$", f"import {module} as tf", path.read_text(), flags=re.MULTILINE)
    out = io.StringIO()
    random.seed(0)
    np.random.seed(0)
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(text, str(path), "exec", dont_inherit=True), {"__name__": "__main__", "__file__": str(path)})
        except Exception as error:  # what a program raises is part of what it shows
            print(f"{type(error).__name__}: {error}".replace(f"{ROOT}/", "")[:300])
            if os.environ.get("SHOW_ERRORS"):
                traceback.print_exc()
    text = out.getvalue().replace(f"{ROOT}/", "")  # the checkout may be anywhere
    return [re.sub(r"0x[0-9a-fA-F]+", "0x", line).rstrip() for line in text.splitlines()]


def compare(names):
    expected = json.loads(GOLDEN.read_text())
    for name in names:
        lines = lines_of(name, "reflow")
        if lines != expected[name]:
            print(f"--- {name}", *difflib.ndiff(expected[name], lines), sep="\n")


def record(names):
    """Store what TensorFlow prints.

    One process for each program: what one leaves behind (caching devices) makes another fail.
    """
    known = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    for name in names:
        command = [sys.executable, "-m", "tools.golden.function_programs", name]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        known[name] = ran.stdout.split(MARK, 1)[1].splitlines()
    known = {name: lines for name, lines in known.items() if name in NAMES}
    GOLDEN.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    print(f"{len(names)} of {len(known)} programs.")


def main():
    wanted = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--compare" in sys.argv:
        return compare(wanted or NAMES)
    if not wanted:
        return record(NAMES)
    for name in wanted:
        print(MARK + "\n".join(lines_of(name, "tensorflow")))
    return None


if __name__ == "__main__":
    main()
