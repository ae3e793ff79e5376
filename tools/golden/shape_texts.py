"""Record what TensorFlow 2.21 says while it traces the programs of `tests/function/shape_cases.py`: `tests/golden/shape_texts.json`.

/path/to/tensorflow/python tools/golden/shape_texts.py
"""

import json
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "tests")

import tensorflow as tf  # noqa: E402
from function.shape_cases import CASES, observe  # noqa: E402

FILE = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/shape_texts.json"


def main():
    records = {name: observe(tf, *case) for name, case in CASES.items()}
    FILE.write_text(json.dumps(records, indent=1) + "\n")
    print(f"{len(records)} cases.")


if __name__ == "__main__":
    main()
