"""One dataset read by several devices: which element goes where, eagerly, in functions, and in graphs of version 1."""

import pytest

import reflow as tf

data = tf.__internal__.data
TWICE = ["/cpu:0", "/cpu:0"]


def numbers(elements):
    return [int(x) for x in elements]


@pytest.mark.parametrize("ahead", [0, 3])
def test_elements_by_device(ahead):
    iterator = data.OwnedMultiDeviceIterator(tf.data.Dataset.range(5), TWICE, prefetch_buffer_size=ahead)
    assert [numbers(elements) for elements in iterator] == [[0, 1], [2, 3]]  # the fifth has nobody to go with


def test_a_device_may_run_ahead():
    iterator = data.MultiDeviceIterator(tf.data.Dataset.range(6), ["/cpu:0", "/device:CPU:0"])
    assert numbers(iterator.get_next("/cpu:0") for _ in range(3)) == [0, 2, 4]
    assert numbers(iterator.get_next("/device:CPU:0") for _ in range(3)) == [1, 3, 5]
    assert [bool(o.has_value()) for o in iterator.get_next_as_optional()] == [False, False]
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
    iterator._eager_reset()
    assert iterator.initializer is None and numbers(iterator.get_next()) == [0, 1]


def test_as_an_argument_of_a_function():
    traces = []

    @tf.function
    def total(iterator):
        traces.append(1)
        first, second = iterator.get_next()
        return first * 10 + second

    for size in (4, 8):
        assert int(total(data.OwnedMultiDeviceIterator(tf.data.Dataset.range(size), TWICE))) == 1
    assert len(traces) == 1


def test_in_a_graph_the_initializer_begins_anew():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        dataset = tf.data.Dataset.zip((tf.data.Dataset.range(4), tf.data.Dataset.range(4)))
        iterator = data.MultiDeviceIterator(dataset, TWICE)
        elements = iterator.get_next()
        for _ in range(2):
            session.run(iterator.initializer)
            assert session.run(elements) == [(0, 0), (1, 1)]
        with pytest.raises(RuntimeError, match="inside of tf.function or when eager"):
            data.OwnedMultiDeviceIterator(dataset, TWICE)


def test_arguments_are_checked():
    dataset = tf.data.Dataset.range(2)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Length for attr 'devices' of 0 must be at least minimum 1"
    ):
        data.MultiDeviceIterator(dataset, [])
    with pytest.raises(ValueError, match="`devices` must be provided"):
        data.OwnedMultiDeviceIterator(dataset)
    with pytest.raises(ValueError, match="both `components` and `element_spec`"):
        data.OwnedMultiDeviceIterator(devices=TWICE)
    with pytest.raises(ValueError, match="must not be specified"):
        data.OwnedMultiDeviceIterator(dataset, TWICE, element_spec=dataset.element_spec)
    with pytest.raises(ValueError, match="max_buffer_size"):
        data.OwnedMultiDeviceIterator(dataset, TWICE, max_buffer_size=-1)


def test_a_generator_is_finalized():
    ended = tf.Variable(0)
    dataset = data._GeneratorDataset(
        7, lambda x: x, lambda x: tf.data.Dataset.range(0).get_single_element(), lambda x: ended.assign_add(x),
        output_signature=tf.TensorSpec([], tf.int64),
    )
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iter(dataset))
    assert int(ended) == 7
