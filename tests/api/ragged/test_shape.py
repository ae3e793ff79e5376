"""`reflow/api/ragged/shape.py`: what TensorFlow prints for the expressions of `shape.txt`."""

import subprocess
import sys

from tests.expressions import session

test_expressions = session(__file__)


def test_functions_know_ragged_shapes_before_there_is_a_ragged_tensor():
    program = (
        "import reflow as tf; print(tf.zeros(tf.experimental.DynamicRaggedShape.from_lengths([2, 1])).numpy().tolist())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[[0.0], [0.0]]\n", done.stderr
