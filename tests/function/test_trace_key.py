"""Calls with iterators, tuples and None find their traces by a quick key:
as many traces, with the same results, as without it."""

import numpy as np
import pytest

import reflow as tf
from reflow.function.trace_key import number_of, quick_arguments


def counted(function):
    traces = []

    @tf.function
    def call(*args):
        traces.append(args)
        return function(*args)

    return call, traces


def test_tuples_of_tensors_are_told_apart_by_structure_dtype_and_shape():
    call, traces = counted(
        lambda *args: tf.add_n([tf.cast(tf.reduce_sum(t), tf.float32) for t in tf.nest.flatten(args) if t is not None])
    )
    one, two = tf.ones([1]), tf.ones([2])
    calls = [
        ((one, two),), (one, two), ((two, one),), ((one, (two,)),), ((one, two, None),),
        ((one, tf.ones([2], tf.int32)),),
    ]
    for _ in range(3):
        assert [call(*args).numpy() for args in calls] == [3.0] * len(calls)
    assert len(traces) == len(calls)


def test_an_iterator_shares_the_trace_of_those_with_equal_elements():
    call, traces = counted(lambda iterator: next(iterator) + 1)
    for _ in range(3):
        iterator = iter(tf.data.Dataset.range(3))
        assert [call(iterator).numpy() for _ in range(3)] == [1, 2, 3]
    other = iter(tf.data.Dataset.from_tensor_slices(np.ones(2, np.float32)))
    assert [call(other).numpy() for _ in range(2)] == [2.0, 2.0]
    assert len(traces) == 2


def test_arguments_of_other_kinds_have_no_quick_key():
    assert quick_arguments((tf.constant(1), 2)) is None
    assert quick_arguments(([tf.constant(1)],)) is None
    assert quick_arguments((tf.Variable(1.0),)) is None
    assert number_of(tf.TensorSpec([1])) == number_of(tf.TensorSpec([1])) != number_of(tf.TensorSpec([2]))


def test_iterators_of_a_dictionary_and_of_a_tensor_have_traces_of_their_own():
    @tf.function(reduce_retracing=True)
    def total(iterator):
        return tf.add_n(tf.nest.flatten(next(iterator)))

    elements = [tf.ones([1, 2]), {"a": tf.ones([1, 2]), "b": tf.ones([1, 2])}, (tf.ones([1, 2]),)]
    for _ in range(2):
        results = [total(iter(tf.data.Dataset.from_tensor_slices(element))) for element in elements]
        assert [result.numpy().tolist() for result in results] == [[1, 1], [2, 2], [1, 1]]


def test_what_has_an_array_is_a_tensor():
    class Column:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0], np.float32)

    call, traces = counted(lambda x: x[0] * 2 if isinstance(x, list) else x * 2)
    for _ in range(2):
        assert call(Column()).numpy().tolist() == call([Column()]).numpy().tolist() == [2.0, 4.0]
    assert len(traces) == 2
    kind = tf.function(lambda x: type(x).__name__)
    assert [kind(np.bytes_(b"a")).numpy(), kind(np.str_("a")).numpy()] == [b"SymbolicTensor", b"str_"]
    with pytest.raises(ValueError, match="Unsupported object type NoneType"):
        kind(np.array(["a", None], object))
