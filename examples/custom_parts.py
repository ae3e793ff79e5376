"""A layer, a loss, a metric and a learning rate of one's own, used by Keras' `fit` and kept in a file.

    python -m reflow examples/custom_parts.py            # 10 seconds
    python -m reflow examples/custom_parts.py --fast     # a few steps only
"""

import os
import sys
import tempfile

import digits
import numpy as np
import tensorflow as tf

FAST = "--fast" in sys.argv
register = tf.keras.utils.register_keras_serializable("examples")


@register
class Linear(tf.keras.layers.Layer):
    """`y = x W + b`. `build` makes the variables when the shape of the input is known.

    `get_config` says how to make it again.
    """

    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="glorot_uniform", name="w")
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", name="b")

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b

    def get_config(self):
        return super().get_config() | {"units": self.units}


@register
class FocalLoss(tf.keras.losses.Loss):
    """Cross entropy that cares most about the examples the network still gets wrong."""

    def call(self, y_true, y_pred):
        right = tf.reduce_sum(
            tf.one_hot(tf.cast(tf.reshape(y_true, [-1]), tf.int32), 10) * tf.nn.softmax(y_pred), axis=-1
        )
        return -((1 - right) ** 2) * tf.math.log(right + 1e-7)


@register
class TopTwo(tf.keras.metrics.Metric):
    """The share of digits among the network's two best guesses. A metric counts in variables over many batches."""

    def __init__(self, name="top_two", **options):
        super().__init__(name=name, **options)
        self.total = self.add_weight(shape=(), initializer="zeros", name="total")
        self.count = self.add_weight(shape=(), initializer="zeros", name="count")

    def update_state(self, y_true, y_pred, sample_weight=None):
        hits = tf.math.in_top_k(tf.cast(tf.reshape(y_true, [-1]), tf.int32), y_pred, k=2)
        self.total.assign_add(tf.reduce_sum(tf.cast(hits, tf.float32)))
        self.count.assign_add(tf.cast(tf.size(hits), tf.float32))

    def result(self):
        return self.total / self.count


@register
class WarmUp(tf.keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate that grows for some steps, then falls with the square root."""

    def __init__(self, peak, steps):
        self.peak, self.steps = peak, steps

    def __call__(self, step):
        step = tf.cast(step, tf.float32) + 1.0
        return self.peak * tf.minimum(step / self.steps, tf.sqrt(self.steps / step))

    def get_config(self):
        return {"peak": self.peak, "steps": self.steps}


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    train_set, test_set = digits.load(*((50, 32) if FAST else (6_000, 1_000)))
    relu = tf.keras.layers.ReLU()
    model = tf.keras.Sequential([tf.keras.Input((28, 28, 1)), tf.keras.layers.Flatten(), Linear(100), relu, Linear(10)])
    model.compile(tf.keras.optimizers.Adam(WarmUp(0.003, 50.0)), loss=FocalLoss(), metrics=["accuracy", TopTwo()])
    model.fit(*train_set, batch_size=50, epochs=1 if FAST else 3, verbose=0)
    scores = model.evaluate(*test_set, verbose=0, return_dict=True)
    print(
        f"right {scores['accuracy']:.1%}, among the best two {scores['top_two']:.1%}, focal loss {scores['loss']:.4f}"
    )

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        model.save(path)
        again = tf.keras.models.load_model(path)
        same = np.array_equal(model.predict(test_set[0][:20], verbose=0), again.predict(test_set[0][:20], verbose=0))
        print(f"saved as {os.path.getsize(path):,} bytes, loaded again, the same answers: {same}")
