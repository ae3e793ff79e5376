"""`reflow/data/sources.py`: what TensorFlow prints for the expressions of `sources.txt`, and generators with bad elements."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


@pytest.mark.parametrize(("elements", "spec"), [
    ([1, "a", 2], tf.TensorSpec([], tf.int64)), ([[1, 2], [3], [4, 5]], tf.TensorSpec([2], tf.int32)),
])  # fmt: skip
@pytest.mark.parametrize("by_signature", [True, False])
def test_a_generator_goes_on_after_an_element_of_another_kind(elements, spec, by_signature):
    kinds = {"output_signature": spec} if by_signature else {"output_types": spec.dtype, "output_shapes": spec.shape}
    iterator = iter(tf.data.Dataset.from_generator(lambda: iter(elements), **kinds))
    assert next(iterator).numpy().tolist() == elements[0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="`generator` yielded an element"):
        next(iterator)
    assert next(iterator).numpy().tolist() == elements[2]
    with pytest.raises(StopIteration):
        next(iterator)


def test_a_list_is_no_type_of_a_generator():
    with pytest.raises(TypeError, match=r"Cannot convert the argument `type_value`: \[tf.int64\] to a TensorFlow DType"):
        tf.data.Dataset.from_generator(lambda: iter([[20]]), output_types=[tf.int64])


def test_an_error_before_the_first_element():
    """TensorFlow's class for a ZeroDivisionError, wherever the user's code raises it."""
    with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError"):
        list(tf.data.Dataset.from_generator(lambda: iter([1 // 0]), output_types=tf.int64))
