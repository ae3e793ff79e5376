"""`reflow/distribute/dtensor/kernels.py`: layouts inside functions, and back through them."""

import reflow as tf
from tests.distribute.dtensor.meshes import dtensor, on_one, one


def test_relayouts_in_functions_and_their_gradients():
    layout = dtensor.Layout(["x"], one())

    @tf.function
    def f(x):
        y = dtensor.relayout(x, layout)
        return y, dtensor.relayout_like(x * 2.0, y)

    x = on_one([1.0, 2.0], dtensor.UNSHARDED)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, z = f(x)
        total = tf.reduce_sum(dtensor.relayout(y, layout) * z)
    assert (y.numpy().tolist(), z.numpy().tolist(), tape.gradient(total, x).numpy().tolist()) == (
        [1.0, 2.0], [2.0, 4.0], [4.0, 8.0]
    )
    assert f(tf.constant([1.0, 2.0]))[1].numpy().tolist() == [2.0, 4.0]
