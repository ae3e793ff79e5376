"""Record which wrong shapes TensorFlow 2.21 refuses while it traces, and in which words: `tests/golden/refused_shapes.json`.

/path/to/tensorflow/python tools/golden/refused_shapes.py
"""

import json
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "tests")

import tensorflow as tf  # noqa: E402
from function.refused_shapes import chosen, refusals  # noqa: E402
from ops.table import TABLE  # noqa: E402

FILE = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/refused_shapes.json"


def main():
    tf.get_logger().setLevel("CRITICAL")
    records = {case.id: refusals(tf, case) for case in chosen(TABLE)}
    FILE.write_text(json.dumps(records, indent=0) + "\n")
    print(f"{sum(map(len, records.values()))} refusals of {len(records)} cases.")


if __name__ == "__main__":
    main()
