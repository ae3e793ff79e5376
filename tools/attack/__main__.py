"""`python -m tools.attack [ops|systematic|files|faults|leaks]…`: the parts of the attack that are named, or all."""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import time
from pathlib import Path

from tools.attack.children import ROOT

PARTS = ("ops", "systematic", "files", "faults", "leaks")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.attack", description="Attack Reflow.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--seed", type=int, default=None, help="a new one each time unless given")
    parser.add_argument("--count", type=int, default=5000, help="cases of ops; files are a quarter of them")
    parser.add_argument("--modes", default="eager,first,second,jit")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time, for ops and files")
    parser.add_argument("--every", type=int, default=10, help="functions are tried with every tenth case of an op")
    parser.add_argument("--only", default="", help="ops, or formats, whose names begin so (a,b)")
    parser.add_argument("--tf-python", default="", help="a python that has TensorFlow, to compare with")
    parser.add_argument("--folder", type=Path, default=ROOT / ".attack", help="where outcomes are kept")
    parser.add_argument("--fresh", action="store_true", help="forget earlier outcomes")
    args = parser.parse_args()
    if args.seed is None:
        args.seed = time.time_ns() % 2**32
    if args.fresh and args.folder.exists():
        shutil.rmtree(args.folder)
    args.folder.mkdir(parents=True, exist_ok=True)
    found = 0
    for part in args.parts or PARTS:
        print(f"--- {part}", flush=True)
        found += importlib.import_module(f"tools.attack.{part}").attack(args.folder, args)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
