"""Record what TensorFlow 2.21 prints for the programs of `tests/function/*_texts.py`:
`tests/golden/function_texts.json`.

    make golden ONLY=function_texts
    PYTHON -m tools.golden.function_texts scopes     # only print one
"""

import json
import sys

import tensorflow as tf

from tests.function import body_texts, error_texts, graph_texts, trace_texts  # noqa: F401 - they register their programs
from tests.function.recorded import PROGRAMS, lines_of
from tools.golden import GOLDEN

FILE = GOLDEN / "function_texts.json"


def main():
    wanted = sys.argv[1:]
    records = {name: lines_of(tf, f) for name, f in PROGRAMS.items() if not wanted or name in wanted}
    if wanted:
        for name, lines in records.items():
            print(f"--- {name}", *lines, sep="\n")
        return
    FILE.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n")
    print(f"{len(records)} programs.")


if __name__ == "__main__":
    main()
