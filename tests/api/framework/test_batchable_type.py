import typing

import reflow as tf


class Point(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    label: str = "p"


class Node(tf.experimental.ExtensionType):
    value: tf.Tensor
    children: typing.Tuple["Node", ...] = ()  # noqa: UP006 - a name that is defined by this statement


class Early(tf.experimental.ExtensionType):
    later: "Late"


class Late(tf.experimental.ExtensionType):
    value: tf.Tensor


def test_datasets_batch_and_unbatch_values():
    points = tf.data.Dataset.from_tensor_slices(Point([1, 2, 3])).batch(2)
    assert [p.x.numpy().tolist() for p in points] == [[1, 2], [3]]
    assert [p.x.numpy().item() for p in points.unbatch()] == [1, 2, 3]
    assert points.element_spec == Point.Spec(tf.TensorSpec([None], tf.int32), "p")


def test_map_fn_takes_and_gives_values():
    spec = Point.Spec(tf.TensorSpec([], tf.int32), "q")
    result = tf.map_fn(lambda p: Point(p.x * 2, "q"), Point([1, 2]), fn_output_signature=spec)
    assert result.x.numpy().tolist() == [2, 4] and result.label == "q"


def test_a_batch_encoder_says_what_the_spec_of_a_batch_is():
    class Wide(tf.experimental.ExtensionTypeBatchEncoder):
        def batch(self, spec, batch_size):
            return type(spec)(tf.TensorSpec([batch_size, 7]))

    class Own(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        __batch_encoder__ = Wide()

    assert Own.Spec(tf.TensorSpec([]))._batch(2).x.shape == [2, 7]
    assert Own.__batch_encoder__.encode(Own.Spec(tf.TensorSpec([])), Own(3.0))[0].numpy() == 3.0


def test_annotations_may_name_the_class_itself_and_later_ones():
    node = Node(1, [Node(2)])
    assert tf.function(lambda n: n.value + n.children[0].value)(node).numpy() == 3
    assert Early(Late(5)).later.value.numpy() == 5
