"""`reflow/data/sources.py`: what TensorFlow prints for the expressions of `sources.txt`,
and generators with bad elements."""

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
    with pytest.raises(
        TypeError, match=r"Cannot convert the argument `type_value`: \[tf.int64\] to a TensorFlow DType"
    ):
        tf.data.Dataset.from_generator(lambda: iter([[20]]), output_types=[tf.int64])


def test_an_error_before_the_first_element():
    """TensorFlow's class for a ZeroDivisionError, wherever the user's code raises it."""
    with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError"):
        list(tf.data.Dataset.from_generator(lambda: iter([1 // 0]), output_types=tf.int64))


WRONG = "`generator` yielded an element that did not match the expected structure. The expected structure was "


@pytest.mark.parametrize(("element", "kinds", "words"), [
    (
        1.5, {"output_types": tf.int32},
        f"{WRONG}TensorSpec(shape=<unknown>, dtype=tf.int32, name=None), but the yielded element was 1.5.",
    ),
    (
        "a", {"output_signature": tf.TensorSpec([], tf.int32)},
        "`generator` yielded an element that could not be converted to the expected type. "
        "The expected type was int32, but the yielded element was a.",
    ),
    (
        [1, 2], {"output_signature": tf.TensorSpec([], tf.int32)},
        "`generator` yielded an element of shape (2,) where an element of shape () " "was expected.",
    ),
    (
        [1, 2], {"output_types": (tf.int32, tf.int32)},
        f"{WRONG}(tf.int32, tf.int32), but the yielded element was [1, 2].",
    ),
    (
        [1, 2], {"output_signature": (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))},
        f"{WRONG}(tf.int32, tf.int32), but",
    ),
])  # fmt: skip
def test_what_a_generator_may_not_yield(element, kinds, words):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        list(tf.data.Dataset.from_generator(lambda: iter([element]), **kinds))
    assert str(caught.value).startswith(f"TypeError: {words}")


def test_elements_of_a_known_rank_are_cast_as_numpy_casts_them():
    signature = {"a": tf.TensorSpec([], tf.int32), "b": tf.TensorSpec(None, tf.uint8)}
    (found,) = tf.data.Dataset.from_generator(lambda: iter([{"a": 1.7, "b": [300, -1]}]), output_signature=signature)
    assert found["a"].numpy() == 1 and found["b"].numpy().tolist() == [44, 255]
    with pytest.raises(tf.errors.InternalError, match="Unsupported object type int"):
        list(tf.data.Dataset.from_generator(lambda: iter([3]), tf.string, []))


def test_a_generator_sees_no_scope_or_tape_of_its_reader():
    """TensorFlow runs it on another thread."""
    v, seen = tf.Variable(1.0), []

    def generate():
        seen.append((tf.distribute.has_strategy(), tf.executing_eagerly()))
        yield v * 2

    ds = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([]))
    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope(), tf.GradientTape() as tape:
        assert [next(iter(d)).numpy() for d in (ds, ds.prefetch(1))] == [2.0, 2.0]
    assert seen == [(False, True)] * 2 and tape.watched_variables() == ()
