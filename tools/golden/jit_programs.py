"""Record what TensorFlow 2.21 does with the programs of `tests/function/jit_programs.py`: `tests/golden/jit_programs.json`.

/path/to/tensorflow/python tools/golden/jit_programs.py
"""

import json
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "tests")

import tensorflow as tf  # noqa: E402
from function.jit_programs import PROGRAMS, observe  # noqa: E402

FILE = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/jit_programs.json"


def main():
    records = {name: observe(tf, function)[0] for name, function in PROGRAMS.items()}
    FILE.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in records.items()) + "\n}\n")
    print(f"{len(records)} programs.")


if __name__ == "__main__":
    main()
