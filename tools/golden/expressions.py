"""Small expressions in TensorFlow and in Reflow (`tests/expressions.py`).

    make golden ONLY=expressions                                         # TensorFlow: fills in its results
    .venv/bin/python -m tools.golden.expressions --compare [FILE...]     # Reflow: shows where its results differ

A new expression is a line `>>> ...` in a file, without a result; recording writes what TensorFlow prints under it.
"""

from __future__ import annotations

import importlib
import pathlib
import sys
import warnings

from tests.expressions import entries, evaluate, is_pending, same, session_files, written

LONG = 600  # of a result that is shown


def record(paths: list[pathlib.Path]) -> None:
    tf = importlib.import_module("tensorflow")
    for path in paths:
        items = [(h, s, evaluate(tf, s)) for h, s, _ in entries(path)]
        path.write_text(written(items))
        print(f"{path.name}: {len(items)}")


def compare(paths: list[pathlib.Path]) -> int:
    tf = importlib.import_module("reflow")
    different = 0
    for path in paths:
        for _, source, expected in entries(path):
            got = evaluate(tf, source)
            if same(source, got, expected) and is_pending(source):
                print(f"--- {path.name}\n>>> {source}\nis pending no more")
            if not same(source, got, expected) and not is_pending(source):
                different += 1
                print(f"--- {path.name}\n>>> {source}\ntensorflow: {expected[:LONG]}\nreflow:     {got[:LONG]}")
    print(f"{different} differ")
    return different


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    chosen = [pathlib.Path(a) for a in sys.argv[1:] if a != "--compare"] or session_files()
    if "--compare" in sys.argv:
        sys.exit(1 if compare(chosen) else 0)
    record(chosen)
