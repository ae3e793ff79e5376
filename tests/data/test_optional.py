"""`tf.experimental.Optional`: in functions, with structures, from generators."""


import numpy as np

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)
D = tf.data.Dataset


def test_optional_in_a_function():
    @tf.function
    def read(iterator):
        optional = iterator.get_next_as_optional()
        return optional, optional.has_value()

    iterator = iter(D.range(3, 4))
    optional, has = read(iterator)
    assert bool(has) and int(optional.get_value()) == 3
    optional, has = read(iterator)
    assert not bool(has)


def test_optional_holds_structures():
    optional = tf.experimental.Optional.from_value({"a": 1, "b": (2.0, None)})
    assert optional.has_value()
    value = optional.get_value()
    assert (int(value["a"]), float(value["b"][0]), value["b"][1]) == (1, 2.0, None)
    assert optional.element_spec["a"] == tf.TensorSpec([], tf.int32)


def test_optional_spec_can_be_set_later():
    optional = tf.experimental.Optional.empty(None)
    assert optional.element_spec is None and not optional.has_value()
    optional._element_spec = tf.TensorSpec([], tf.int32)
    assert optional.element_spec == tf.TensorSpec([], tf.int32)
    assert tf.OptionalSpec.from_value(optional) == tf.OptionalSpec(tf.TensorSpec([], tf.int32))


def test_optional_elements_of_a_generator():
    """How Keras passes `None`."""
    spec = (tf.TensorSpec([2]), tf.OptionalSpec(None))

    def generate():
        yield np.ones(2, np.float32), tf.experimental.Optional.empty(None)

    x, nothing = next(iter(D.from_generator(generate, output_signature=spec).prefetch(1)))
    assert x.numpy().tolist() == [1, 1]
    assert isinstance(nothing, tf.experimental.Optional) and not nothing.has_value()
