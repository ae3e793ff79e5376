"""A SavedModel with gradients of the user's, written by one library and read by the other (TensorFlow's:
`tests/golden/saved_gradients/`).

The values and gradients are below, so a test needs nothing but the files.
"""

import pathlib
import shutil

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "saved_gradients"
#: of each function at 2 and 3: the value and both gradients. The gradients are not those of what is computed.
ANSWERS = {
    "clipped": [6.0, 1.5, 1.0], "inside": [7.0, 20.0, 600.0], "scaled": [24.0, 80.0, 0.0],
    "smooth": [1.7615942, 1.0907843, 0.0],
}


def module(tf):
    """Functions whose gradients use nothing, tensors of the function, a variable; and one of TensorFlow's own."""

    @tf.custom_gradient
    def clip(x):
        return x, lambda dy: tf.clip_by_norm(dy, 0.5)

    @tf.custom_gradient
    def product(x, y):
        z = x * y
        return z, lambda dy: (dy * 10.0 * x, dy * 100.0 * z)

    inner = tf.function(product)

    class Gradients(tf.Module):
        def __init__(self):
            super().__init__()
            self.factor = tf.Variable(12.0)

        @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
        def clipped(self, x, y):
            return clip(x * y)

        @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
        def inside(self, x, y):
            return inner(x, y) + 1.0

        @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
        def scaled(self, x, y):
            @tf.custom_gradient
            def scale(x):
                def gradient(dy, variables=None):
                    return dy * 80.0, [dy * 7.0 for _ in variables]

                return x * self.factor, gradient

            return scale(x)

        @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
        def smooth(self, x, y):
            return tf.nn.silu(x)

    return Gradients()


def answers(tf, model) -> dict:
    """The value and the gradients of every function of a module or a loaded model."""
    found = {}
    for name in ANSWERS:
        x, y = tf.constant(2.0), tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = getattr(model, name)(x, y)
        found[name] = [float(v) for v in (z, *tape.gradient(z, [x, y], unconnected_gradients="zero"))]
    return found


def difference(found: dict) -> float:
    """The largest one from `ANSWERS`."""
    return max(abs(a - b) for name in ANSWERS for a, b in zip(found[name], ANSWERS[name]))


def write(tf, folder):
    shutil.rmtree(folder, ignore_errors=True)
    model = module(tf)
    assert difference(answers(tf, model)) < 1e-6, answers(tf, model)
    tf.saved_model.save(model, str(folder))


def check(folder: pathlib.Path) -> bool:
    import tensorflow as tf

    return difference(answers(tf, tf.saved_model.load(str(folder)))) < 1e-6


def record():
    """TensorFlow writes its SavedModel."""
    import tensorflow

    write(tensorflow, GOLDEN)


def write_with_reflow(folder: pathlib.Path):
    import reflow

    write(reflow, folder)


if __name__ == "__main__":
    run(record, write_with_reflow, check)
