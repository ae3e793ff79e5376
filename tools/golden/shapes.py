"""Record the shapes that TensorFlow 2.21 infers for `tests/graph/shape_cases.py`: `tests/golden/shapes.json`."""

import json

import tensorflow as tf

from tests.graph.shape_cases import CASES
from tools.golden import GOLDEN


def inferred(expression, specs) -> list:
    """The shapes of the outputs: lists with None, or None for unknown rank."""
    signature = [tf.TensorSpec(shape, dtype) for shape, dtype in specs]
    function = tf.function(lambda *xs: expression(tf, *xs), input_signature=signature)
    outputs = tf.nest.flatten(function.get_concrete_function().structured_outputs)
    return [None if t.shape.rank is None else t.shape.as_list() for t in outputs]


lines = [f"{json.dumps(name)}: {json.dumps(inferred(*case))}" for name, case in CASES.items()]
(GOLDEN / "shapes.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
print(f"{len(lines)} cases.")
