"""Record the shapes that TensorFlow 2.21 infers for `tests/graph/shape_cases.py`: `tests/golden/shapes.json`.

/path/to/tensorflow/python tools/golden/shapes.py
"""

import json
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
sys.path[0] = str(TESTS)

import tensorflow as tf  # noqa: E402
from graph.shape_cases import CASES  # noqa: E402


def inferred(expression, specs) -> list:
    """The shapes of the outputs: lists with None, or None for unknown rank."""
    signature = [tf.TensorSpec(shape, dtype) for shape, dtype in specs]
    function = tf.function(lambda *xs: expression(tf, *xs), input_signature=signature)
    outputs = tf.nest.flatten(function.get_concrete_function().structured_outputs)
    return [None if t.shape.rank is None else t.shape.as_list() for t in outputs]


lines = [f"{json.dumps(name)}: {json.dumps(inferred(*case))}" for name, case in CASES.items()]
(TESTS / "golden" / "shapes.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
print(f"{len(lines)} cases.")
