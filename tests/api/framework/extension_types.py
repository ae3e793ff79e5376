"""Two extension types, for the tests of their fields and of their use."""

import typing

import reflow as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def total(self):
        return tf.reduce_sum(tf.where(self.mask, self.values, 0))


class Many(tf.experimental.ExtensionType):
    x: tf.Tensor
    n: int = 3
    o: typing.Optional[tf.Tensor] = None  # noqa: UP045 - as older programs write it
    several: typing.Tuple[tf.Tensor, ...] = ()  # noqa: UP006
    named: typing.Mapping[str, tf.Tensor] = {}
    u: int | tf.Tensor = 1
    dtype: tf.DType = tf.int32
    shape: tf.TensorShape = tf.TensorShape([1])
    pair: tuple[int, str] = (1, "b")
