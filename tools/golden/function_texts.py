"""Record what TensorFlow 2.21 prints for the programs of `tests/function/*_texts.py`: `tests/golden/function_texts.json`.

/path/to/tensorflow/python tools/golden/function_texts.py            # all programs
/path/to/tensorflow/python tools/golden/function_texts.py scopes     # only print one
"""

import json
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "tests")

import tensorflow as tf  # noqa: E402
from function import body_texts, error_texts, graph_texts, trace_texts  # noqa: E402, F401 - they register their programs
from function.recorded import PROGRAMS, lines_of  # noqa: E402

FILE = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/function_texts.json"


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
