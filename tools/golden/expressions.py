"""Small expressions in TensorFlow and in Reflow (`tests/core/expressions/*.txt`).

    $REFLOW_TF_PYTHON -m tools.golden.expressions record [FILE...]   # fills in TensorFlow's results
    .venv/bin/python -m tools.golden.expressions compare [FILE...]            # shows where Reflow's differ

A new expression is a line `>>> ...` in a file, without a result; `record` writes what TensorFlow prints under it.
"""

from __future__ import annotations

import importlib
import pathlib
import sys
import warnings

from tests.core import evaluate


def record(paths: list[pathlib.Path]) -> None:
    tf = importlib.import_module("tensorflow")
    for path in paths:
        items = [(h, s, evaluate.evaluate(tf, s)) for h, s, _ in evaluate.entries(path)]
        path.write_text(evaluate.written(items))
        print(f"{path.name}: {len(items)}")


def compare(paths: list[pathlib.Path]) -> int:
    tf = importlib.import_module("reflow")
    different = 0
    for path in paths:
        for _, source, expected in evaluate.entries(path):
            got = evaluate.evaluate(tf, source)
            if evaluate.comparable(source, got) != evaluate.comparable(source, expected):
                different += 1
                print(f"--- {path.name}\n>>> {source}\ntensorflow: {expected}\nreflow:     {got}")
    print(f"{different} differ")
    return different


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    chosen = [pathlib.Path(p) for p in sys.argv[2:]] or sorted(evaluate.FOLDER.glob("*.txt"))
    if sys.argv[1] == "record":
        record(chosen)
    else:
        sys.exit(1 if compare(chosen) else 0)
