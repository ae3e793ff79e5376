"""Record which wrong shapes TensorFlow 2.21 refuses while it traces, and in which words: `tests/golden/refused_shapes.json`."""

import json

import tensorflow as tf

from tests.function.refused_shapes import chosen, refusals
from tests.ops.table import TABLE
from tools.golden import GOLDEN

FILE = GOLDEN / "refused_shapes.json"


def main():
    tf.get_logger().setLevel("CRITICAL")
    records = {case.id: refusals(tf, case) for case in chosen(TABLE)}
    FILE.write_text(json.dumps(records, indent=0) + "\n")
    print(f"{sum(map(len, records.values()))} refusals of {len(records)} cases.")


if __name__ == "__main__":
    main()
