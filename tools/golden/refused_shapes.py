"""Record which wrong shapes TensorFlow 2.21 refuses while it traces, and in which words:
`tests/golden/refused_shapes.json`.

    make golden ONLY=refused_shapes
    make golden ONLY=refused_shapes NEW=1    # keep what is recorded already: for new cases, and after a merge
"""

import json
import os

import tensorflow as tf

from tests.function.refused_shapes import chosen, refusals
from tests.ops.table import TABLE
from tools.golden import GOLDEN

FILE = GOLDEN / "refused_shapes.json"


def main():
    tf.get_logger().setLevel("CRITICAL")
    known = json.loads(FILE.read_text()) if os.environ.get("NEW") else {}
    records = {case.id: known[case.id] if case.id in known else refusals(tf, case) for case in chosen(TABLE)}
    FILE.write_text(json.dumps(records, indent=0) + "\n")
    print(f"{sum(map(len, records.values()))} refusals of {len(records)} cases.")


if __name__ == "__main__":
    main()
